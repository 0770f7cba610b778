"""Multilevel logistic regression by Laplace's method, with learned scales.

Rows have a sparse vector of columns and belong to a group; columns come in families. The weights of
family f are N(0, scale_f^2), the terms of groups N(0, scale_g^2). Group terms are eliminated
(Schur complement), so that their number does not matter. Scales have half-normal priors.

H below is the negative Hessian after elimination; U the cross part, groups by columns; s the
diagonal of the group part. Breslow & Clayton 1993; Rasmussen & Williams 2006, section 3.4.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_solve, cholesky, lapack
from scipy.special import expit

from spotheight.types import BoolArray, FloatArray, IntArray

FIXED_VARIANCE = 4.0
"""Of columns without a family, such as the intercept: plus or minus 4 on the logit scale."""

NEWTON_STEPS = 30
SCORING_STEPS = 40
SCALE_TOLERANCE = 1e-4
"""In log scale: a ten-thousandth of a scale moves no estimate that anyone could notice."""

NARROWEST, WIDEST = -5.0, 2.0
"""Log scales stay within these of their prior's scale: beyond, a family is absent, or wild."""

Sparse = Any
"""A scipy sparse matrix: scipy's stubs do not cover what is used here."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Hits among trials in rows, with their columns and groups.

    Args:
        columns: (rows, columns), sparse.
        group: The group of each row.
        hits: Hits of each row, fractions allowed.
        trials: Trials of each row.
        family: The family of each column, -1 for columns without a learned scale.
        prior_scale: Of each family's half-normal prior, the groups' last.
    """

    columns: Sparse = field(repr=False)
    group: IntArray = field(repr=False)
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)
    family: IntArray = field(repr=False)
    prior_scale: FloatArray

    @property
    def groups(self) -> int:
        """How many groups have rows."""
        return int(self.group.max()) + 1 if len(self.group) else 0

    def variances(self, log_scale: FloatArray) -> FloatArray:
        """The prior variance of each column."""
        learned = np.exp(2 * log_scale[np.maximum(self.family, 0)])
        return np.where(self.family >= 0, learned, FIXED_VARIANCE)

    def is_touched(self) -> BoolArray:
        """Which columns some row has."""
        return np.asarray(abs(self.columns).sum(axis=0)).ravel() > 0

    def log_prior(self, log_scale: FloatArray) -> float:
        """The log density of the log scales, up to a constant."""
        return float(np.sum(log_scale - 0.5 * np.exp(2 * log_scale) / self.prior_scale**2))


@dataclass(frozen=True, eq=False)
class Laplace:
    """The Gaussian that touches the posterior at its mode, at given scales.

    Args:
        log_scale: The scales.
        weight: The mode of the columns' weights.
        term: The mode of the groups' terms.
        factor: Lower Cholesky factor of H.
        cross: U, (groups, columns), sparse.
        pull: s, how firmly each group's term is held.
        log_evidence: The log evidence of the scales by Laplace's method.
    """

    log_scale: FloatArray
    weight: FloatArray = field(repr=False)
    term: FloatArray = field(repr=False)
    factor: FloatArray = field(repr=False)
    cross: Sparse = field(repr=False)
    pull: FloatArray = field(repr=False)
    log_evidence: float

    def covariance(self) -> FloatArray:
        """Of the weights, the groups' terms integrated out."""
        inverse, _ = lapack.dpotri(self.factor, lower=1)
        lower = np.tril_indices(len(inverse), -1)
        inverse.T[lower] = inverse[lower]
        return inverse


def laplace(
    problem: Problem, log_scale: FloatArray, start: Laplace | None = None, tolerance: float = 1e-9
) -> Laplace:
    """Newton's method for the mode, halving steps that go too far."""
    precision = 1 / problem.variances(log_scale)
    group_precision = float(np.exp(-2 * log_scale[-1]))
    weight = np.zeros(len(precision)) if start is None else start.weight
    term = np.zeros(problem.groups) if start is None else start.term
    member = sparse.csr_matrix(
        (np.ones(len(problem.group)), (problem.group, np.arange(len(problem.group)))),
        shape=(problem.groups, len(problem.group)),
    )
    value, eta = _objective(problem, weight, term, precision, group_precision)
    for _ in range(NEWTON_STEPS):
        chance = expit(eta)
        curvature = np.maximum(problem.trials * chance * (1 - chance), 1e-10)
        residual = problem.hits - problem.trials * chance
        pull = member @ curvature + group_precision
        weighted = problem.columns.multiply(curvature[:, None]).tocsr()
        cross = (member @ weighted).tocsr()
        factor = _factor(problem.columns, weighted, cross, pull, precision)
        slope_weight = problem.columns.T @ residual - precision * weight
        slope_term = member @ residual - group_precision * term
        step = cho_solve((factor, True), slope_weight - cross.T @ (slope_term / pull))
        term_step = (slope_term - cross @ step) / pull
        reach = 1.0
        while True:
            moved = (weight + reach * step, term + reach * term_step)
            new_value, eta = _objective(problem, *moved, precision, group_precision)
            if new_value >= value - 1e-10 or reach < 1e-3:
                break
            reach /= 2
        (weight, term), gain, value = moved, new_value - value, new_value
        if gain < tolerance:
            break
    spread = np.log(precision).sum() + problem.groups * np.log(group_precision)
    determinant = 2 * np.log(np.diag(factor)).sum() + np.log(pull).sum() - spread
    evidence = float(value - 0.5 * determinant)
    return Laplace(log_scale, weight, term, factor, cross, pull, evidence)


