"""Beta-binomial counts and their mixtures: how many of the items left will be hits."""

import numpy as np
from scipy.special import betaln

from spotheight.numerics.distributions import beta
from spotheight.types import FloatArray, IntArray

EXACT_UP_TO = 512
"""With more items left than this, a smooth approximation is at most one item off."""


def mixture_interval(
    rest: IntArray, a: FloatArray, b: FloatArray, weight: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Central interval of the number of hits among ``rest`` items, a row each.

    >>> one = np.ones((1, 1))
    >>> mixture_interval(np.array([1]), one, one, np.ones(1), 0.9)
    (array([0.]), array([1.]))
    """
    low, high = np.zeros(len(rest)), np.zeros(len(rest))
    few = rest <= EXACT_UP_TO
    for row in np.flatnonzero(few & (rest > 0)):
        share = weight @ mass(int(rest[row]), a[:, row], b[:, row])
        low[row], high[row] = _central(share, level)
    many = ~few
    low[many], high[many] = _smooth(rest[many], a[:, many], b[:, many], weight, level)
    return low, high


def mass(rest: int, a: FloatArray, b: FloatArray) -> FloatArray:
    """Probability mass function: of 0, 1, ..., ``rest`` hits, (components, rest + 1)."""
    k = np.arange(rest)
    a, b = np.asarray(a)[..., None], np.asarray(b)[..., None]
    # From k hits to k + 1; a sum of logarithms costs a fraction of so many gamma functions.
    growth = np.log((rest - k) * (k + a) / ((k + 1) * (rest - k - 1 + b)))
    none = betaln(a, rest + b) - betaln(a, b)
    return np.exp(np.concatenate([none, none + np.cumsum(growth, axis=-1)], axis=-1))


def _central(share: FloatArray, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    below = np.cumsum(share)
    # Rounding may leave the last sum a hair below one.
    low, high = np.searchsorted(below, [tail, 1 - tail - 1e-12])
    return float(min(low, len(share) - 1)), float(min(high, len(share) - 1))


def _smooth(
    rest: IntArray, a: FloatArray, b: FloatArray, weight: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of Betas widened by the sampling of so many items."""
    spread = beta.variance(a, b) * (a + b + rest) / rest
    wide = beta.matched(beta.mean(a, b), spread)
    low, high = beta.mixture_interval(*wide, weight, level)
    return np.rint(low * rest), np.rint(high * rest)
