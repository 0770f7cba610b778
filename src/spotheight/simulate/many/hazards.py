"""How soon each group's rate passes a rung, tabled for every state that a group can get into.

Going up from 0, a rate of Beta(a, b) may lie at any rung; the cumulated hazard of a rung is minus
the log of the chance that it lies above. Hazards of independent rates add up, and the lowest of all
rates is where their sum passes an exponential number.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import betainc, betaln

from spotheight.simulate.many.world import Runs
from spotheight.types import FloatArray, IntArray

RUNGS = 32
"""Between 0 and 1; with more the table grows, with fewer more groups meet between two rungs."""

MOST_STATES = 400_000
"""A table of so many states takes 100 megabytes."""

CERTAIN = 50.0
"""The hazard that nothing survives: an exponential number exceeds it once in 1e21 draws."""


@dataclass(frozen=True, eq=False)
class Hazards:
    """A table for all groups of a pool that many runs share.

    Args:
        rungs: Where rates are looked at, from 0 to 1.
        table: The cumulated hazard, (states, rungs); in the first state no item is left.
        begin: The state of each group without a label.
        items: Hits and misses of each group, (groups, 2), those first whose rate is looked at.
    """

    rungs: FloatArray = field(repr=False)
    table: FloatArray = field(repr=False)
    begin: IntArray = field(repr=False)
    items: IntArray = field(repr=False)

    @classmethod
    def of(cls, items: IntArray, prior: FloatArray) -> "Hazards":
        """Of groups with these items and pseudo-counts, (groups, 2)."""
        rungs = _rungs(items + prior)
        sizes = (items + 1).prod(axis=1)
        begin = 1 + np.cumsum(sizes) - sizes
        table = np.zeros((1 + sizes.sum(), len(rungs)))
        for group, first in enumerate(begin):
            part = table[first : first + sizes[group]]
            part[:] = _group_table(items[group], prior[group], rungs)
        return cls(rungs, table, begin, items)

    def state(self, left: IntArray, group: IntArray) -> IntArray:
        """The state of a group with these items left."""
        seen = self.items[group] - left
        state = self.begin[group] + seen[:, 0] * (self.items[group, 1] + 1) + seen[:, 1]
        return np.where(left.any(axis=1), state, 0)


def _rungs(shapes: FloatArray) -> FloatArray:
    """Two thirds evenly over all rates, one third where those of the groups are."""
    fine = np.linspace(0, 1, 2001)
    rates = shapes[:, :1], shapes[:, 1:]
    height = 2 * fine + np.asarray(betainc(*rates, fine), float).mean(axis=0)
    return np.interp(np.linspace(0, 3, RUNGS + 1), height, fine)


def _group_table(items: IntArray, prior: FloatArray, rungs: FloatArray) -> FloatArray:
    """Hazards of Beta(a + hits, b + misses), hits slowest.

    By I(a + 1, b) = I(a, b) - x^a (1 - x)^b / (a B(a, b)), a hundred times cheaper than each alone;
    the absolute error is that of a rounding for each hit.
    """
    a = prior[0] + np.arange(items[0] + 1)[:, None, None]
    b = prior[1] + np.arange(items[1] + 1)[None, :, None]
    inner = rungs[1:-1]
    step = a[:-1] * np.log(inner) + b * np.log1p(-inner) - np.log(a[:-1]) - betaln(a[:-1], b)
    below = np.concatenate([betainc(a[:1], b, inner), -np.exp(step)]).cumsum(axis=0)
    above = np.clip(1 - below, np.exp(-CERTAIN), 1.0)
    hazard = np.zeros((*above.shape[:2], len(rungs)))
    hazard[..., 1:-1] = np.maximum.accumulate(-np.log(above), axis=2)
    hazard[..., -1] = 2 * CERTAIN
    return hazard.reshape(-1, len(rungs))


def can_be_tabled(runs: Runs) -> bool:
    """Whether all runs stand alike, over a pool of not too many states."""
    is_alike = (runs.left == runs.left[0]).all() and (runs.alpha == runs.alpha[0]).all()
    return bool(is_alike) and int((runs.left[0] + 1).prod(axis=1).sum()) <= MOST_STATES
