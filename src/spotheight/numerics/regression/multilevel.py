"""Multilevel logistic regression by Laplace's method, with learned scales.

Rows have a sparse vector of columns and belong to a group; columns come in families. The weights of
family f are N(0, scale_f^2), the terms of groups N(0, scale_g^2). Group terms are eliminated
(Schur complement), so that their number does not matter, and the evidence integrates each of them
by quadrature. Scales share a half-t prior: each alone is half-t, and they have an overall level in
common that the rows teach.

H below is the negative Hessian after elimination; U the cross part, groups by columns; s the
diagonal of the group part. Breslow & Clayton 1993; Rasmussen & Williams 2006, section 3.4.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial.hermite import hermgauss
from scipy.linalg import cho_solve, cholesky, lapack
from scipy.special import expit, gammaln

from spotheight.numerics.regression.design import Design, Matrix, weighted_square
from spotheight.types import FloatArray, IntArray

FIXED_VARIANCE = np.pi**2
"""Of columns without a family, such as the intercept: that of the log odds under Jeffreys' prior.

A narrower one expects every service to be wrong now and then. One that hardly ever is would look
worse than it is where few labels are, which a policy that asks about doubtful items leaves so.
"""

FREEDOM = 2.0
"""Degrees of freedom of the half-t: heavy tails, for some pools are very uneven and some not."""

QUADRATURE_POINTS = 7
"""For each group's own term; at a scale of two its log integral is right to 3e-4."""

NEWTON_STEPS = 30
SHORTEST = 2.0**-40
"""Of a step: where an arm is as good as certain and hardly held, a full one is a million long."""

SCORING_STEPS = 40
SCALE_TOLERANCE = 1e-2
"""In log scale, of the last step: the points around the mode are spread far wider than that."""

SHORT = 0.3
"""In log scale: a longer move tells little about how fast the gradient falls near its end."""

NEARLY, ROUGHLY = 1e-4, 1e-2
"""In log evidence: what a search for scales need not tell apart, and what weights need not."""

