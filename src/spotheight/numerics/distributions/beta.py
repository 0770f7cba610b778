"""Beta distributions and their mixtures, many at a time.

A mixture has its components on the first axis: ``a`` and ``b`` are (components, rows) and
``weight`` is (components,), the same for all rows.
"""

import numpy as np
from scipy.special import betainc, betaln

from spotheight.types import FloatArray

_HALVINGS = 27
"""Bisection to 4e-9 of the unit interval."""


def mean(a: FloatArray, b: FloatArray) -> FloatArray:
    """The mean of Beta(a, b)."""
    return a / (a + b)


def variance(a: FloatArray, b: FloatArray) -> FloatArray:
    """The variance of Beta(a, b)."""
    total = a + b
    return a * b / (total**2 * (total + 1))


def mixture_moments(
    a: FloatArray, b: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each row's mixture, by the law of total variance."""
    means = mean(a, b)
    centre = weight @ means
    return centre, weight @ variance(a, b) + weight @ (means - centre) ** 2


def mixture_interval(
    a: FloatArray, b: FloatArray, weight: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """The central interval that holds ``level`` of each row's mixture.

    >>> one = np.ones((1, 1))
    >>> low, high = mixture_interval(one, one, np.ones(1), 0.9)
    >>> float(low[0].round(7)), float(high[0].round(7))
    (0.05, 0.95)
    """
    tail = (1 - level) / 2
    # Outwards, so that an end next to 0 or 1 is 0 or 1: mixtures may hold much of their mass there.
    return _bracket(a, b, weight, tail)[0], _bracket(a, b, weight, 1 - tail)[1]


def _bracket(
    a: FloatArray, b: FloatArray, weight: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    """Two numbers, hardly apart, with the quantile between them."""
    low, high = np.zeros(a.shape[1]), np.ones(a.shape[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = weight @ betainc(a, b, middle) < share
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return low, high


def matched(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Moment matching: the Beta with this mean and variance; exact when a Beta made them.

    A variance that no Beta can have is taken as the largest one that some Beta has.
    """
    spread = mean * (1 - mean)
    total = np.maximum(spread / np.maximum(variance, 1e-300) - 1, 1e-9)
    return mean * total, (1 - mean) * total


def variance_drop(a: FloatArray, b: FloatArray, chance: FloatArray) -> FloatArray:
    """How much one more label lowers the variance of Beta(a, b), if a hit has ``chance``.

    Ji et al. 2021, Table 1: Var - [theta Var(a+1, b) + (1 - theta) Var(a, b+1)].
    """
    after = chance * variance(a + 1, b) + (1 - chance) * variance(a, b + 1)
    return variance(a, b) - after


def foreseen_drop(
    centre: FloatArray, spread: FloatArray, chance: FloatArray, more: FloatArray | float = 0.0
) -> FloatArray:
    """``variance_drop`` of the Beta with this mean and variance, after ``more`` expected labels."""
    a, b = matched(centre, spread)
    centre = mean(a, b)
    return variance_drop(a + more * centre, b + more * (1 - centre), chance)


def log_evidence(hits: FloatArray, misses: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Log marginal likelihood of hits and misses in a given order under Beta(a, b)."""
    return betaln(a + hits, b + misses) - betaln(a, b)
