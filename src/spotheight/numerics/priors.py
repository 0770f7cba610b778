"""Learning a Beta prior from many groups at once, with its uncertainty."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from spotheight.numerics import beta
from spotheight.types import FloatArray

STRENGTH_CENTRE, STRENGTH_SPREAD = np.log(4.0), 1.5
"""A weak belief that groups differ: a prior worth 4 labels, give or take a factor of 4.5."""

_BOUNDS = ((-7.0, 7.0), (-4.0, 9.0))
"""Of (logit of the mean, log of the strength): beyond them a Beta is a point or a coin."""

_STEPS = np.linspace(-2.7, 2.7, 7)
"""In standard deviations; seven a side integrate a bell to a thousandth."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedPrior:
    """Pseudo-counts at a few plausible points, with the probability of each point."""

    hits: FloatArray
    misses: FloatArray
    weight: FloatArray


def learn_prior(hits: FloatArray, trials: FloatArray) -> LearnedPrior:
    """What many groups' hits say about the prior they share.

    A grid around the mode of the beta-binomial evidence, weighted by it. Plugging the mode in
    instead would leave out that all groups move together, and an average over groups would look
    far surer than it is.
    """
    tried = trials > 0
    pairs, times = np.unique(
        np.column_stack([hits[tried], trials[tried]]), axis=0, return_counts=True
    )
    groups = (pairs[:, 0], pairs[:, 1] - pairs[:, 0], times.astype(float))
    points = _grid(groups)
    log_weight = np.array([-_loss(point, groups) for point in points])
    weight = np.exp(log_weight - log_weight.max())
    kept = weight > 1e-4
    strength = np.exp(points[kept, 1])
    centre = expit(points[kept, 0])
    return LearnedPrior(
        centre * strength, (1 - centre) * strength, weight[kept] / weight[kept].sum()
    )


Groups = tuple[FloatArray, FloatArray, FloatArray]


def _grid(groups: Groups) -> FloatArray:
    """Points along the axes of the bell at the mode, inside the bounds."""
    hits, misses, times = groups
    total = float(times @ (hits + misses))
    start = np.array([logit((float(times @ hits) + 0.5) / (total + 1)), STRENGTH_CENTRE])
    low, high = np.transpose(_BOUNDS)
    start = np.clip(start, low, high)
    mode = minimize(_loss, start, args=(groups,), method="L-BFGS-B", bounds=_BOUNDS).x
    values, axes = np.linalg.eigh(_curvature(mode, groups))
    spread = axes / np.sqrt(np.maximum(values, 0.05))
    steps = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2)
    points = mode + steps @ spread.T
    return points[((points >= low) & (points <= high)).all(axis=1)]


def _curvature(at: FloatArray, groups: Groups, step: float = 0.02) -> FloatArray:
    """Second differences of the loss."""
    axes = step * np.eye(2)

    def loss(point: FloatArray) -> float:
        return _loss(point, groups)

    return np.array(
        [
            [
                (loss(at + e + f) - loss(at + e - f) - loss(at - e + f) + loss(at - e - f))
                / (4 * step**2)
                for f in axes
            ]
            for e in axes
        ]
    )


def _loss(at: FloatArray, groups: Groups) -> float:
    """Minus the log posterior density of (logit of the mean, log of the strength)."""
    hits, misses, times = groups
    centre, strength = expit(at[0]), np.exp(at[1])
    evidence = beta.log_evidence(hits, misses, centre * strength, (1 - centre) * strength)
    pull = 0.5 * ((at[1] - STRENGTH_CENTRE) / STRENGTH_SPREAD) ** 2
    # Uniform on the mean itself: the logit's density is mean * (1 - mean).
    flat = np.log(centre) + np.log1p(-centre)
    return float(pull - times @ evidence - flat)