def _objective(
    problem: Problem,
    weight: FloatArray,
    term: FloatArray,
    precision: FloatArray,
    group_precision: float,
) -> tuple[float, FloatArray]:
    """The log posterior of weights and terms up to a constant, and the linear predictor."""
    eta = problem.columns @ weight + term[problem.group]
    fit = problem.hits @ eta - problem.trials @ np.logaddexp(0, eta)
    penalty = precision @ weight**2 + group_precision * (term @ term)
    return float(fit - 0.5 * penalty), eta


def _factor(
    columns: Sparse, weighted: Sparse, cross: Sparse, pull: FloatArray, precision: FloatArray
) -> FloatArray:
    """The Cholesky factor of H."""
    reduced = columns.T @ weighted - cross.T.multiply(1 / pull) @ cross
    hessian = reduced.toarray()
    hessian[np.diag_indices_from(hessian)] += precision
    return cholesky(hessian, lower=True, overwrite_a=True, check_finite=False)


def scoring(problem: Problem, fit: Laplace) -> tuple[FloatArray, FloatArray]:
    """Gradient and Fisher information of the log scales, curvature held fixed.

    For a family with block C of the posterior covariance the gradient is
    (|w|^2 + tr C) / scale^2 - size, and the information between two families is
    2 |I - C / (scale scale')|^2, the identity only on the diagonal.
    """
    scale = np.exp(fit.log_scale)
    touched = problem.is_touched()
    whole = _joint_covariance(fit)
    mode = np.concatenate([fit.weight, fit.term])
    family = np.where(touched, problem.family, -1)
    label = np.concatenate([family, np.full(problem.groups, len(scale) - 1)])
    learned = np.flatnonzero(label >= 0)
    label = label[learned]
    scaled = whole[np.ix_(learned, learned)] / np.outer(scale[label], scale[label])
    spread = np.diag(scaled) + (mode[learned] / scale[label]) ** 2 - 1
    gradient = np.bincount(label, weights=spread, minlength=len(scale))
    scaled[np.diag_indices_from(scaled)] -= 1
    one_hot = sparse.csr_matrix(
        (np.ones(len(label)), (label, np.arange(len(label)))), shape=(len(scale), len(label))
    )
    information = 2 * (one_hot @ (one_hot @ scaled**2).T)
    shrink = scale**2 / problem.prior_scale**2
    return gradient + 1 - shrink, np.asarray(information) + np.diag(2 * shrink)


def _joint_covariance(fit: Laplace) -> FloatArray:
    """Of weights and group terms together."""
    covariance = fit.covariance()
    size, groups = len(covariance), len(fit.pull)
    joint = np.empty((size + groups, size + groups))
    pulled = fit.cross.multiply(1 / fit.pull[:, None]).tocsr()
    across = -(pulled @ covariance)
    joint[:size, :size] = covariance
    joint[size:, :size] = across
    joint[:size, size:] = across.T
    joint[size:, size:] = -(pulled @ across.T)
    joint[range(size, size + groups), range(size, size + groups)] += 1 / fit.pull
    return joint


def fit_scales(problem: Problem) -> tuple[Laplace, FloatArray]:
    """The mode of the scales by Fisher scoring, and the information there."""
    log_scale = np.log(0.7 * problem.prior_scale)
    fit = laplace(problem, log_scale, tolerance=1e-4)
    value = fit.log_evidence + problem.log_prior(log_scale)
    for _ in range(SCORING_STEPS):
        gradient, information = scoring(problem, fit)
        step = np.clip(np.linalg.solve(information, gradient), -1, 1)
        fit, value, moved = _scoring_step(problem, fit, value, step)
        if moved < SCALE_TOLERANCE:
            break
    fit = laplace(problem, fit.log_scale, fit)
    return fit, scoring(problem, fit)[1]


def _scoring_step(
    problem: Problem, fit: Laplace, value: float, step: FloatArray
) -> tuple[Laplace, float, float]:
    """Go along a step as far as the evidence does not fall."""
    centre = np.log(problem.prior_scale)
    for _ in range(8):
        log_scale = np.clip(fit.log_scale + step, centre + NARROWEST, centre + WIDEST)
        moved = laplace(problem, log_scale, fit, tolerance=1e-6)
        new_value = moved.log_evidence + problem.log_prior(log_scale)
        if new_value >= value - 1e-6:
            return moved, new_value, float(np.abs(log_scale - fit.log_scale).max())
        step = step / 2
    # The gradient leaves out how curvature moves with the scales; at its end it may point down.
    return fit, value, 0.0
