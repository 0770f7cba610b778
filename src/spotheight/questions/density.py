"""Kernel density of draws: where a number lies, as a curve."""

from dataclasses import dataclass

import numpy as np

from spotheight.types import FloatArray

POINTS = 61
"""Enough for a smooth line across a page."""

TAIL = 0.01
"""Of the draws at each end that the curve need not reach."""


@dataclass(frozen=True, slots=True)
class Density:
    """Density curve: how plausible values are, from low to high; the peak has height 1.

    A number that is known has one value.
    """

    values: tuple[float, ...]
    heights: tuple[float, ...]

    @classmethod
    def of(cls, draws: FloatArray, low: float = -np.inf, high: float = np.inf) -> "Density":
        """Smooth draws of a number that lies between ``low`` and ``high``.

        A Gaussian kernel of Silverman's width; what it would spill over an end is folded back.
        """
        width = _width(draws)
        if width <= 1e-9 * (1 + abs(float(draws[0]))):
            return cls((float(draws.mean()),), (1.0,))
        first, last = np.quantile(draws, [TAIL, 1 - TAIL])
        at = np.linspace(max(low, first - 2 * width), min(high, last + 2 * width), POINTS)
        ends = [2 * end - draws for end in (low, high) if np.isfinite(end)]
        steps = (at[:, None] - np.concatenate([draws, *ends])) / width
        height = np.exp(-(steps**2) / 2).sum(axis=1)
        return cls(tuple(map(float, at)), tuple(map(float, height / height.max())))


def _width(draws: FloatArray) -> float:
    """Silverman 1986, eq. 3.31."""
    quarter, rest = np.quantile(draws, [0.25, 0.75])
    spread = float(draws.std())
    narrow = min(spread, float(rest - quarter) / 1.34) or spread
    return 0.9 * narrow * len(draws) ** -0.2
