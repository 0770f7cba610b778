"""Contrasts: difference and ratio of two numbers, by their joint draws."""

from dataclasses import dataclass, field, replace
from math import ceil, floor, inf, nan

import numpy as np

from spotheight.beliefs.reading import Reading
from spotheight.types import FloatArray


@dataclass(frozen=True, eq=False)
class Pair:
    """Two slices read together, so that what moves both of them cancels.

    Args:
        means: The best single guess of each.
        draws: Joint draws, (draws, 2).
        estimand: Which one they are.
    """

    means: FloatArray
    draws: FloatArray = field(repr=False)
    estimand: str

    def difference(self, level: float) -> Reading:
        """The first minus the second."""
        first, second = self.draws.T
        reading = Reading.of(first - second, level, self.estimand)
        return replace(reading, mean=float(self.means[0] - self.means[1]))

    def ratio(self, level: float) -> Reading:
        """The first over the second; the high end is infinite where the second may well be 0."""
        mean = float(_over(self.means[:1], self.means[1:], nan)[0])
        # Nothing over nothing may be any number: each end counts it against itself.
        first, second = self.draws.T
        low, high = (np.sort(_over(first, second, undefined)) for undefined in (0.0, inf))
        # The draws themselves, for between a number and infinity there is no middle.
        last, tail = len(self.draws) - 1, (1 - level) / 2
        ends = (float(low[floor(tail * last)]), float(high[ceil((1 - tail) * last)]))
        return Reading(mean, *ends, level, self.estimand)


def _over(first: FloatArray, second: FloatArray, undefined: float) -> FloatArray:
    """The ratios of numbers from 0 on; infinite over 0, and ``undefined`` for 0 over 0."""
    endless = np.where(first > 0, inf, undefined)
    return np.divide(first, second, out=endless, where=second > 0)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One slice against another, both as people wrote them."""

    slice: str
    against: str
    difference: Reading
    ratio: Reading
