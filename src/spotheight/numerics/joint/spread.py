"""Beam search for the likeliest combinations of levels, row by row.

As in ``sums`` a row's log weight of a combination is unary and pairwise. Up to ``EXACT_DENSE``
combinations all are looked at; without pairs, and beyond, a beam adds one attribute after another.
Without pairs a beam misses nothing. With pairs a beginning is judged with what its pairs with the
attributes to come are expected to add; the log weight of what comes out is exact nevertheless.
What a row gets does not depend on the other rows.
"""

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spotheight.numerics.joint.levels import Levels, combinations
from spotheight.numerics.joint.sums import BLOCK, outer
from spotheight.types import BoolArray, FloatArray, IntArray, NarrowArray

ShortArray = NDArray[np.int16]

EXACT_DENSE = 2**16
"""With pairs and up to so many combinations, all of them are looked at."""

WIDTH = 4
"""A beam keeps so many beginnings for each combination that is wanted."""

SLACK = 1e-3
"""Log weights are compared in single precision first, and by as much more generously."""

FORESIGHT = 7.0
"""With pairs a beginning may catch up by so much log weight, a factor of 1000."""


class Spread(NamedTuple):
    """Rows spread over combinations: of each the row, the level codes (entries, K), the weight.

    The weights of a row add up to one; ordered by row, then by codes.
    """

    row: IntArray
    codes: IntArray
    weight: FloatArray


@dataclass(frozen=True)
class Limit:
    """What is kept of a row: weights of at least ``cut`` times its largest, at most ``most``."""

    cut: float
    most: int

    @property
    def depth(self) -> float:
        """How far below the row's largest a log weight may lie."""
        return float(-np.log(self.cut)) if self.cut > 0 else np.inf


@dataclass(frozen=True, eq=False)
class Potential:
    """Log weights of pairs of levels, (levels, levels), zero outside the blocks k < l."""

    levels: Levels
    theta: FloatArray

    def block(self, first: int, second: int) -> FloatArray:
        """The pairs of two attributes."""
        slices = self.levels.slices
        return self.theta[slices[first], slices[second]]

    def of(self, codes: IntArray) -> FloatArray:
        """The pairs' log weight of each combination, (combinations, K)."""
        total = np.zeros(len(codes))
        for second in range(1, self.levels.size):
            for first in range(second):
                total += self.block(first, second)[codes[:, first], codes[:, second]]
        return total


