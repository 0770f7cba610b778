"""Random-walk basis: smooth functions on a line, as a few columns with standard normal weights."""

import numpy as np

from spotheight.types import FloatArray

KEPT_VARIANCE = 0.995
"""Columns that together carry less of the variance than the rest of this are left out."""


def smooth_basis(position: FloatArray, weight: FloatArray, most: int) -> FloatArray:
    """Columns whose standard normal combination is a centred random walk over the positions.

    The walk has mean zero and variance one on average over ``weight``. A random walk is the
    smoothest prior that does not presume a shape.

    >>> smooth_basis(np.array([0.0, 1, 2]), np.ones(3), 8).shape
    (3, 2)
    """
    share = weight / weight.sum()
    centring = np.eye(len(position)) - share
    walk = centring @ (-np.abs(position[:, None] - position) / 2) @ centring.T
    walk /= max(float(share @ np.diag(walk)), 1e-12)
    values, vectors = np.linalg.eigh(walk)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    carried = np.cumsum(values) / max(values.sum(), 1e-300)
    kept = min(most, int(np.searchsorted(carried, KEPT_VARIANCE)) + 1)
    return vectors[:, :kept] * np.sqrt(values[:kept])
