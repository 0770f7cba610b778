"""Skewed marginals, where Laplace's Gaussian is too wide on the side that labels bound.

A posterior of chances leans, and the likelihood bounds it on one side. Laplace's method gives a
Gaussian around the mode. Two things are set right here. Its centre: the
mean of a posterior of chances lies away from the mode. And the shape of the predictor of every
group that has labels: with all else that is known of it taken for a Gaussian (the cavity), times
the likelihood of its own labels as it is. Thirteen hits of thirteen leave a group little chance to
be bad, however wide its prior is; the Gaussian, flat where the likelihood is, would not know.
Joint draws keep the Gaussian's ranks and take on these shapes. Rue, Martino & Chopin 2009, section
3.2; Cseke & Heskes 2011.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.special import expit, ndtr

from spotheight.numerics.regression.design import dense
from spotheight.numerics.regression.multilevel import Laplace, Problem, curvature_of
from spotheight.types import BoolArray, FloatArray, NarrowArray

REACH = 8.0
PLACES = 97
"""Points from -8 to 8 deviations of the Gaussian, where a group's density is reckoned."""

RANKS = np.linspace(-4, 4, 65)
"""Ranks of draws, as deviations of a normal, whose places are kept; in between they are lines."""

IN_DOUBT = 1e-6
"""Of rows, added up over a group: with more, its predictor stays as the Gaussian has it."""

FIRMEST = 1e-3
"""What others say of a group is worth at least this part of what is known of it altogether."""


@dataclass(frozen=True, eq=False)
class Skewed:
    """Posterior marginals: a fit around its mean, and the shape of every group's predictor.

    Args:
        fit: The Gaussian: weights and terms at their mean, covariance as at the mode.
        flat: The curvature of each group's likelihood.
        deviation: Of each group's predictor under the Gaussian.
        places: (groups, ranks): where the predictor truly lies at these ranks, from its mean.
    """

    fit: Laplace = field(repr=False)
    flat: FloatArray = field(repr=False)
    deviation: FloatArray = field(repr=False)
    places: FloatArray = field(repr=False)

    @classmethod
    def of(cls, problem: Problem, mode: Laplace) -> "Skewed":
        """From the Gaussian at the mode."""
        design, eta = problem.design, _predictor(problem, mode)
        curvature = curvature_of(problem, expit(eta))
        flat = design.gather(curvature)
        white = _white(problem, mode)
        lean = _lean(problem, mode, eta, white)
        fit = _moved(problem, mode, lean)
        shared = design.member @ (curvature * white).T / flat[:, None]
        variance = np.einsum("gc,gc->g", shared, shared) + 1 / mode.pull
        leaned = mode.cross @ (fit.weight - mode.weight) / flat + fit.term - mode.term
        others = leaned / variance - design.gather(lean)
        places = _places(problem, eta, variance, flat, others) - leaned[:, None]
        deviation = np.sqrt(variance)
        places = np.where(_is_told(problem)[:, None], places, deviation[:, None] * RANKS)
        return cls(fit, flat, deviation, places)

    def bend(self, moved: FloatArray, term: FloatArray) -> FloatArray:
        """Draws of the groups' terms, bent until their predictors have the right shape.

        ``moved`` has draws of the weights, from their mean; ``term`` those of the terms.
        """
        away = self.fit.cross @ moved / self.flat[:, None] + term - self.fit.term[:, None]
        rank = (away / self.deviation[:, None] - RANKS[0]) / (RANKS[1] - RANKS[0])
        below = np.clip(rank.astype(np.int64), 0, len(RANKS) - 2)
        part = rank - below
        low = np.take_along_axis(self.places, below, axis=1)
        high = np.take_along_axis(self.places, below + 1, axis=1)
        return term + (low + part * (high - low)) - away


def centred(problem: Problem, mode: Laplace) -> Laplace:
    """The Gaussian around the posterior's mean, for those who ask for weights alone."""
    eta = _predictor(problem, mode)
    return _moved(problem, mode, _lean(problem, mode, eta, _white(problem, mode)))


def _predictor(problem: Problem, fit: Laplace) -> FloatArray:
    return problem.design.predict(fit.weight) + problem.design.lifted(fit.term)


def _is_told(problem: Problem) -> BoolArray:
    """Whether a group's rows lie in it for sure; those in doubt speak of other groups as well."""
    share = problem.design.lifted(np.ones(problem.design.groups))
    return problem.design.gather(1 - share) < IN_DOUBT


def _white(problem: Problem, fit: Laplace) -> NarrowArray:
    """(columns, rows): the rows where the covariance of the weights is one, terms taken out."""
    free = problem.design.rows() - problem.design.lifted(dense(fit.cross) / fit.pull[:, None])
    # A correction needs few digits, and half of them take half the time.
    factor, right = fit.factor.astype(np.float32), free.T.astype(np.float32)
    white = solve_triangular(factor, right, lower=True, check_finite=False)
    return np.asarray(white, dtype=np.float32)


def _lean(problem: Problem, fit: Laplace, eta: FloatArray, white: NarrowArray) -> FloatArray:
    """How hard each row pulls the posterior's mean away from its mode.

    With third derivative d of its likelihood and v the variance of its predictor: dv/2.
    """
    variance = np.einsum("cr,cr->r", white, white) + problem.design.lifted_variance(1 / fit.pull)
    chance = expit(eta)
    return -0.5 * problem.trials * chance * (1 - chance) * (1 - 2 * chance) * variance


def _moved(problem: Problem, fit: Laplace, lean: FloatArray) -> Laplace:
    """Where these pulls take the mean: to first order a Newton step."""
    by_group = problem.design.dropped(lean)
    slope = problem.design.pull_back(lean) - fit.cross.T @ (by_group / fit.pull)
    step = cho_solve((fit.factor, True), slope)
    term = fit.term + (by_group - fit.cross @ step) / fit.pull
    return replace(fit, weight=fit.weight + step, term=term)


def _places(
    problem: Problem, eta: FloatArray, variance: FloatArray, flat: FloatArray, others: FloatArray
) -> FloatArray:
    """(groups, ranks): where each group's predictor lies at these ranks, from its mode."""
    design = problem.design
    firm = np.maximum(1 / variance - flat, FIRMEST / variance)
    gradient = design.gather(problem.hits - problem.trials * expit(eta)) - others
    step = np.sqrt(variance)[:, None] * np.linspace(-REACH, REACH, PLACES)
    grown = np.logaddexp(0, eta[:, None] + step[design.group]) - np.logaddexp(0, eta)[:, None]
    height = design.gather(problem.hits)[:, None] * step
    height -= design.member @ (problem.trials[:, None] * grown)
    height -= gradient[:, None] * step + firm[:, None] / 2 * step**2
    density = np.exp(height - height.max(axis=1, keepdims=True))
    return _quantiles(step, density)


def _quantiles(at: FloatArray, density: FloatArray) -> FloatArray:
    """At the normal ranks; ``at`` is evenly spaced in every row."""
    middle = (density[:, 1:] + density[:, :-1]) / 2
    below = np.concatenate([np.zeros((len(at), 1)), np.cumsum(middle, axis=1)], axis=1)
    below /= below[:, -1:]
    # All rows in one sorted line, each in a stretch of its own.
    row = 2.0 * np.arange(len(at))[:, None]
    line, asked = (row + below).ravel(), row + ndtr(RANKS)
    if not len(line):
        return asked
    return np.interp(asked.ravel(), line, at.ravel()).reshape(asked.shape)
