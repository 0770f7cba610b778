"""Bandits: which arm is played; arms on the last axis, draws or runs before it."""

import numpy as np

from spotheight.types import BoolArray, FloatArray, IntArray


def best(worth: FloatArray, is_open: BoolArray) -> IntArray:
    """The open arm worth most; an exhausted one is passed over for the next best.

    >>> best(np.array([[3.0, 2, 1], [0, 1, 2]]), np.array([False, True, True]))
    array([1, 2])
    """
    return np.argmax(np.where(is_open, worth, -np.inf), axis=-1)


def several(worth: FloatArray, is_open: BoolArray, most: int) -> IntArray:
    """The ``most`` arms worth most, the best first, -1 where fewer are open.

    >>> several(np.array([3.0, 2, 1]), np.array([False, True, True]), 3)
    array([ 1,  2, -1])
    """
    masked = np.where(is_open, worth, -np.inf)
    order = np.argsort(-masked, axis=-1, kind="stable")[..., :most]
    return np.where(np.isinf(np.take_along_axis(masked, order, -1)), -1, order)


def top_two_chances(votes: FloatArray, first: float) -> FloatArray:
    """The chance of each arm under top-two Thompson sampling (Russo 2016).

    Args:
        votes: The probability of each arm to be the best of a draw.
        first: The chance to play that one; otherwise draws go on until another is the best.

    >>> top_two_chances(np.array([0.8, 0.2, 0.0]), 0.5)
    array([0.5, 0.5, 0. ])
    """
    others = 1 - votes
    odds = np.divide(votes, others, out=np.zeros_like(votes), where=others > 0)
    second = votes * (odds.sum() - odds)
    # One arm that is always the best has no second; it is played itself.
    return first * votes + (1 - first) * (second if second.sum() > 0 else votes)