def spread(unary: FloatArray, potential: Potential, limit: Limit) -> Spread:
    """Spread every row, with its unary log weights (rows, levels), over its combinations."""
    counts = potential.levels.counts
    every, table = prod(counts), None
    limit = Limit(limit.cut, min(limit.most, every))
    size = WIDTH * limit.most * max(counts)
    if potential.theta.any() and every <= EXACT_DENSE:
        table, size = Table.of(potential), every
    step = max(1, BLOCK // size)
    parts = []
    for at in range(0, max(len(unary), 1), step):
        rows = unary[at : at + step]
        near = _beam(rows, potential, limit) if table is None else table.near(rows, limit)
        found = _settle(rows, potential.levels, limit, near)
        parts.append(Spread(found.row + at, found.codes, found.weight))
    return Spread(*(np.concatenate(part) for part in zip(*parts, strict=True)))


class Near(NamedTuple):
    """Candidates: of each the row, the level codes, the log weight that pairs give it."""

    row: IntArray
    codes: IntArray
    pairs: FloatArray


def _settle(unary: FloatArray, levels: Levels, limit: Limit, near: Near) -> Spread:
    """Weigh candidates exactly, keep what the limit allows, and make weights add up to one."""
    row, codes = near.row, near.codes
    score = unary[row[:, None], levels.starts + codes].sum(axis=1) + near.pairs
    kept = within(row, score, limit.depth, limit.most, len(unary))
    row, codes, score = row[kept], codes[kept], score[kept]
    weight = np.exp(score - _highest(row, score, len(unary))[row])
    return Spread(row, codes, weight / np.bincount(row, weight, len(unary))[row])


def _highest(row: IntArray, score: FloatArray, rows: int) -> FloatArray:
    """The highest score of each row; entries are ordered by row and each row has one."""
    starts = np.searchsorted(row, np.arange(rows))
    return np.maximum.reduceat(score, starts) if rows else np.empty(0)


def within(row: IntArray, score: FloatArray, depth: float, most: int, rows: int) -> IntArray:
    """Which entries lie near enough to their row's highest, and of a full row the best.

    Entries are ordered by row; among equals the first stay.
    """
    kept = np.flatnonzero(score >= _highest(row, score, rows)[row] - depth)
    count = np.bincount(row[kept], minlength=rows)
    crowded = count > most
    if not crowded.any():
        return kept
    chosen = ~crowded[row[kept]]
    crowd = kept[~chosen]
    chosen[~chosen] = _best((np.cumsum(crowded) - 1)[row[crowd]], score[crowd], most)
    return kept[chosen]


def _best(row: IntArray, score: FloatArray, most: int) -> BoolArray:
    """The ``most`` highest scores of each row; all rows have more, and are ordered."""
    first = np.searchsorted(row, np.arange(row[-1] + 1))
    column = np.arange(len(row)) - first[row]
    padded = np.full((len(first), column.max() + 1), -np.inf)
    padded[row, column] = score
    last = np.partition(padded, -most, axis=1)[row, -most]
    above, level = score > last, score == last
    turn = np.cumsum(level)
    turn -= (turn - level)[first][row]
    room = most - np.bincount(row, above)
    return above | (level & (turn <= room[row]))


@dataclass(frozen=True, eq=False)
class Table:
    """All combinations, and what pairs give each, exactly and in single precision."""

    levels: Levels
    codes: IntArray
    pairs: FloatArray
    psi: NarrowArray

    @classmethod
    def of(cls, potential: Potential) -> "Table":
        codes = combinations(potential.levels.counts)
        pairs = potential.of(codes)
        return cls(potential.levels, codes, pairs, (pairs - pairs.max()).astype(np.float32))

    def near(self, unary: FloatArray, limit: Limit) -> Near:
        """All combinations that may pass the limit, in order."""
        shifted = (unary - self.levels.highest(unary)).astype(np.float32)
        cut = self.levels.cut
        halves = self.levels.slices[:cut], self.levels.slices[cut:]
        sides = [outer([shifted[:, part] for part in half], np.add) for half in halves]
        score = outer(sides, np.add)
        score += self.psi
        least = score.max(axis=1, keepdims=True) - np.float32(min(limit.depth + SLACK, 1e30))
        flat = np.flatnonzero(score >= least)
        row, arm = np.divmod(flat, len(self.codes))
        kept = within(row, score.ravel()[flat].astype(float), np.inf, limit.most, len(unary))
        arm = arm[kept]
        return Near(row[kept], self.codes[arm], self.pairs[arm])


def _beam(unary: FloatArray, potential: Potential, limit: Limit) -> Near:
    """Likely combinations, in order."""
    paired = bool(potential.theta.any())
    ahead = _Foresight.of(unary, potential) if paired else None
    depth, width = limit.depth + SLACK, limit.most
    if paired:
        depth, width = limit.depth + FORESIGHT, WIDTH * limit.most
    row, score = np.arange(len(unary)), np.zeros(len(unary))
    codes = np.zeros((len(unary), 0), dtype=np.int16)
    for attribute, place in enumerate(potential.levels.slices):
        grown = score[:, None] + unary[:, place][row]
        if ahead is not None:
            grown += ahead.gain(row, codes, attribute)
        owner = np.repeat(row, grown.shape[1])
        kept = within(owner, grown.ravel(), depth, width, len(unary))
        parent, level = np.divmod(kept, grown.shape[1])
        row, score = owner[kept], grown.ravel()[kept]
        codes = np.hstack([codes[parent], level[:, None].astype(np.int16)])
    found = codes.astype(np.int64)
    return Near(row, found, potential.of(found) if paired else np.zeros(len(found)))


@dataclass(frozen=True, eq=False)
class _Foresight:
    """What pairs are expected to add, with the chance of each level if there were no pairs."""

    potential: Potential
    chance: FloatArray
    ahead: FloatArray

    @classmethod
    def of(cls, unary: FloatArray, potential: Potential) -> "_Foresight":
        levels = potential.levels
        chance = np.exp(unary - levels.highest(unary))
        chance /= levels.sums(chance)[:, levels.owner]
        return cls(potential, chance, chance @ potential.theta.T)

    def gain(self, row: IntArray, codes: ShortArray, attribute: int) -> FloatArray:
        """What each level adds: its pairs with later attributes as expected, earlier ones as known.

        What had been expected of the earlier ones is taken back.
        """
        place = self.potential.levels.slices[attribute]
        gain = self.ahead[:, place][row]
        for earlier in range(attribute):
            table, mine = self.potential.block(earlier, attribute), codes[:, earlier]
            gain += table[mine] - (self.chance[:, place] @ table.T)[row, mine][:, None]
        return gain
