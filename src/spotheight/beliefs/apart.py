"""Simultaneous bands: whether arms differ at all, as far as the labels can tell."""

from collections.abc import Iterator

import numpy as np
from numpy.random import default_rng
from scipy.sparse import csc_array

from spotheight.beliefs.surface import Surface
from spotheight.numerics.portions import portions
from spotheight.types import BoolArray, FloatArray, IntArray

DRAWS, FEWEST_DRAWS = 1000, 100
"""The 97.5% point of 1000 draws lies between the 96.7% and the 98.3% point, nine times in ten."""

ROOM = 10_000_000
"""Arms times draws that take half a second; more arms get fewer draws."""

MOST_ARMS = 5000
"""Of more arms none stands out alone, after so many chances to do so; their levels still may."""

ROUNDING = 1e-9


def are_apart(surface: Surface, certainty: float) -> bool | None:
    """Whether an arm, or a level of an attribute, surely differs from the overall number.

    Every level's distance from the overall number gets a band, as many standard deviations wide as
    it takes for all bands to hold at once in most of the joint draws of the rates; so do the arms,
    and levels and arms each get half of the doubt that ``certainty`` leaves. They are apart where a
    band leaves zero out: however many there are, chance alone seldom makes one do so. None where
    there are no two arms, or one has no number.
    """
    counts = surface.weight > 0
    if counts.sum() < 2 or np.isnan(surface.of("rate").mean[counts]).any():
        return None
    codes = [column[counts] for column in surface.partition.codes.T]
    families = [_shares(codes, surface.weight[counts])]
    if len(codes) > 1 and counts.sum() <= MOST_ARMS:  # one attribute's levels are the arms
        families.append(_shares([np.arange(counts.sum())], surface.weight[counts]))
    share = 1 - (1 - certainty) / len(families)
    blocks = [[groups @ apart for groups in families] for apart in _distances(surface, counts)]
    return any(
        _leaves_out_zero(np.concatenate(each, axis=1), share) for each in zip(*blocks, strict=True)
    )


def _shares(codes: list[IntArray], weight: FloatArray) -> csc_array:
    """(levels of all attributes, arms): how much of each level an arm is."""
    rows, first = [], 0
    for column in codes:
        found, row = np.unique(column, return_inverse=True)
        rows.append(first + row)
        first += len(found)
    row, arm = np.concatenate(rows), np.tile(np.arange(len(weight)), len(codes))
    total = np.bincount(row, weight[arm])
    return csc_array((weight[arm] / total[row], (row, arm)), shape=(first, len(weight)))


def _distances(surface: Surface, counts: BoolArray) -> Iterator[FloatArray]:
    """How far arms lie from the overall number, (arms, draws), as many draws at a time as fit."""
    share = surface.weight[counts] / surface.weight[counts].sum()
    rates, rng, arms = surface.of("rate"), default_rng(surface.seed), len(counts)
    for size in portions(max(FEWEST_DRAWS, min(DRAWS, ROOM // arms)), max(1, ROOM // arms)):
        drawn = np.asarray(rates.draw(size, rng), dtype=float)[:, counts]
        yield np.ascontiguousarray((drawn - (drawn @ share)[:, None]).T)


def _leaves_out_zero(distance: FloatArray, share: float) -> bool:
    """Whether one of the simultaneous bands, which hold in a share of draws, leaves zero out."""
    centre, spread = distance.mean(axis=1), distance.std(axis=1)
    is_open = spread > ROUNDING
    off = np.abs(distance - centre[:, None])[is_open] / spread[is_open, None]
    reach = np.quantile(off.max(axis=0), share) if is_open.any() else 0.0
    return bool((np.abs(centre) > reach * spread + ROUNDING).any())
