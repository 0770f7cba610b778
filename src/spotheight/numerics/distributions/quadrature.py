"""Gauss-Hermite quadrature: means over standard normals."""

from functools import cache

import numpy as np

from spotheight.types import FloatArray


@cache
def normal_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of a standard normal: exact for polynomials up to degree 2 count - 1.

    >>> nodes, weights = normal_nodes(5)
    >>> round(float(weights @ nodes**4), 12)  # the fourth moment is 3
    3.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()
