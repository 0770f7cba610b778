"""Central credible intervals of draws, which leave as much below as above."""

import numpy as np

from spotheight.types import FloatArray


def central_interval(
    draws: FloatArray, level: float, axis: int = 0
) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper end that hold ``level`` of the draws along an axis.

    >>> central_interval(np.array([[0.0], [1.0], [2.0]]), 0.5)
    (array([0.5]), array([1.5]))
    """
    low, high = np.quantile(draws, _shares(level), axis=axis)
    return low, high


def attained_interval(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The same along the first axis for numbers that take few values: each end is a draw.

    >>> attained_interval(np.array([[0.0], [1.0], [2.0]]), 0.5)
    (array([0.]), array([2.]))
    """
    low, high = np.quantile(draws, _shares(level), axis=0, method="inverted_cdf")
    return low, high


def _shares(level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    return tail, 1 - tail
