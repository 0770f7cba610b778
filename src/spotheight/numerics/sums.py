"""Sums and counts by group."""

import numpy as np
from numpy.typing import ArrayLike

from spotheight.types import FloatArray, IntArray


def sum_by(group: IntArray, values: ArrayLike, groups: int) -> FloatArray:
    """Group sums: the sum of ``values`` in each of ``groups`` groups.

    >>> sum_by(np.array([0, 2, 0]), [1, 2, 3], 3)
    array([4., 0., 2.])
    """
    total = np.bincount(group, weights=np.asarray(values, dtype=float), minlength=groups)
    return np.asarray(total, dtype=float)


def turns(group: IntArray) -> IntArray:
    """Rank within its group: how many of the group come before each.

    >>> turns(np.array([5, 7, 5, 5]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(group, kind="stable")
    ordered, place = group[order], np.arange(len(order))
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(order)]
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = place - np.maximum.accumulate(np.where(is_first, place, 0))
    return turn
