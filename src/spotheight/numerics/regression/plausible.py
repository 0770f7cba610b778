"""Importance-weighted points over hyperparameters: one best point would be too sure of itself."""

import numpy as np
from numpy.random import default_rng
from scipy.special import logsumexp, ndtri, softmax

from spotheight.numerics.regression.multilevel import ROUGHLY, Laplace, Problem, height, laplace
from spotheight.types import FloatArray

WIDER = 1.25
"""In deviations of the Gaussian: a scale that hardly matters has a long tail towards none."""


def normal_points(points: int, dimensions: int) -> FloatArray:
    """A Latin hypercube of a standard normal, (points, dimensions).

    Every coordinate is spread evenly over its normal, and the points are always the same.

    >>> np.sort(normal_points(4, 2), axis=0).round(2)
    array([[-1.15, -1.15],
           [-0.32, -0.32],
           [ 0.32,  0.32],
           [ 1.15,  1.15]])
    """
    rng = default_rng(0)
    ranks = np.array([rng.permutation(points) for _ in range(dimensions)])
    return ndtri((ranks.reshape(dimensions, points).T + 0.5) / points)


def plausible_fits(
    problem: Problem, mode: Laplace, information: FloatArray, points: int
) -> tuple[list[Laplace], FloatArray, float]:
    """Fits at plausible scales, their importance weights, and the log evidence of the model.

    Points through a Gaussian around the mode, weighted by the evidence over that Gaussian; weights
    are cut at one over the root of their number (Ionides 2008). Uncut, their mean is the evidence
    of the model, all scales together.
    """
    spread = WIDER * np.linalg.cholesky(np.linalg.inv(information))
    fits, heights = [], []
    for step in normal_points(points, len(mode.log_scale)):
        log_scale = mode.log_scale + spread @ step
        fit = laplace(problem, log_scale, mode, tolerance=ROUGHLY)
        fits.append(fit)
        heights.append(height(problem, fit) + step @ step / 2)
    lone = np.log(2 * np.pi) * len(spread) / 2 + np.log(np.diag(spread)).sum()
    evidence = float(logsumexp(heights) - np.log(points) + lone) + problem.log_prior_size()
    return fits, np.minimum(softmax(heights), points**-0.5), evidence