NARROWEST, WIDEST = -5.0, 2.0
"""Log scales stay within these of their prior's scale: beyond, a family is absent, or wild."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Hits among trials in rows, with their columns and groups.

    Args:
        design: The columns, of which every one is touched by some row.
        hits: Hits of each row, fractions allowed.
        trials: Trials of each row.
        family: The family of each column, -1 for columns without a learned scale.
        prior_scale: Of each family's half-t prior, the groups' last.
        spread: By how much each group's term varies, in units of the groups' scale.
    """

    design: Design = field(repr=False)
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)
    family: IntArray = field(repr=False)
    prior_scale: FloatArray
    spread: FloatArray = field(repr=False)

    def variances(self, log_scale: FloatArray) -> FloatArray:
        """The prior variance of each column."""
        return variances_of(self.family, log_scale)

    def group_precision(self, log_scale: FloatArray) -> FloatArray:
        """One over the prior variance of each group's term."""
        return np.exp(-2 * log_scale[-1]) / self.spread**2

    def log_prior(self, log_scale: FloatArray) -> float:
        """The log density of the log scales, up to a constant: a multivariate half-t."""
        reach = _reach(log_scale, self.prior_scale)
        return float(log_scale.sum() - (FREEDOM + len(reach)) / 2 * np.log1p(reach.sum()))

    def log_prior_size(self) -> float:
        """The constant that ``log_prior`` lacks; only evidence against other models needs it."""
        scales, total = len(self.prior_scale), (FREEDOM + len(self.prior_scale)) / 2
        constant = gammaln(total) - gammaln(FREEDOM / 2) + scales * np.log(2)
        reach = scales * np.log(FREEDOM * np.pi) / 2 + np.log(self.prior_scale).sum()
        return float(constant - reach)

    def prior_scoring(self, log_scale: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gradient of the log prior, and minus its curvature."""
        reach = _reach(log_scale, self.prior_scale)
        reach /= 1 + reach.sum()
        times = FREEDOM + len(reach)
        return 1 - times * reach, 2 * times * (np.diag(reach) - np.outer(reach, reach))


def variances_of(family: IntArray, log_scale: FloatArray) -> FloatArray:
    """The prior variance of columns by their family, -1 for those without a learned scale."""
    learned = np.exp(2 * log_scale[np.maximum(family, 0)])
    return np.where(family >= 0, learned, FIXED_VARIANCE)


def _reach(log_scale: FloatArray, prior_scale: FloatArray) -> FloatArray:
    return np.exp(2 * log_scale) / (FREEDOM * prior_scale**2)


@dataclass(frozen=True, eq=False)
class Laplace:
    """Laplace approximation at given scales: the Gaussian that touches the posterior at its mode.

    Args:
        weight: The mode of the columns' weights.
        term: The mode of the groups' terms.
        factor: Lower Cholesky factor of H.
        cross: U, (groups, columns).
        pull: s, how firmly each group's term is held.
        square: The mean square of each group's term, given the weights at their mode.
    """

    log_scale: FloatArray
    weight: FloatArray = field(repr=False)
    term: FloatArray = field(repr=False)
    factor: FloatArray = field(repr=False)
    cross: Matrix = field(repr=False)
    pull: FloatArray = field(repr=False)
    square: FloatArray = field(repr=False)
    log_evidence: float

    def covariance(self) -> FloatArray:
        """Of the weights, the groups' terms integrated out."""
        if not len(self.factor):
            return self.factor
        inverse, _ = lapack.dpotri(self.factor, lower=1)
        return np.tril(inverse) + np.tril(inverse, -1).T


def laplace(
    problem: Problem, log_scale: FloatArray, start: Laplace | None = None, tolerance: float = 1e-9
) -> Laplace:
    """Laplace's method: Newton steps to the mode, halved where they go too far."""
    design = problem.design
    precision = 1 / problem.variances(log_scale)
    group_precision = problem.group_precision(log_scale)
    weight = np.zeros(len(precision)) if start is None else start.weight
    term = np.zeros(design.groups) if start is None else start.term
    value, eta = _objective(problem, weight, term, precision, group_precision)
    for _ in range(NEWTON_STEPS):
        chance = expit(eta)
        residual = problem.hits - problem.trials * chance
        factor, cross, pull = _reduced(problem, log_scale, curvature_of(problem, chance))
        slope_weight = design.pull_back(residual) - precision * weight
        slope_term = design.dropped(residual) - group_precision * term
        step = cho_solve((factor, True), slope_weight - cross.T @ (slope_term / pull))
        term_step = (slope_term - cross @ step) / pull
        reach = 1.0
        while True:
            moved = (weight + reach * step, term + reach * term_step)
            new_value, eta = _objective(problem, *moved, precision, group_precision)
            if new_value >= value - 1e-10 or reach < SHORTEST:
                break
            reach /= 2
        (weight, term), gain, value = moved, new_value - value, new_value
        if gain < tolerance:
            break
    spread = np.log(precision).sum() + np.log(group_precision).sum()
    determinant = 2 * np.log(np.diag(factor)).sum() + np.log(pull).sum() - spread
    excess, square = _integrals(problem, eta, term, pull, group_precision)
    evidence = float(value - 0.5 * determinant + excess.sum())
    return Laplace(log_scale, weight, term, factor, cross, pull, square, evidence)


def _integrals(
    problem: Problem, eta: FloatArray, term: FloatArray, pull: FloatArray, precision: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Over each group's term: what Laplace's method misses of the log integral; the mean square.

    A term of two or three labels is far from Gaussian, and there are many of them: by Laplace's
    method alone they would look smaller than they are (Breslow & Lin 1995). Given the weights they
    are independent, and a few points for each do better (adaptive Gauss-Hermite quadrature).
    """
    design = problem.design
    place, weight = hermgauss(QUADRATURE_POINTS)
    step = np.sqrt(2 / pull)[:, None] * place
    grown = np.logaddexp(0, eta[:, None] + design.lifted(step))
    grown = problem.trials[:, None] * (grown - np.logaddexp(0, eta)[:, None])
    value = term[:, None] + step
    rise = design.dropped(problem.hits)[:, None] * step - design.member @ grown
    rise -= precision[:, None] / 2 * (value**2 - term[:, None] ** 2)
    share = weight / np.sqrt(np.pi) * np.exp(place**2 + rise)
    total = share.sum(axis=1)
    return np.log(total), np.sum(share * value**2, axis=1) / total


def _objective(
    problem: Problem,
    weight: FloatArray,
    term: FloatArray,
    precision: FloatArray,
    group_precision: FloatArray,
) -> tuple[float, FloatArray]:
    """The log posterior of weights and terms up to a constant, and the linear predictor."""
    eta = problem.design.predict(weight) + problem.design.lifted(term)
    fit = problem.hits @ eta - problem.trials @ np.logaddexp(0, eta)
    penalty = precision @ weight**2 + group_precision @ term**2
    return float(fit - 0.5 * penalty), eta


def curvature_of(problem: Problem, chance: FloatArray) -> FloatArray:
    """Curvature: minus the second derivative of each row's log likelihood, kept above zero."""
    return np.maximum(problem.trials * chance * (1 - chance), 1e-10)


def _reduced(
    problem: Problem, log_scale: FloatArray, curvature: FloatArray
) -> tuple[FloatArray, Matrix, FloatArray]:
    """The Cholesky factor of H, U and s."""
    precision = problem.group_precision(log_scale)
    hessian, cross, pull = problem.design.reduced(curvature, precision)
    hessian[np.diag_indices_from(hessian)] += 1 / problem.variances(log_scale)
    factor = cholesky(hessian, lower=True, overwrite_a=True, check_finite=False)
    return factor, cross, pull


def scoring(problem: Problem, fit: Laplace) -> tuple[FloatArray, FloatArray]:
    """Gradient and Fisher information of the log scales, curvature held fixed.

    For a family with block C of the posterior covariance the gradient is
    (|w|^2 + tr C) / scale^2 - size, and the information between two families is
    2 |I - C / (scale scale')|^2, the identity only on the diagonal. The blocks of the groups are
    never written out: with P = U / s they are -P C, and 1/s + P C P'. In the groups' gradient
    term^2 + 1/s is the mean square by quadrature.
    """
    scale = np.exp(fit.log_scale)
    inside = (problem.family[:, None] == np.arange(len(scale))).astype(float)
    is_learned, inverse = inside.sum(axis=1), inside @ (1 / scale)
    covariance = fit.covariance()
    gradient = inside.T @ ((np.diag(covariance) + fit.weight**2) * inverse**2 - 1)
    scaled = covariance * np.outer(inverse, inverse)
    scaled[np.diag_indices_from(scaled)] -= is_learned
    information = inside.T @ scaled**2 @ inside
    variance = (scale[-1] * problem.spread) ** 2
    alone = 1 - 1 / fit.pull / variance
    across, own = _group_blocks(fit, covariance, variance, alone)
    gradient[-1] = np.sum(fit.square / variance - 1) + np.trace(across)
    column = np.sum(across * covariance, axis=0)
    information[-1] = information[:, -1] = inside.T @ (column * inverse**2)
    information[-1, -1] = alone @ alone - 2 * own + np.sum(across * across.T)
    prior_gradient, prior_information = problem.prior_scoring(fit.log_scale)
    return gradient + prior_gradient, 2 * information + prior_information


def _group_blocks(
    fit: Laplace, covariance: FloatArray, variance: FloatArray, alone: FloatArray
) -> tuple[FloatArray, float]:
    """P' P C, and the diagonal of P C P' added up by ``alone``, in units of the variances.

    Of products of groups with columns only squares are taken: traces say the rest.
    """
    unit = 1 / (fit.pull**2 * variance)
    across = weighted_square(fit.cross, unit) @ covariance
    return across, float(np.sum(weighted_square(fit.cross, unit * alone) * covariance))


def fit_scales(problem: Problem, start: FloatArray | None = None) -> tuple[Laplace, FloatArray]:
    """The mode of the scales by Fisher scoring, and the information there.

    ``start`` may hold the log scales of a fit to nearly the same rows.
    """
    log_scale = first_scales(problem) if start is None else start
    fit = search_scales(problem, laplace(problem, log_scale, tolerance=NEARLY))
    fit = laplace(problem, fit.log_scale, fit)
    return fit, scoring(problem, fit)[1]


def first_scales(problem: Problem) -> FloatArray:
    """Log scales to begin at where nothing is known of them."""
    return np.log(0.7 * problem.prior_scale)


def height(problem: Problem, fit: Laplace) -> float:
    """The log posterior of a fit's scales, up to a constant."""
    return fit.log_evidence + problem.log_prior(fit.log_scale)


def search_scales(problem: Problem, fit: Laplace, shortest: float = 0.0) -> Laplace:
    """Fisher scoring: a fit near the mode of the scales, from one nearby.

    ``shortest`` is how short a step in log scale is no longer worth a try.
    """
    value = height(problem, fit)
    gradient, information = scoring(problem, fit)
    moves: list[Move] = []
    for _ in range(SCORING_STEPS):
        step = np.clip(np.linalg.solve(_corrected(information, moves), gradient), -1, 1)
        here, slope = fit.log_scale, gradient
        fit, value, moved = _scoring_step(problem, fit, value, step, shortest)
        if moved < SCALE_TOLERANCE:
            break
        gradient, information = scoring(problem, fit)
        if moved <= SHORT:
            moves.append((fit.log_scale - here, slope - gradient))
    return fit


Move = tuple[FloatArray, FloatArray]
"""How far the log scales went, and by how much the gradient fell on the way."""


def _corrected(information: FloatArray, moves: list[Move]) -> FloatArray:
    """The information, set right along moves by how fast the gradient fell there.

    With curvature held fixed it is too low where rows say little about a scale: steps overshoot,
    and the search swings about its end. Nocedal & Wright 2006, equation 6.19.
    """
    for move, fall in moves:
        if move @ fall > 0:
            told = information @ move
            is_now = np.outer(told, told) / (move @ told)
            information = information - is_now + np.outer(fall, fall) / (move @ fall)
    return information


def _scoring_step(
    problem: Problem, fit: Laplace, value: float, step: FloatArray, shortest: float
) -> tuple[Laplace, float, float]:
    """Go along a step as far as the evidence does not fall."""
    centre = np.log(problem.prior_scale)
    for _ in range(8):
        if np.abs(step).max() < shortest:
            break
        log_scale = np.clip(fit.log_scale + step, centre + NARROWEST, centre + WIDEST)
        moved = laplace(problem, log_scale, fit, tolerance=NEARLY)
        new_value = height(problem, moved)
        if new_value >= value - NEARLY:
            return moved, new_value, float(np.abs(log_scale - fit.log_scale).max())
        step = step / 2
    # The gradient leaves out how curvature moves with the scales; at its end it may point down.
    return fit, value, 0.0
