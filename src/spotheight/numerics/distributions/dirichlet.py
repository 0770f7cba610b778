"""Dirichlet distributions, many at a time; outcomes on the last axis."""

import numpy as np
from numpy.random import Generator
from scipy.special import betaln

from spotheight.types import FloatArray, IntArray

SCARCE = 0.1
"""With parameters that add up to less, all gammas of a draw may be too small for a number."""

LIGHT, CRUMB = 0.5, 1e-4
"""Outcomes with smaller parameters are drawn together, down to such a share of theirs."""


def draw(alpha: FloatArray, rng: Generator) -> FloatArray:
    """A draw for each set of parameters."""
    if alpha.sum(axis=-1).min(initial=np.inf) < SCARCE:
        return _draw_scarce(alpha, rng)
    parts = rng.standard_gamma(alpha) + 1e-300
    return parts / parts.sum(axis=-1, keepdims=True)


def _draw_scarce(alpha: FloatArray, rng: Generator) -> FloatArray:
    """By logarithms: a gamma of alpha is one of alpha + 1 times a uniform to the 1 / alpha."""
    logs = np.log(rng.standard_gamma(alpha + 1)) + np.log(1 - rng.random(alpha.shape)) / alpha
    parts = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return parts / parts.sum(axis=-1, keepdims=True)


def draw_parts(alpha: FloatArray, n: int, rng: Generator) -> tuple[IntArray, FloatArray]:
    """Stick-breaking draws for many parameters: outcomes and their parts, (draws, parts) each.

    An outcome may have several parts. Outcomes with small parameters share what they have together:
    its parts are broken off one after another and go to outcomes by their parameters (Sethuraman
    1994), until next to nothing is left.
    """
    light = np.flatnonzero((alpha > 0) & (alpha < LIGHT))
    together = float(alpha[light].sum())
    sticks = int(np.ceil(np.log(CRUMB) / np.log(together / (1 + together)))) if together else 0
    if sticks >= len(light):  # each on its own is no more work
        known = np.flatnonzero(alpha > 0)
        parts = draw(np.broadcast_to(alpha[known], (n, len(known))), rng) if len(known) else known
        return np.broadcast_to(known, (n, len(known))), np.broadcast_to(parts, (n, len(known)))
    heavy = np.flatnonzero(alpha >= LIGHT)
    parts = draw(np.broadcast_to(np.append(alpha[heavy], together), (n, len(heavy) + 1)), rng)
    left = np.cumprod(1 - rng.beta(1, together, (n, sticks - 1)), axis=1)
    broken = -np.diff(left, prepend=1, append=0, axis=1)
    ends = np.cumsum(alpha[light]) / together
    chosen = np.minimum(np.searchsorted(ends, rng.random((n, sticks))), len(light) - 1)
    outcome = np.hstack([np.broadcast_to(heavy, (n, len(heavy))), light[chosen]])
    return outcome, np.hstack([parts[:, :-1], parts[:, -1:] * broken])


def total_variance(alpha: FloatArray) -> FloatArray:
    """The variances of all outcomes' rates, added up."""
    total = alpha.sum(axis=-1)
    return (1 - (alpha**2).sum(axis=-1) / total**2) / (total + 1)


def total_variance_drop(alpha: FloatArray, rates: FloatArray) -> FloatArray:
    """How much one more label lowers ``total_variance``, if outcomes have these rates.

    Ji et al. 2021, Table 1; after outcome j the sum of squares grows by 2 alpha_j + 1.
    """
    total = alpha.sum(axis=-1)
    squares = (alpha**2).sum(axis=-1) + 2 * (rates * alpha).sum(axis=-1) + 1
    after = (1 - squares / (total + 1) ** 2) / (total + 2)
    return total_variance(alpha) - after


def variance_along(alpha: FloatArray, direction: FloatArray) -> FloatArray:
    """The variance of a weighted sum of the rates, such as an expected cost."""
    total = alpha.sum(axis=-1)
    mean = (alpha * direction).sum(axis=-1) / total
    return ((alpha * direction**2).sum(axis=-1) / total - mean**2) / (total + 1)


def variance_drop_along(alpha: FloatArray, direction: FloatArray, rates: FloatArray) -> FloatArray:
    """How much one more label lowers ``variance_along``, if outcomes have these rates."""
    total = alpha.sum(axis=-1)
    first, second = ((alpha * direction**power).sum(axis=-1) for power in (1, 2))
    mean, square = ((rates * direction**power).sum(axis=-1) for power in (1, 2))
    # After outcome j both sums grow by that outcome's direction and its square.
    squared = first**2 + 2 * first * mean + square
    after = ((second + square) / (total + 1) - squared / (total + 1) ** 2) / (total + 2)
    return variance_along(alpha, direction) - after


def distinct(alpha: FloatArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Unique parameters of each row: the row of each, each, and which one an outcome has.

    >>> distinct(np.array([[2.0, 1.0, 2.0], [5.0, 5.0, 5.0]]))
    (array([0, 0, 1]), array([1., 2., 5.]), array([[1, 0, 1],
           [2, 2, 2]]))
    """
    order = np.argsort(alpha, axis=1)
    ascending = np.take_along_axis(alpha, order, axis=1)
    is_new = np.diff(ascending, axis=1, prepend=-np.inf) > 0
    place = np.empty(alpha.shape, dtype=np.int64)
    np.put_along_axis(place, order, (np.cumsum(is_new) - 1).reshape(alpha.shape), axis=1)
    return np.nonzero(is_new)[0], ascending[is_new], place


def chance_of_any(alpha: FloatArray, others: FloatArray, items: FloatArray | float) -> FloatArray:
    """The chance that one outcome, against all others, occurs among so many items."""
    known = np.maximum(alpha, 1e-300)
    return np.asarray(-np.expm1(betaln(known, others + items) - betaln(known, others)))
