"""Regression by group against optimisers, explicit linear algebra, quadrature and simulation."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit

from spotheight.numerics.regression import multilevel
from spotheight.numerics.regression.blocks import (
    CLOSE,
    BlockFit,
    BlockMode,
    BlockProblem,
    Place,
    centred,
    fit_blocks,
    learn_scales,
    mode_at,
    scoring,
)
from spotheight.numerics.regression.sampled import Frame, Sample

FALSE_ALARM = 1e-6

PRIOR_SCALE, FIXED_VARIANCE = np.array([0.7, 0.0, 0.5]), np.array([4.0, 1.0, 2.0])
LOG_SCALE = np.log([0.8, 0.4])
KINDS = 3


def problem(rows=90, groups=6, seed=0, prior_scale=PRIOR_SCALE) -> BlockProblem:
    """Weighted rows with fractions of hits; the last group has none."""
    rng = default_rng(seed)
    features = np.column_stack([np.ones(rows), rng.normal(size=(rows, KINDS - 1))])
    group = rng.integers(0, groups - 1, rows)
    chance = expit(features @ [0.5, -1.0, 0.8] + rng.normal(size=groups)[group])
    trials = rng.uniform(0.5, 2.0, rows)
    hits = trials * np.where(rng.random(rows) < 0.2, 0.5, rng.random(rows) < chance)
    return BlockProblem(features, group, groups, hits, trials, prior_scale, FIXED_VARIANCE)


def start(p: BlockProblem) -> Place:
    return Place.of(p, np.zeros((1 + p.groups, KINDS)))


def flat(p: BlockProblem, at: np.ndarray) -> np.ndarray:
    """Shared weights, and the departures that exist, as one vector."""
    return np.concatenate([at[0], at[1:, p.learned].ravel()])


def columns(p: BlockProblem) -> np.ndarray:
    """The columns of that vector, written out."""
    member = np.eye(p.groups)[p.group]
    own = member[:, :, None] * p.features[:, None, p.learned]
    return np.hstack([p.features, own.reshape(len(p.group), -1)])


def spread(p: BlockProblem, log_scale: np.ndarray) -> np.ndarray:
    """The prior variances of that vector."""
    return np.concatenate([p.fixed_variance, np.tile(np.exp(2 * log_scale), p.groups)])


def optimum(p: BlockProblem, log_scale: np.ndarray) -> np.ndarray:
    whole, variance = columns(p), spread(p, log_scale)

    def minus(w):
        eta = whole @ w
        value = p.trials @ np.logaddexp(0, eta) - p.hits @ eta + 0.5 * np.sum(w**2 / variance)
        return value, whole.T @ (p.trials * expit(eta) - p.hits) + w / variance

    return minimize(minus, np.zeros(whole.shape[1]), jac=True, method="BFGS", tol=1e-9).x


def precision(p: BlockProblem, mode: BlockMode) -> np.ndarray:
    """Minus the whole Hessian of the log posterior."""
    whole = columns(p)
    chance = expit(whole @ flat(p, mode.place.at))
    bend = whole.T @ (whole * (p.trials * chance * (1 - chance))[:, None])
    return bend + np.diag(1 / spread(p, mode.log_scale))


def to_weights(p: BlockProblem) -> np.ndarray:
    """(groups, features, that vector): from it to every group's weights."""
    made = np.zeros((p.groups, KINDS, KINDS + p.groups * len(p.learned)))
    made[:, :, :KINDS] = np.eye(KINDS)
    for group in range(p.groups):
        for place, feature in enumerate(p.learned):
            made[group, feature, KINDS + group * len(p.learned) + place] = 1
    return made


@pytest.mark.parametrize("seed", range(3))
def test_the_mode_is_the_one_an_optimiser_finds(seed):
    p = problem(seed=seed)
    mode = mode_at(p, LOG_SCALE, start(p))
    # A promise of less than 1e-9 in log posterior is a distance of at most 5e-5 spreads.
    np.testing.assert_allclose(flat(p, mode.place.at), optimum(p, LOG_SCALE), atol=5e-5)
    assert not mode.place.at[1:, 1].any()


def test_without_departures_it_is_a_plain_regression():
    p = problem(prior_scale=np.zeros(KINDS))
    fit = fit_blocks(p)
    found = optimum(p, np.zeros(0))
    np.testing.assert_allclose(fit.mode.place.at[0], found, atol=5e-5)
    whole = np.linalg.inv(precision(p, fit.mode))
    np.testing.assert_allclose(fit.mode.covariance, whole, atol=1e-10)
    assert len(fit.parts) == 1 and not fit.at[1:].any()


