"""Design columns of an additive surface: what arms and score cells have in common."""

from itertools import combinations
from typing import TypeVar

import numpy as np
from scipy import sparse
from scipy.special import logit

from spotheight.arms import MISSING, Attribute, distinct_rows
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.regression.smooth import smooth_basis
from spotheight.numerics.sums import sum_by
from spotheight.pool.cells import Cells
from spotheight.types import BoolArray, FloatArray, IntArray

Key = TypeVar("Key")

PAIR_COLUMNS = 800
"""Pairs are taken in, those with the fewest combinations first, until they have so many columns."""

NEIGHBOUR_COLUMNS = 400
"""Likewise for combinations of all attributes but one."""

CURVE_COLUMNS = 8
"""A smooth curve over the score needs no more, nor does one over the size of arms."""

EDGE = 0.002
"""Scores nearer to 0 or 1 say no more about an item than this."""


def main_columns(cells: Cells, place: int) -> Sparse:
    """A column a level; for an ordered attribute columns of a smooth function of the level."""
    attribute = cells.partition.attributes[place]
    codes = cells.partition.codes[:, place]
    present = np.unique(codes)
    if len(present) < 2:
        return sparse.csr_matrix((cells.arms, 0))
    if attribute.is_ordered and len(attribute.levels) > 2:
        return sparse.csr_matrix(_smooth_levels(attribute, codes, cells.mass)[codes])
    return _one_hot(np.searchsorted(present, codes), len(present))


def _smooth_levels(attribute: Attribute, codes: IntArray, mass: FloatArray) -> FloatArray:
    """(levels, columns): a random walk over the levels; a missing value stands apart."""
    levels = len(attribute.levels)
    known = levels - 1 if attribute.levels[-1] == MISSING else levels
    items = sum_by(codes, mass, levels)[:known]
    walk = smooth_basis(np.arange(known, dtype=float), items + 1e-9, known)
    columns = np.zeros((levels, walk.shape[1] + levels - known))
    columns[:known, : walk.shape[1]] = walk
    columns[known:, walk.shape[1] :] = 1.0
    return columns


def _one_hot(codes: IntArray, levels: int) -> Sparse:
    rows = np.arange(len(codes))
    return sparse.csr_matrix((np.ones(len(codes)), (rows, codes)), shape=(len(codes), levels))


def pair_columns(cells: Cells, told: list[int]) -> dict[tuple[int, int], Sparse]:
    """A column a combination of two attributes; with two attributes alone those are the arms."""
    if len(told) < 3:
        return {}
    codes = cells.partition.codes
    sizes = {pair: _different_rows(codes[:, list(pair)]) for pair in combinations(told, 2)}
    return {pair: _combined(codes[:, list(pair)]) for pair in _fitting(sizes, PAIR_COLUMNS)}


def neighbour_columns(cells: Cells, told: list[int]) -> dict[int, Sparse]:
    """A column a combination of all attributes but one; with three attributes those are pairs."""
    if len(told) < 4:
        return {}
    codes = cells.partition.codes[:, told]
    levels = codes.max(axis=0) + 1
    # Without one attribute at least this many arms are left apart: no need to count them.
    few = [place for place in range(len(told)) if cells.arms <= NEIGHBOUR_COLUMNS * levels[place]]
    others = {place: np.delete(codes, place, axis=1) for place in few}
    sizes = {place: _different_rows(rest) for place, rest in others.items()}
    # An attribute that the others give away leaves the arms themselves.
    telling = {place: size for place, size in sizes.items() if size < cells.arms}
    return {place: _combined(others[place]) for place in _fitting(telling, NEIGHBOUR_COLUMNS)}


def _different_rows(codes: IntArray) -> int:
    """How many different ones there are."""
    return len(distinct_rows(codes)[0])


def _combined(codes: IntArray) -> Sparse:
    first, level = distinct_rows(codes)
    return _one_hot(level, len(first))


def _fitting(sizes: dict[Key, int], most: int) -> list[Key]:
    """The smallest blocks that together have no more columns."""
    order = sorted(sizes, key=lambda key: sizes[key])
    total = np.cumsum([sizes[key] for key in order])
    return [key for key, columns in zip(order, total, strict=True) if columns <= most]


def size_columns(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """A line and a curve over the log of an arm's items, nothing where all are of one size.

    What is rare is often hard. A policy that prefers small arms would teach the surface only about
    those, had it no term for their size.
    """
    octave = np.rint(2 * np.log2(np.maximum(cells.mass, 1.0)))
    levels, level, arms = np.unique(octave, return_inverse=True, return_counts=True)
    if len(levels) < 2:
        return np.zeros((cells.arms, 0)), np.zeros((cells.arms, 0))
    walk = smooth_basis(levels, arms.astype(float), CURVE_COLUMNS)
    return _standard(octave, np.ones(cells.arms))[:, None], walk[level]


def _standard(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Mean 0, deviation 1."""
    centre = np.average(values, weights=weight)
    spread = np.sqrt(np.average((values - centre) ** 2, weights=weight))
    return (values - centre) / max(float(spread), 1e-9)


def score_columns(cells: Cells) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Position of each score cell; the line and whether the score is missing or 0; the curve.

    The line follows the logit of the score, the curve its rank: a score says what it says however
    it is spaced. A score of 0 is what services say that heard or saw nothing, not the next lower
    confidence: from how often that is right nothing follows for how steep the line is elsewhere.
    """
    bins = len(cells.score_cells.levels)
    items = sum_by(cells.bin, cells.count, bins)
    score = sum_by(cells.bin, cells.count * np.nan_to_num(cells.score), bins)
    score = np.divide(score, items, out=np.full(bins, np.nan), where=items > 0)
    missing = np.zeros(bins, dtype=bool)
    missing[cells.bin[np.isnan(cells.score)]] = True
    told = (items > 0) & ~missing
    silent = told & (score == 0) & (score[told].min(initial=0.0) == 0)
    known = told & ~silent
    if known.sum() < 2:
        return np.zeros(bins), np.zeros((bins, 0)), np.zeros((bins, 0))
    rank = _mid_rank(score, items, known)
    position = np.zeros(bins)
    position[known] = _line(score[known], rank[known], items[known])
    basis = smooth_basis(rank[known], items[known], CURVE_COLUMNS)
    walk = np.zeros((bins, basis.shape[1]))
    walk[known] = basis
    apart = [each[:, None].astype(float) for each in (missing, silent) if each.any()]
    return position, np.hstack([position[:, None], *apart]), walk


def _mid_rank(score: FloatArray, items: FloatArray, known: BoolArray) -> FloatArray:
    """The share of items with a lower score, half of its own counted."""
    order = np.argsort(np.where(known, score, np.inf))
    held = np.where(known, items, 0)[order]
    rank = np.empty(len(score))
    rank[order] = (np.cumsum(held) - held / 2) / held.sum()
    return rank


def _line(score: FloatArray, rank: FloatArray, items: FloatArray) -> FloatArray:
    """The logit of a probability, or of the mid-rank of any other score; mean 0, deviation 1."""
    is_probability = score.min() >= 0 and score.max() <= 1
    chance = score if is_probability else rank
    return _standard(logit(np.clip(chance, EDGE, 1 - EDGE)), items)
