"""Rows that lie in one of several places: against the mixture itself, written out."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from spotheight.numerics.regression.composite import CompositeDesign, slopes
from spotheight.numerics.regression.multilevel import Problem, laplace

ARMS, KINDS = 4, 40
RNG = np.random.default_rng(5)
CHANCES = np.where(RNG.random((KINDS, ARMS)) < 0.7, RNG.dirichlet(np.ones(ARMS), KINDS), 0)
CHANCES = np.vstack([CHANCES[CHANCES.sum(axis=1) > 0], np.eye(ARMS)])
CHANCES /= CHANCES.sum(axis=1, keepdims=True)
TRIALS = RNG.integers(1, 12, len(CHANCES)).astype(float)
HITS = RNG.binomial(TRIALS.astype(int), CHANCES @ [0.2, 0.5, 0.8, 0.95]).astype(float)
BELONGS = sparse.csr_matrix(CHANCES)
SCALE = np.log([1.3, 0.5])


def problem_at(eta: np.ndarray) -> Problem:
    """A weight an arm, no terms of groups."""
    slope, level = slopes(BELONGS, eta[BELONGS.indices])
    own, rows = slope.toarray(), len(CHANCES)
    none = np.zeros((1, 0))
    design = CompositeDesign(
        none, own, none, np.zeros(rows), np.zeros(rows, dtype=int),
        offset=level - own @ eta, share=np.zeros(rows),
    )  # fmt: skip
    return Problem(design, HITS, TRIALS, np.zeros(ARMS, dtype=int), np.ones(2), np.ones(1))


def minus_log_posterior(eta: np.ndarray) -> float:
    chance = CHANCES @ expit(eta)
    fit = HITS @ np.log(chance) + (TRIALS - HITS) @ np.log1p(-chance)
    return float(eta @ eta / (2 * np.exp(2 * SCALE[0])) - fit)


def at_rest() -> tuple[Problem, np.ndarray, np.ndarray]:
    eta = np.zeros(ARMS)
    for _ in range(60):
        problem = problem_at(eta)
        fit = laplace(problem, SCALE)
        eta = fit.weight
    return problem, eta, fit.covariance()


def test_slopes_are_those_of_the_mixture():
    eta, step = RNG.normal(size=ARMS), 1e-6
    slope, level = slopes(BELONGS, eta[BELONGS.indices])
    np.testing.assert_allclose(expit(level), CHANCES @ expit(eta), rtol=1e-12)
    for arm, unit in enumerate(np.eye(ARMS)):
        up, down = (slopes(BELONGS, (eta + s * step * unit)[BELONGS.indices])[1] for s in (1, -1))
        np.testing.assert_allclose(slope.toarray()[:, arm], (up - down) / (2 * step), atol=1e-7)


def test_going_on_ends_at_the_mode_of_the_mixture_with_its_expected_information():
    _, eta, covariance = at_rest()
    found = minimize(minus_log_posterior, np.zeros(ARMS), tol=1e-12)
    np.testing.assert_allclose(eta, found.x, atol=1e-4)
    chance, heat = CHANCES @ expit(eta), expit(eta) * expit(-eta)
    lever = CHANCES * heat
    information = lever.T @ (lever * (TRIALS / (chance * (1 - chance)))[:, None])
    expected = np.linalg.inv(information + np.eye(ARMS) * np.exp(-2 * SCALE[0]))
    np.testing.assert_allclose(covariance, expected, rtol=1e-3, atol=1e-6)


def test_places_that_are_never_told_apart_keep_their_difference_open():
    """All is said of their mean, nothing of their difference, however many labels there are."""
    slope, level = slopes(sparse.csr_matrix([[0.5, 0.5]]), np.zeros(2))
    none = np.zeros((1, 0))
    design = CompositeDesign(
        none, slope.toarray(), none, np.zeros(1), np.zeros(1, dtype=int), offset=level,
        share=np.zeros(1),
    )  # fmt: skip
    many = np.array([1e6])
    problem = Problem(design, many / 2, many, np.zeros(2, dtype=int), np.ones(2), np.ones(1))
    covariance = laplace(problem, np.zeros(2)).covariance()
    assert np.array([1, -1]) @ covariance @ [1, -1] == pytest.approx(2)
    assert np.array([0.5, 0.5]) @ covariance @ [0.5, 0.5] == pytest.approx(4 / 1e6, rel=1e-4)


def test_shares_of_a_term_count_in_every_sum():
    """Against a plain design whose columns hold the groups' terms as weights."""
    rows, groups = 30, 5
    own, group = RNG.normal(size=(rows, 2)), np.arange(rows) % groups
    share, offset = RNG.uniform(0.1, 1, rows), RNG.normal(size=rows) * 0.3
    none, trials = np.zeros((groups, 0)), np.full(rows, 6.0)
    hits = RNG.binomial(6, 0.6, rows).astype(float)
    design = CompositeDesign(none, own, none, np.zeros(rows), group, offset=offset, share=share)
    family, scale = np.zeros(2, dtype=int), np.log([0.8, 1.1])
    fit = laplace(Problem(design, hits, trials, family, np.ones(2), np.ones(groups)), scale)

    def value(x: np.ndarray) -> float:
        eta = offset + own @ x[:2] + share * x[2:][group]
        penalty = x[:2] @ x[:2] / 0.8**2 + x[2:] @ x[2:] / 1.1**2
        return float(penalty / 2 - hits @ eta + trials @ np.logaddexp(0, eta))

    found = minimize(value, np.zeros(2 + groups), tol=1e-12)
    np.testing.assert_allclose(np.concatenate([fit.weight, fit.term]), found.x, atol=1e-4)
    eta = offset + own @ fit.weight + design.lifted(fit.term)
    heat = 6 * expit(eta) * expit(-eta)
    whole = np.hstack([own, share[:, None] * np.eye(groups)[group]])
    precision = np.diag([0.8**-2] * 2 + [1.1**-2] * groups)
    inverse = np.linalg.inv(whole.T @ (whole * heat[:, None]) + precision)
    np.testing.assert_allclose(fit.covariance(), inverse[:2, :2], rtol=1e-4, atol=1e-8)
