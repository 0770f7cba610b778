"""Mid-ranks."""

import numpy as np

from spotheight.types import FloatArray


def mid_ranks(values: FloatArray) -> FloatArray:
    """Mid-ranks as shares of the known values, ties in the middle of their places; NaN stays.

    >>> mid_ranks(np.array([3.0, 1.0, 3.0, np.nan, 2.0]))
    array([0.75 , 0.125, 0.75 ,   nan, 0.375])
    """
    known = ~np.isnan(values)
    _, place, count = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = np.full(len(values), np.nan)
    ranks[known] = ((np.cumsum(count) - count / 2) / max(1, known.sum()))[place]
    return ranks