def test_elimination_of_groups_is_exact():
    p = problem()
    mode = mode_at(p, LOG_SCALE, start(p))
    whole = np.linalg.inv(precision(p, mode))
    np.testing.assert_allclose(mode.covariance, whole[:KINDS, :KINDS], atol=1e-10)
    turn = to_weights(p)
    np.testing.assert_allclose(
        mode.group_covariance, turn @ whole @ turn.swapaxes(1, 2), atol=1e-10
    )


def log_density(p: BlockProblem, mode: BlockMode) -> float:
    """Laplace's evidence with the whole Hessian, times the prior of the scales."""
    w, variance = flat(p, mode.place.at), spread(p, mode.log_scale)
    eta = columns(p) @ w
    value = p.hits @ eta - p.trials @ np.logaddexp(0, eta) - 0.5 * np.sum(w**2 / variance)
    bend = np.linalg.slogdet(precision(p, mode))[1] + np.log(variance).sum()
    return value - 0.5 * bend + p.log_prior(mode.log_scale)[0]


@pytest.mark.parametrize("log_scale", [LOG_SCALE, np.log([0.05, 3.0])])
def test_the_density_of_scales_and_its_gradient_are_those_of_the_whole_hessian(log_scale):
    p = problem()
    mode = mode_at(p, log_scale, start(p), tolerance=1e-20)
    assert mode.log_density == pytest.approx(log_density(p, mode), abs=1e-9)
    gradient, _ = scoring(p, mode)
    for move, slope in zip(1e-3 * np.eye(2), gradient, strict=True):
        up, down = (mode_at(p, log_scale + s * move, mode.place, 1e-20) for s in (1, -1))
        # The error of the difference is a sixth of its square times the third derivative.
        rise = (log_density(p, up) - log_density(p, down)) / 2e-3
        assert slope == pytest.approx(rise, abs=2e-5)


def test_the_curvature_of_scales_is_that_of_explicit_linear_algebra():
    p = problem()
    mode = mode_at(p, LOG_SCALE, start(p))
    scale, kinds = np.tile(np.exp(LOG_SCALE), p.groups), np.tile(np.arange(2), p.groups)
    own = flat(p, mode.place.at)[KINDS:] / scale
    covariance = np.linalg.inv(precision(p, mode))[KINDS:, KINDS:] / np.outer(scale, scale)
    rest, inside = np.eye(len(scale)) - covariance, np.eye(2)[kinds]
    gradient = inside.T @ (own**2 - np.diag(rest))
    form = inside.T @ (own[:, None] * rest * own) @ inside
    expected = 4 * form - 2 * inside.T @ rest**2 @ inside - 2 * np.diag(gradient)
    expected += p.log_prior(LOG_SCALE)[2]
    np.testing.assert_allclose(scoring(p, mode)[1], expected, atol=1e-9)


