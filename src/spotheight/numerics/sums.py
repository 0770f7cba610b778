"""Adding up by group."""

import numpy as np
from numpy.typing import ArrayLike

from spotheight.types import FloatArray, IntArray


def sum_by(group: IntArray, values: ArrayLike, groups: int) -> FloatArray:
    """The sum of ``values`` in each of ``groups`` groups.

    >>> sum_by(np.array([0, 2, 0]), [1, 2, 3], 3)
    array([4., 0., 2.])
    """
    total = np.bincount(group, weights=np.asarray(values, dtype=float), minlength=groups)
    return np.asarray(total, dtype=float)
