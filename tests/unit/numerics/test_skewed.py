"""The shape of groups' predictors against quadrature and explicit linear algebra."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit, log_expit
from scipy.stats import norm

from spotheight.numerics.distributions.skewed import RANKS, Skewed
from spotheight.numerics.regression.design import Design
from spotheight.numerics.regression.multilevel import FIXED_VARIANCE, Problem, laplace

DRAWS = 40_000
TAILS = np.array([0.05, 0.5, 0.95])


def problem(hits, trials, prior_scale=(1.0,), family=-1) -> Problem:
    """One row a group, an intercept, and the groups' own terms."""
    groups = len(hits)
    none = np.zeros((groups, 0))
    design = Design(np.ones((groups, 1)), none, none, np.zeros(groups), np.arange(groups))
    made = (np.asarray(values, dtype=float) for values in (hits, trials))
    return Problem(design, *made, np.array([family]), np.array(prior_scale), np.ones(groups))


def drawn(shape: Skewed, is_bent=True) -> np.ndarray:
    """(groups, draws) of the predictors, as a surface draws them."""
    fit, rng = shape.fit, default_rng(0)
    moved = np.linalg.solve(fit.factor.T, rng.standard_normal((len(fit.weight), DRAWS)))
    pull = fit.pull[:, None]
    term = fit.term[:, None] - fit.cross @ moved / pull
    term = term + rng.standard_normal(term.shape) / np.sqrt(pull)
    return fit.weight[0] + moved[0] + (shape.bend(moved, term) if is_bent else term)


@pytest.mark.parametrize("scale", [0.5, 2.0, 5.0])
def test_groups_that_share_nothing_have_the_exact_shape(scale):
    """The intercept is held at zero, so that each group is an integral of its own."""
    hits, trials = [13, 0, 5, 1, 40], [13, 3, 9, 1, 300]
    p = problem(hits, trials, (1.0, 1.0), family=0)
    draws = drawn(Skewed.of(p, laplace(p, np.array([-12.0, np.log(scale)]))))
    eta = np.linspace(-25, 25, 200_001)
    for group, (h, t) in enumerate(zip(hits, trials, strict=True)):
        height = h * log_expit(eta) + (t - h) * log_expit(-eta) - eta**2 / (2 * scale**2)
        below = np.cumsum(np.exp(height - height.max()))
        exact = expit(np.interp(TAILS, below / below[-1], eta))
        # The 5% point of so many draws is off by .01 deviations of a chance, which are below .3.
        np.testing.assert_allclose(expit(np.quantile(draws[group], TAILS)), exact, atol=0.012)


def joint_posterior(hits, trials, scale) -> np.ndarray:
    """(groups, tails): each group's chance, the intercept and all other terms integrated out."""
    common, own = np.linspace(-8, 8, 161), np.linspace(-40, 40, 1601)
    joint = [
        h * log_expit(own) + (t - h) * log_expit(-own) - (own - common[:, None]) ** 2 / 2 / scale**2
        for h, t in zip(hits, trials, strict=True)
    ]
    alone = np.array([np.exp(part).sum(axis=1) for part in joint])
    prior = np.exp(-(common**2) / (2 * FIXED_VARIANCE))
    found = []
    for group, part in enumerate(joint):
        below = np.cumsum(prior * np.delete(alone, group, 0).prod(axis=0) @ np.exp(part))
        found.append(expit(np.interp(TAILS, below / below[-1], own)))
    return np.array(found)


@pytest.mark.parametrize(
    ("hits", "trials", "scale"),
    [([8, 1], [8, 4], 3.0), ([13, 0, 9], [13, 13, 9], 6.0), ([3, 0], [3, 3], 6.0)],
)
def test_groups_that_share_an_intercept_are_near_the_joint_posterior(hits, trials, scale):
    p = problem(hits, trials)
    shape = Skewed.of(p, laplace(p, np.array([np.log(scale)])))
    exact = joint_posterior(hits, trials, scale)
    found = expit(np.quantile(drawn(shape), TAILS, axis=1).T)
    np.testing.assert_allclose(found, exact, atol=0.015)


def test_the_gaussian_alone_is_far_off_where_labels_agree():
    p = problem([3, 0], [3, 3])
    shape = Skewed.of(p, laplace(p, np.array([np.log(6.0)])))
    plain = expit(np.quantile(drawn(shape, is_bent=False), TAILS, axis=1).T)
    assert np.abs(plain - joint_posterior([3, 0], [3, 3], 6.0)).max() > 0.1


def test_the_deviation_is_that_of_the_mean_predictor():
    """Of a group with several rows, weighted by their curvature; by inverting the whole Hessian."""
    rng = default_rng(1)
    group = np.array([0, 0, 1, 1, 1, 2])
    shared, own, slope = rng.normal(size=(3, 2)), rng.normal(size=(6, 1)), rng.normal(size=6)
    design = Design(shared, own, shared[:, :1], slope, group)
    hits, trials = rng.integers(0, 3, 6).astype(float), np.full(6, 3.0)
    p = Problem(design, hits, trials, np.array([-1, 0, 0, 0]), np.ones(2), np.ones(3))
    log_scale = np.log([0.8, 1.3])
    mode = laplace(p, log_scale)
    rows = np.hstack([design.rows(), np.eye(3)[group]])
    chance = expit(rows @ np.concatenate([mode.weight, mode.term]))
    curvature = trials * chance * (1 - chance)
    precision = np.concatenate([1 / p.variances(log_scale), p.group_precision(log_scale)])
    covariance = np.linalg.inv(rows.T @ (curvature[:, None] * rows) + np.diag(precision))
    mean = np.array([np.average(rows[group == g], 0, curvature[group == g]) for g in range(3)])
    shape = Skewed.of(p, mode)
    expected = np.sqrt(np.einsum("gi,ij,gj->g", mean, covariance, mean))
    np.testing.assert_allclose(shape.deviation, expected, rtol=1e-4)
    np.testing.assert_allclose(shape.flat, np.bincount(group, curvature), rtol=1e-12)


def test_many_labels_leave_the_gaussian_as_it_is():
    p = problem([5_000, 6_000], [10_000, 10_000])
    shape = Skewed.of(p, laplace(p, np.array([0.0])))
    inner = np.abs(RANKS) <= norm.ppf(0.995)
    straight = shape.deviation[:, None] * RANKS
    assert np.abs(shape.places - straight)[:, inner].max() < 0.02 * shape.deviation.max()


def test_bent_draws_keep_their_order():
    p = problem([13, 2], [13, 9])
    shape = Skewed.of(p, laplace(p, np.array([1.0])))
    # Beyond the last rank the line goes on.
    term = shape.fit.term[:, None] + shape.deviation[:, None] * np.linspace(-6, 6, 50)
    bent = shape.bend(np.zeros((1, 50)), term)
    assert (np.diff(bent, axis=1) > 0).all()


def test_without_labels_there_is_nothing_to_bend():
    p = problem([], [])
    shape = Skewed.of(p, laplace(p, np.array([0.0])))
    assert shape.bend(np.zeros((1, 3)), np.zeros((0, 3))).shape == (0, 3)
