"""How likely each group's rate lies below a rung, tabled for every state that a group can get into.

Chances are counted in whole parts, as random integers are: two bytes of luck nearly always tell
where a rate lies, and where they do not, one looks further.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln

from spotheight.simulate.many.world import Runs
from spotheight.types import BoolArray, FloatArray, IntArray

BYTE = np.uint16(1 << 8)

PARTS = 1 << 16
"""Of a chance; a roof keeps its first byte alone."""

RUNGS = 48
"""Between 0 and 1; with more the table grows, with fewer more groups meet between two rungs."""

CELLS = 16
"""That a run tells apart at a time, a power of two."""

LAST_BASE = RUNGS - CELLS + 1
"""From there the last rung is the highest."""

MOST_STATES = 300_000
"""A table of so many states takes 30 megabytes."""


@dataclass(frozen=True, eq=False)
class Chances:
    """A table for all groups of a pool that many runs share.

    Args:
        rungs: Where rates are looked at, from 0 to 1.
        table: The whole parts of a chance that lie below each rung, (states, rungs); all but one
            below the last. In the last state of a group no item is left, and no rate is below any
            rung.
        begin: The state of each group without a label.
        stride: How many states further a hit leads in each group, and a miss, (2, groups).
    """

    rungs: FloatArray = field(repr=False)
    table: NDArray[np.uint16] = field(repr=False)
    begin: IntArray = field(repr=False)
    stride: IntArray = field(repr=False)

    @classmethod
    def of(cls, items: IntArray, prior: FloatArray) -> "Chances":
        """Of groups with these items and pseudo-counts, (groups, 2)."""
        rungs = _rungs(items + prior)
        sizes = (items + 1).prod(axis=1)
        begin = np.cumsum(sizes) - sizes
        table = np.empty((sizes.sum(), len(rungs)), dtype=np.uint16)
        for group, first in enumerate(begin):
            below = _below(items[group], prior[group], rungs)
            table[first : first + sizes[group]] = below.reshape(-1, len(rungs))
            table[first + sizes[group] - 1] = 0
        return cls(rungs, table, begin, np.stack([items[:, 1] + 1, np.ones_like(begin)]))

    def first_bytes(self, state: IntArray, rung: IntArray) -> NDArray[np.uint8]:
        """The first byte of what lies below a rung, of a state each."""
        return (self.table.reshape(-1).take(state * (RUNGS + 1) + rung) // BYTE).astype(np.uint8)

    def is_open(self, state: IntArray) -> BoolArray:
        """Whether items are left."""
        return self.table[state, -1] > 0

    def cells(
        self, state: IntArray, base: IntArray, luck: NDArray[np.uint16]
    ) -> tuple[IntArray, BoolArray]:
        """In which cell the rate lies that has so many parts below it, found by halves.

        Cells lie between the rungs after a base; the first begins at 0, the last ends at 1. Also
        says where a rung parts those that have as many whole parts below them: there more of the
        random number is needed.
        """
        table, first = self.table.reshape(-1), state * (RUNGS + 1) + base
        place, step = first.copy(), CELLS // 2
        while step:
            place += (table[step:].take(place) <= luck) * np.uint8(step)
            step //= 2
        return place - first, table.take(place) == luck

    def cells_of(self, rate: FloatArray, base: IntArray) -> IntArray:
        """In which cell a rate lies."""
        rung = np.searchsorted(self.rungs, rate, side="right") - 1
        return np.clip(rung - base, 0, CELLS - 1)

    def limits(self, base: IntArray, cell: IntArray) -> tuple[FloatArray, FloatArray]:
        """Where cells begin and end."""
        low = np.where(cell > 0, base + cell, 0)
        high = np.where(cell < CELLS - 1, base + cell + 1, RUNGS)
        return self.rungs.take(low), self.rungs.take(high)


def _rungs(shapes: FloatArray) -> FloatArray:
    """One half evenly over all rates, the other where those of the groups are."""
    fine = np.linspace(0, 1, 101)
    where = np.asarray(betainc(shapes[:, :1], shapes[:, 1:], fine), float).mean(axis=0)
    return np.interp(np.linspace(0, 2, RUNGS + 1), fine + where, fine)


def _below(items: IntArray, prior: FloatArray, rungs: FloatArray) -> FloatArray:
    """The parts below each rung of Beta(a + hits, b + misses), (hits, misses, rungs).

    By I(a + 1, b) = I(a, b) - x^a (1 - x)^b / (a B(a, b)) and the like for b, a hundred times
    cheaper than each alone; the absolute error is that of a rounding for each label.
    """
    hits, misses = items + 1
    a = prior[0] + np.arange(hits)[:, None, None]
    b = prior[1] + np.arange(misses)[:, None]
    x = rungs[1:-1]
    table = np.empty((hits, misses, len(rungs)))
    inner = table[..., 1:-1]
    inner[0, 0] = PARTS * betainc(prior[0], prior[1], x)
    inner[0, 1:] = _parts_at(x, a[0], b[:-1], b[:-1])
    np.add.accumulate(inner[0], axis=0, out=inner[0])
    inner[1:] = _parts_at(x, a[:-1], b, a[:-1])
    np.subtract.accumulate(inner, axis=0, out=inner)
    table[..., 0], table[..., -1] = 0.0, PARTS
    return np.clip(table, 0.0, PARTS - 1, out=table)


def _parts_at(x: FloatArray, a: FloatArray, b: FloatArray, by: FloatArray) -> FloatArray:
    """What a label moves across x, in parts: x^a (1 - x)^b / (by B(a, b))."""
    log = a * np.log(x) + (np.log(PARTS) - np.log(by) - betaln(a, b))
    log += b * np.log1p(-x)
    return np.exp(log, out=log)


def can_be_tabled(runs: Runs) -> bool:
    """Whether all runs stand alike, over a pool of not too many states."""
    is_alike = (runs.left == runs.left[0]).all() and (runs.alpha == runs.alpha[0]).all()
    return bool(is_alike) and int((runs.left[0] + 1).prod(axis=1).sum()) <= MOST_STATES
