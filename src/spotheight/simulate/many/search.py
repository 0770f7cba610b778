"""Looking in many runs for the last of some groups, from rung to rung, by halves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spotheight.types import FloatArray, IntArray

OUT, BETWEEN, IN = 0, 1, 2
"""What becomes of a group at a rung."""

FATES = np.array([[BETWEEN, IN, OUT, OUT], [IN, IN, BETWEEN, IN]], dtype=np.uint8)
"""Of groups above the rung and below it: where the last is above, and so too but all there are
needed; where it is below, and so too but all there are needed."""


@dataclass(eq=False)
class Search:
    """Between which rungs the last of the groups looked for lies, in each run.

    Args:
        low: The rung below it; all arguments are (runs,).
        high: The rung above it.
        need: How many groups between the two are looked for.
        count: How many there are.
    """

    low: IntArray
    high: IntArray
    need: IntArray
    count: IntArray

    def look(self, rung: IntArray, below: IntArray) -> NDArray[np.uint8]:
        """What becomes of groups above a rung in each run, then below it, with so many below."""
        is_lower, above = below >= self.need, self.count - below
        self.high = np.where(is_lower, rung, self.high)
        self.low = np.where(is_lower, self.low, rung)
        self.count = np.where(is_lower, below, above)
        self.need = np.where(is_lower, self.need, self.need - below)
        kind = 2 * is_lower + (self.count <= self.need)
        return np.concatenate([fate.take(kind) for fate in FATES])


def halves(weight: FloatArray) -> IntArray:
    """The rung that halves the weight of what lies between any two, (rungs, rungs).

    Args:
        weight: Between each rung and the next one.
    """
    reached = np.concatenate([[0.0], np.cumsum(weight)])
    half = np.searchsorted(reached, (reached[:, None] + reached) / 2)
    low, high = np.indices(half.shape)
    return np.minimum(np.maximum(np.minimum(half, high - 1), low + 1), len(weight))
