"""How honest a surface is: whether its intervals hold the truth as often as they claim."""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.simulate.scores import DRAWN_AT_ONCE, SAME, Score, Target, mean_of
from spotheight.types import FloatArray, IntArray

DRAWS = 2000
"""Coverage averages over arms, so that each arm's own noise hardly matters."""


def honesty(surface: Surface, target: Target, level: float, rng: Generator) -> dict[str, Score]:
    """How often intervals hold the truth, and how wide they are, both as plain shares.

    Over arms with at least 5 items that are not fully labelled. Held-out items are predicted:
    a draw of the rate, then so many hits among them. Whether the overall number's interval holds
    it is 1 or 0, nothing where everything is labelled.
    """
    is_open = target.is_held_out | (surface.labelled < surface.cells.mass - SAME)
    arms = np.flatnonzero(target.is_scored & is_open)
    truth = target.accuracy
    inside, widths = [np.zeros(0)], [np.zeros(0)]
    for some in _portions(arms):
        draws = surface.draw(DRAWS, rng, some)
        if target.is_held_out:
            size = np.rint(target.counts.trials[some]).astype(np.int64)
            draws = rng.binomial(size, draws) / size
        inside.append(coverage(draws, truth[some], level))
        widths.append(_width(draws, level))
    name = f"{100 * level:g}"
    return {
        f"coverage{name}": mean_of(np.concatenate(inside)),
        f"width{name}": mean_of(np.concatenate(widths)),
        f"coverage_overall{name}": _is_overall_held(surface, target, level, bool(is_open.any())),
    }


def _is_overall_held(surface: Surface, target: Target, level: float, is_open: bool) -> Score:
    """Whether the interval of the overall number holds it."""
    if not is_open or not surface.weight.any():
        return None
    found = surface.overall(level)
    if np.isnan(found.mean):
        return None
    return float(found.low - SAME <= target.overall <= found.high + SAME)


def _portions(arms: IntArray) -> Iterator[IntArray]:
    step = DRAWN_AT_ONCE // DRAWS
    for start in range(0, len(arms), step):
        yield arms[start : start + step]


def coverage(draws: FloatArray, truth: FloatArray, level: float) -> FloatArray:
    """How much of each truth lies inside the central interval of its draws.

    The truth is counted as one more draw. If it is exchangeable with them, as under an exact
    posterior, the expected coverage is ``level`` itself, for any number of draws and any ties.
    """
    below = (draws < truth - SAME).sum(axis=0)
    up_to = (draws <= truth + SAME).sum(axis=0) + 1
    return share_inside(below / (len(draws) + 1), up_to / (len(draws) + 1), level)


def share_inside(below: FloatArray, up_to: FloatArray, level: float) -> FloatArray:
    """The share of a value's mass inside the central interval: from P(X < t) and P(X <= t).

    >>> share_inside(np.array([0.0, 0.5, 0.93]), np.array([0.2, 0.6, 0.97]), 0.9).round(2)
    array([0.75, 1.  , 0.5 ])
    """
    tail = (1 - level) / 2
    inside = np.minimum(up_to, 1 - tail) - np.maximum(below, tail)
    return np.maximum(inside, 0) / (up_to - below)


def _width(draws: FloatArray, level: float) -> FloatArray:
    low, high = attained_interval(draws, level)  # a share of items takes few values
    return high - low