def test_the_prior_of_scales_is_that_of_the_other_solver():
    p = problem()
    other = multilevel.Problem(None, p.hits, p.trials, None, p.prior_scale[p.learned], None)
    value, gradient, bend = p.log_prior(LOG_SCALE)
    assert value == pytest.approx(other.log_prior(LOG_SCALE), abs=1e-12)
    np.testing.assert_allclose(gradient, other.prior_scoring(LOG_SCALE)[0], atol=1e-12)
    np.testing.assert_allclose(bend, other.prior_scoring(LOG_SCALE)[1], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_search_for_scales_ends_at_a_mode(seed):
    p = problem(rows=400, groups=20, seed=seed)
    mode = learn_scales(p)
    gradient, information = scoring(p, mode)
    assert 0.5 * gradient @ np.linalg.solve(information, gradient) < 2 * CLOSE
    for move in 0.3 * np.vstack([np.eye(2), -np.eye(2)]):
        assert mode_at(p, mode.log_scale + move, mode.place).log_density < mode.log_density + CLOSE


def test_a_warm_start_gives_what_a_cold_one_gives():
    """Both end within .014 spreads of the same scales, by ``CLOSE``."""
    p = problem(rows=400, groups=20)
    fewer = BlockProblem(
        *(p.features[:300], p.group[:300], p.groups, p.hits[:300], p.trials[:300]),
        *(p.prior_scale, p.fixed_variance),
    )
    cold, warm = fit_blocks(p), fit_blocks(p, fit_blocks(fewer))
    spreads = np.sqrt(np.diag(np.linalg.inv(scoring(p, cold.mode)[1])))
    away = np.abs(cold.mode.log_scale - warm.mode.log_scale)
    assert np.all(away < 2 * np.sqrt(2 * CLOSE) * spreads)
    sigma = np.sqrt(cold.variance(p.features, p.group))
    gap = cold.predict(p.features, p.group) - warm.predict(p.features, p.group)
    assert np.abs(gap / sigma).max() < 0.03


def test_the_gaussian_is_that_of_the_whole_posterior():
    """Its frame is a linear map, so that columns of the identity give the covariance exactly."""
    p = problem()
    mode = mode_at(p, LOG_SCALE, start(p))
    whole, turn = np.linalg.inv(precision(p, mode)), to_weights(p).reshape(p.groups * KINDS, -1)
    frame = Frame.of(p, (mode,))
    unit = np.eye(frame.freedom).reshape(-1, 1 + p.groups, KINDS).swapaxes(0, 1)[None]
    middle = frame.weights(np.zeros_like(unit))
    away = (frame.weights(unit) - middle)[0].swapaxes(0, 1).reshape(frame.freedom, -1)
    np.testing.assert_allclose(away.T @ away, turn @ whole @ turn.T, atol=1e-9)
    np.testing.assert_allclose(middle[0, :, 0].ravel(), turn @ flat(p, mode.place.at))


@pytest.mark.parametrize("hits", [4, 7, 9])
def test_centring_goes_from_the_mode_to_the_mean(hits):
    """One weight and ten trials, where quadrature is exact; at most a third of the way is left."""
    trials, prior = 10.0, 4.0
    p = BlockProblem(
        *(np.ones((1, 1)), np.zeros(1, int), 1, np.array([float(hits)]), np.array([trials])),
        *(np.zeros(1), np.array([prior])),
    )
    mode = mode_at(p, np.zeros(0), Place.of(p, np.zeros((2, 1))))
    eta = np.linspace(-15, 15, 20_001)
    height = hits * eta - trials * np.logaddexp(0, eta) - eta**2 / 2 / prior
    mean = np.average(eta, weights=np.exp(height - height.max()))
    left = centred(p, mode).place.at[0, 0] - mean
    assert abs(left) < abs(mode.place.at[0, 0] - mean) / 3


@pytest.mark.parametrize("ratio", [0.0, 0.3, -1.0, 3.0])
def test_expected_chances_are_right_up_to_a_spread_of_three(ratio):
    """One weight of mean ``ratio`` and variance 1: a feature is its predictor's spread."""
    none = np.zeros(0)
    p = BlockProblem(np.zeros((0, 1)), none.astype(int), 1, none, none, np.zeros(1), np.ones(1))
    part = mode_at(p, none, Place.of(p, np.array([[ratio], [0.0]])), tolerance=np.inf)
    spreads = np.linspace(0, 3, 31)
    noise = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    exact = expit(spreads[:, None] * (ratio + noise)).mean(axis=1)
    chance = BlockFit(part, (part,), np.ones(1)).chance(spreads[:, None], np.zeros(31, int))
    np.testing.assert_allclose(chance, exact, atol=1e-3)


def test_a_group_without_rows_keeps_its_prior():
    p = problem()
    fit = fit_blocks(p)
    for part in fit.parts:
        np.testing.assert_allclose(part.place.at[-1], 0, atol=1e-12)
        expected = part.covariance + np.diag(part.scale**2)
        np.testing.assert_allclose(part.group_covariance[-1], expected, atol=1e-12)


def test_no_rows_leave_the_prior():
    none = np.zeros(0)
    p = BlockProblem(
        np.zeros((0, KINDS)), none.astype(int), 4, none, none, PRIOR_SCALE, FIXED_VARIANCE
    )
    fit = fit_blocks(p)
    np.testing.assert_allclose(fit.at, 0, atol=1e-12)
    np.testing.assert_allclose(fit.mode.covariance, np.diag(FIXED_VARIANCE), atol=1e-12)
    np.testing.assert_allclose(fit.mode.log_scale, np.log([0.7, 0.5]), atol=0.03)


@pytest.mark.parametrize("hit", [0.0, 1.0])
@pytest.mark.parametrize("rows", [1, 10, 5000])
def test_rows_that_all_agree_give_finite_and_sensible_chances(rows, hit):
    rng = default_rng(4)
    features = np.column_stack([np.ones(rows), rng.normal(size=(rows, 2))])
    group, hits = rng.integers(0, 20, rows), np.full(rows, hit)
    p = BlockProblem(features, group, 20, hits, np.ones(rows), PRIOR_SCALE, FIXED_VARIANCE)
    fit = fit_blocks(p)
    chance, variance = fit.chance(features, group), fit.variance(features, group)
    drawn = Sample.of(p, fit).draw(50, rng)
    assert np.isfinite(drawn).all() and np.isfinite(variance).all()
    towards = np.abs(chance - (1 - hit)).mean()
    assert 0.5 < towards < 1 and (rows < 5000 or towards > 0.99)


def test_a_feature_that_separates_hits_from_misses_stays_finite():
    rng = default_rng(5)
    sign = rng.choice([-1.0, 1.0], 400)
    features = np.column_stack([np.ones(400), sign, rng.normal(size=400)])
    p = BlockProblem(
        *(features, rng.integers(0, 8, 400), 8, (sign > 0).astype(float), np.ones(400)),
        *(np.array([0.7, 0.7, 0.5]), FIXED_VARIANCE),
    )
    fit = fit_blocks(p)
    chance = fit.chance(features, p.group)
    assert np.isfinite(fit.covariance).all()
    assert chance[sign > 0].min() > 0.9 and chance[sign < 0].max() < 0.1


def test_order_and_repetition_of_rows_do_not_matter():
    p = problem()
    order = default_rng(6).permutation(len(p.group)).repeat(2)
    twice = BlockProblem(
        *(p.features[order], p.group[order], p.groups, p.hits[order] / 2, p.trials[order] / 2),
        *(p.prior_scale, p.fixed_variance),
    )
    one, two = fit_blocks(p), fit_blocks(twice)
    np.testing.assert_allclose(one.at, two.at, atol=1e-8)
    turned = default_rng(7).permutation(len(p.group))
    straight = one.variance(p.features, p.group)
    np.testing.assert_allclose(
        one.variance(p.features[turned], p.group[turned]), straight[turned], rtol=1e-12
    )


def world(rng, rows, groups, query):
    """Rows from the model itself, scales and all, and other rows with their true predictors."""
    level = np.sqrt(rng.chisquare(multilevel.FREEDOM) / multilevel.FREEDOM)
    scale = PRIOR_SCALE * np.abs(rng.normal(size=KINDS)) / level
    weight = rng.normal(size=KINDS) * np.sqrt(FIXED_VARIANCE)
    weight = weight + rng.normal(size=(groups, KINDS)) * scale
    total = rows + query
    features = np.column_stack([np.ones(total), rng.normal(size=(total, KINDS - 1))])
    group = rng.integers(0, groups, total)
    eta = np.einsum("rf,rf->r", features, weight[group])
    hits = (rng.random(total) < expit(eta)).astype(float)
    seen = BlockProblem(
        *(features[:rows], group[:rows], groups, hits[:rows], np.ones(rows)),
        *(PRIOR_SCALE, FIXED_VARIANCE),
    )
    return seen, features[rows:], group[rows:], eta[rows:], hits[rows:]


def test_intervals_cover_as_often_as_they_claim():
    """Truths from the prior itself, so that an exact posterior covers 90%.

    Laplace's method and a few points for the scales are allowed 2.5 points; beyond them the null is
    the mean of 200 independent worlds, and the alarm rate 1e-6: some 7 points in all.
    """
    covered = []
    for number in range(200):
        p, features, group, eta, _ = world(default_rng([8, number]), 60, 8, 40)
        fit = fit_blocks(p)
        away = np.abs(eta - fit.predict(features, group))
        half = stats.norm.isf(0.05) * np.sqrt(fit.variance(features, group))
        covered.append(np.mean(away < half))
    error = np.std(covered) / np.sqrt(len(covered))
    assert abs(np.mean(covered) - 0.9) < 0.025 + stats.norm.isf(FALSE_ALARM / 2) * error


def test_chances_are_calibrated_on_a_simulated_pool():
    """By tenths of the pool: hits less expected hits, over the spread of both labels and draws."""
    p, features, group, _, hits = world(default_rng(9), 1500, 25, 20_000)
    sample = Sample.of(p, fit_blocks(p))
    chance, weight = sample.chance(features, group), sample.draw(200, default_rng(10))
    order = np.argsort(chance)
    z = []
    for rows in np.array_split(order, 10):
        drawn = expit(np.einsum("rf,nrf->nr", features[rows], weight[:, group[rows]])).sum(axis=1)
        labels = np.sum(chance[rows] * (1 - chance[rows]))
        z.append((hits[rows].sum() - chance[rows].sum()) / np.sqrt(drawn.var() + labels))
    assert np.abs(z).max() < stats.norm.isf(FALSE_ALARM / 2 / len(z))


@pytest.mark.parametrize("rows", [20, 90, 400])
def test_plausible_scales_lie_where_their_density_does(rows):
    """One scale, beside quadrature: eight points miss little but its longest tails."""
    p = problem(rows=rows, prior_scale=np.array([0.7, 0.0, 0.0]))
    fit = fit_blocks(p)
    grid = np.linspace(-4.5, 3.0, 151)
    height = np.array([mode_at(p, np.array([x]), fit.mode.place).log_density for x in grid])
    mean, spread = _moments(np.exp(grid), np.exp(height - height.max()))
    ours = _moments(np.array([part.scale[0] for part in fit.parts]), fit.share)
    assert ours[0] == pytest.approx(mean, abs=0.25 * spread)
    assert 0.6 * spread < ours[1] < 1.1 * spread


def _moments(values: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    mean = np.average(values, weights=weight)
    return mean, np.sqrt(np.average((values - mean) ** 2, weights=weight))
