"""Draws from lower tails and from slices of Betas, many at a time, each of its own."""

import numpy as np
from numpy.random import Generator
from scipy.special import betainc, betaincinv

from spotheight.types import BoolArray, FloatArray

LARGE = 0.3
"""A tail that holds so much is quickly found by drawing from the whole."""

ROUNDS = 4
"""Proposals before the few that are left get the exact quantile of a random number."""

STEEP = 0.7
"""A density that falls so fast, by its log over the tail's length, is nearly exponential."""


def draw_below(
    a: FloatArray, b: FloatArray, limit: FloatArray, chance: FloatArray, rng: Generator
) -> FloatArray:
    """A draw of each Beta(a, b) given that it lies below its limit.

    Args:
        a: The first parameter; all arguments have one axis.
        b: The second one.
        limit: Where the tail ends.
        chance: How much of the Beta it holds.
        rng: Luck.
    """
    is_large = chance >= LARGE
    is_steep = ~is_large & (a >= 1) & (b >= 1) & (_slope(a, b, limit) * limit > STEEP)
    drawn = np.empty(len(a))
    ways = ((is_large, _whole), (is_steep, _exponential), (~is_large & ~is_steep, _power))
    late = []
    for where, propose in ways:
        at = np.flatnonzero(where)
        for _ in range(ROUNDS if len(at) else 0):
            x, is_in = propose(a[at], b[at], limit[at], rng)
            drawn[at[is_in]] = x[is_in]
            at = at[~is_in]
        late.append(at)
    at = np.concatenate(late)
    drawn[at] = betaincinv(a[at], b[at], rng.random(len(at)) * chance[at])
    return drawn


def draw_between(
    a: FloatArray, b: FloatArray, low: FloatArray, high: FloatArray, rng: Generator
) -> FloatArray:
    """A draw of each Beta(a, b) given that it lies between two limits; all have one axis."""
    drawn, is_in = _tilted(a, b, low, high, rng)
    for _ in range(ROUNDS):
        at = np.flatnonzero(~is_in & (high == 1))
        if not len(at):
            break
        drawn[at] = rng.beta(a[at], b[at])
        is_in[at] = drawn[at] >= low[at]
    at = np.flatnonzero(~is_in)
    a, b = a[at], b[at]
    below, chance = betainc(a, b, low[at]), betainc(a, b, high[at])
    drawn[at] = betaincinv(a, b, below + rng.random(len(at)) * (chance - below))
    return drawn


def _tilted(
    a: FloatArray, b: FloatArray, low: FloatArray, high: FloatArray, rng: Generator
) -> tuple[FloatArray, BoolArray]:
    """Exponentially, as the tangent of the log-density has it, or of that part which is concave."""
    width, m = high - low, np.where(low > 0, (low + high) / 2, high)
    p, q = np.maximum(a - 1, 0.0), np.maximum(b - 1, 0.0)
    rise = np.clip((p / m - q / (1 - m)) * width, -500, 500)
    rise[np.flatnonzero(np.abs(rise) < 1e-6)] = 1e-6
    x = low + width * np.log1p(rng.random(len(a)) * np.expm1(rise)) / rise
    with np.errstate(divide="ignore", invalid="ignore"):  # what reaches 0 or 1 does not stay
        over = p * np.log(x / m) + q * np.log((1 - x) / (1 - m)) - rise * (x - m) / width
        for shape, far, edge in ((a, x, low), (b, 1 - x, 1 - high)):
            pole = np.flatnonzero(shape < 1)
            if len(pole):
                over[pole] += (shape[pole] - 1) * np.log(far[pole] / edge[pole])
    return x, _passes(over, rng)


def _slope(a: FloatArray, b: FloatArray, limit: FloatArray) -> FloatArray:
    """Of the log-density at the limit."""
    return (a - 1) / limit - (b - 1) / np.maximum(1 - limit, 1e-300)


# Each way proposes draws and says which may stay.


def _whole(
    a: FloatArray, b: FloatArray, limit: FloatArray, rng: Generator
) -> tuple[FloatArray, BoolArray]:
    """From the whole Beta."""
    x = rng.beta(a, b)
    return x, x <= limit


def _exponential(
    a: FloatArray, b: FloatArray, limit: FloatArray, rng: Generator
) -> tuple[FloatArray, BoolArray]:
    """Left of its mode a log-concave density lies below the tangent of its log at the limit."""
    slope = _slope(a, b, limit)
    back = rng.standard_exponential(len(a)) / slope
    near = np.minimum(back, 0.999999 * limit)
    over = (a - 1) * np.log1p(-near / limit) + (b - 1) * np.log1p(near / (1 - limit))
    return limit - near, (back == near) & _passes(over + slope * near, rng)


def _power(
    a: FloatArray, b: FloatArray, limit: FloatArray, rng: Generator
) -> tuple[FloatArray, BoolArray]:
    """Near 0 the density is a power of x, times one of 1 - x that hardly changes."""
    x = limit * rng.random(len(a)) ** (1 / a)
    highest = np.where(b >= 1, 1.0, 1 - limit)
    return x, _passes((b - 1) * np.log((1 - x) / highest), rng)


def _passes(log_chance: FloatArray, rng: Generator) -> BoolArray:
    return -rng.standard_exponential(len(log_chance)) < log_chance
