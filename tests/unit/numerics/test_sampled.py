"""Draws of weights beside integrals on a grid, difference quotients, and worlds from the prior."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.random import default_rng
from scipy import stats
from scipy.special import expit

from spotheight.numerics.regression import multilevel
from spotheight.numerics.regression.blocks import BlockFit, BlockProblem, fit_blocks
from spotheight.numerics.regression.sampled import CHAINS, PARTS, Frame, Sample, plausible, rescaled

PRIOR_SCALE, FIXED_VARIANCE = np.array([0.7, 0.0, 0.5]), np.array([25.0, 4.0, 9.0])


def problem(groups=5, rows=60, seed=0):
    """Rows with fractions of hits; the last group has none, the middle feature does not vary."""
    rng = default_rng(seed)
    features = np.column_stack([np.ones(rows), rng.normal(size=(rows, 2))])
    group = rng.integers(0, groups - 1, rows)
    trials = rng.uniform(0.5, 2.0, rows)
    hits = trials * (rng.random(rows) < expit(features @ [1.0, -1.0, 0.5]))
    return BlockProblem(features, group, groups, hits, trials, PRIOR_SCALE, FIXED_VARIANCE)


def chains_of(rows, rng, parts=2):
    """Chains at scales of their own, and where they are."""
    frame = Frame.of(rows, fit_blocks(rows).parts[:parts])
    apart = rng.uniform(0.5, 2.0, (parts, CHAINS, frame.size))
    frame = replace(frame, scale=frame.scale * apart)
    return frame, rng.normal(size=(parts, 1 + rows.groups, CHAINS, frame.size))


def test_the_slope_is_that_of_the_height():
    rows, rng = problem(), default_rng(1)
    frame, at = chains_of(rows, rng)
    move = rng.normal(size=at.shape)
    rise = (frame.height(at + 1e-5 * move) - frame.height(at - 1e-5 * move)) / 2e-5
    np.testing.assert_allclose((frame.slope(at) * move).sum(axis=(1, 3)), rise, rtol=1e-4)


def of_one_group(hits, trials):
    """An intercept and a slope that nothing varies by."""
    x = np.column_stack([np.ones(len(hits)), np.linspace(-1, 1, len(hits))])
    group = np.zeros(len(hits), dtype=np.int64)
    return BlockProblem(
        x, group, 1, np.array(hits), np.array(trials), np.zeros(2), np.array([9.0, 9.0])
    )


def on_a_grid(rows, at):
    """The exact mean chance, by sums over a grid of both weights."""
    axis = np.linspace(-15, 15, 601)
    first, second = np.meshgrid(axis, axis, indexing="ij")
    log = -(first**2 + second**2) / 18
    for (a, b), hits, trials in zip(rows.features, rows.hits, rows.trials, strict=True):
        eta = a * first + b * second
        log += hits * eta - trials * np.logaddexp(0, eta)
    share = np.exp(log - log.max())
    return float((share * expit(at[0] * first + at[1] * second)).sum() / share.sum())


@pytest.mark.parametrize("hits", [[20.0, 30.0], [19.0, 30.0], [8.0, 21.0]])
def test_chances_are_those_of_the_exact_posterior(hits):
    """Within a quarter of the chance of failure, where a Gaussian says half as much again."""
    rows = of_one_group(hits, [20.0, 30.0])
    fitted = fit_blocks(rows)
    at = np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
    group = np.zeros(len(at), dtype=np.int64)
    exact = 1 - np.array([on_a_grid(rows, one) for one in at])
    np.testing.assert_allclose(1 - Sample.of(rows, fitted).chance(at, group), exact, rtol=0.25)
    if hits == [20.0, 30.0]:
        assert (1 - fitted.chance(at, group) > 1.5 * exact).any()


def in_a_new_group(rows):
    """The exact mean and spread of its chance: sums over intercept and scale, quadrature inside."""
    node, mass = hermegauss(60)
    first, log_scale = np.meshgrid(
        np.linspace(-7, 7, 141), np.linspace(-4.5, 4, 120), indexing="ij"
    )
    eta = first[..., None] + np.exp(log_scale)[..., None] * node
    log = rows.scale_height(np.exp(log_scale)[..., None]) - first**2 / 2 / rows.fixed_variance[0]
    for hits, trials in zip(rows.hits, rows.trials, strict=True):
        log += np.log(np.exp(hits * eta - trials * np.logaddexp(0, eta)) @ mass)
    share = np.exp(log - log.max())[..., None] * mass
    share /= share.sum()
    mean = (share * expit(eta)).sum()
    return mean, np.sqrt((share * (expit(eta) - mean) ** 2).sum())


@pytest.mark.parametrize("hits", [[9, 4, 10], [18, 20, 19, 11], [1, 9, 2, 8, 5], [3, 2, 3, 1, 3]])
def test_a_group_without_rows_is_as_uncertain_as_the_exact_posterior_says(hits):
    """Within four standard errors of 32 chains, of the mean and of the spread."""
    size, most = len(hits), np.full(len(hits), float(max(hits)))
    rows = BlockProblem(
        np.ones((size, 1)),
        np.arange(size),
        size + 1,
        np.array(hits, dtype=float),
        most,
        np.array([0.7]),
        np.array([4.0]),
    )
    chance = expit(Sample.of(rows, fit_blocks(rows)).each[:, -1, 0])
    mean, spread = in_a_new_group(rows)
    assert chance.mean() == pytest.approx(mean, abs=4 * spread / np.sqrt(PARTS * CHAINS))
    assert chance.std() == pytest.approx(spread, rel=4 / np.sqrt(2 * PARTS * CHAINS))


def test_a_fit_can_be_repeated_and_draws_come_from_it():
    rows = problem()
    fitted = fit_blocks(rows)
    sample = Sample.of(rows, fitted)
    np.testing.assert_array_equal(sample.weight, Sample.of(rows, fitted).weight)
    drawn = sample.draw(4000, default_rng(2))
    assert drawn.shape == (4000, rows.groups, 3)
    chance = expit(np.einsum("rf,drf->dr", rows.features, drawn[:, rows.group]))
    expected = sample.chance(rows.features, rows.group)
    # Draws of one part repeat each other: 24 are different, of about 8 parts.
    np.testing.assert_allclose(chance.mean(axis=0), expected, atol=6 * 0.3 / np.sqrt(4000))


def test_single_draws_come_from_every_part():
    weight = np.broadcast_to(np.arange(3.0)[:, None, None, None], (3, 4, 1, 1))
    rng, n = default_rng(3), 500
    seen = [int(Sample(weight).draw(1, rng)[0, 0, 0]) for _ in range(n)]
    assert stats.chisquare(np.bincount(seen, minlength=3)).pvalue > 1e-6


def test_chains_start_from_scales_as_often_as_these_are_plausible():
    fitted = fit_blocks(problem())
    share = np.array([0.5, 0.25, 0.24, 0.01])
    starts = plausible(BlockFit(fitted.mode, fitted.parts[:4], share))
    assert [starts.count(part) for part in fitted.parts[:4]] == [PARTS // 2, PARTS // 4, 2, 0]


def test_new_scales_leave_every_weight_where_it_was():
    rows, rng = problem(), default_rng(4)
    frame, at = chains_of(rows, rng)
    moved, there = frame.rescaled(at, rng)
    assert (moved.scale[..., rows.learned] != frame.scale[..., rows.learned]).mean() > 0.5
    assert (moved.scale[..., 1] == 0).all()
    np.testing.assert_allclose(moved.weights(there), frame.weights(at), atol=1e-9)


def test_scales_given_departures_follow_their_density():
    """Metropolis from the density itself, by sums over a grid: it does not lead away from it."""
    rows = problem()
    rows = replace(rows, prior_scale=np.array([0.7, 0.0, 0.0]))
    square, rng, n = 0.8, default_rng(5), 4000
    grid = np.linspace(-4, 3, 7001)
    scale = np.exp(grid)[:, None] * [1.0, 0.0, 0.0]
    height = rows.scale_height(scale) - rows.groups * grid - square / 2 * np.exp(-2 * grid)
    below = np.cumsum(np.exp(height - height.max()))
    below /= below[-1]
    start = np.exp(np.interp(rng.random(n), below, grid))
    scale = start[:, None, None] * np.array([1.0, 0.0, 0.0])
    for _ in range(3):
        scale = rescaled(rows, np.full((n, 1, 3), square), scale, rng)
    assert (scale[:, 0, 0] != start).mean() > 0.5
    ranks = np.interp(np.log(scale[:, 0, 0]), grid, below)
    assert stats.kstest(ranks, "uniform").pvalue > 1e-6


def test_no_chain_stays_where_the_gaussian_alone_would_have_it():
    """None of 2,000 rows of a kind failed; that more than 14 of such do has a chance of e^-14."""
    rng, size = default_rng(6), 3000
    kind = np.where(np.arange(size) < 2000, 1.0, -1.0)
    truth = np.where(kind > 0, 1.0, rng.random(size) < 0.3)
    x, group = np.column_stack([np.ones(size), kind]), rng.integers(0, 60, size)
    varying, variance = np.array([1.0, 1.0]), np.array([25.0, 25.0])
    rows = BlockProblem(x, group, 60, truth, np.ones(size), varying, variance)
    weight = Sample.of(rows, fit_blocks(rows)).each
    failures = expit(-np.einsum("rf,drf->dr", x[:2000], weight[:, group[:2000]])).sum(axis=1)
    assert failures.max() < 14


def world(rng, groups=8, told=20, size=120):
    """Weights and scales from the prior; some rows whose outcome is known, and all of them."""
    freedom = multilevel.FREEDOM
    learned = np.flatnonzero(PRIOR_SCALE)
    scale = np.zeros(3)
    scale[learned] = PRIOR_SCALE[learned] * np.abs(rng.normal(size=len(learned)))
    scale /= np.sqrt(rng.chisquare(freedom) / freedom)
    weight = rng.normal(0, np.sqrt(FIXED_VARIANCE)) + scale * rng.normal(size=(groups, 3))
    x = np.column_stack([np.ones(groups * size), rng.normal(size=(groups * size, 2))])
    group = np.repeat(np.arange(groups), size)
    truth = (rng.random(len(x)) < expit((x * weight[group]).sum(axis=1))).astype(float)
    kept = np.arange(len(x)) % size < told
    rows = BlockProblem(
        x[kept], group[kept], groups, truth[kept], np.ones(kept.sum()), PRIOR_SCALE, FIXED_VARIANCE
    )
    return rows, x[~kept], group[~kept], truth[~kept]


def count(draws, x, group, rng):
    """Hits that weights make plausible, one number a draw."""
    chance = expit(np.einsum("rf,drf->dr", x, draws[:, group]))
    return (rng.random(chance.shape) < chance).sum(axis=1)


def test_true_counts_lie_anywhere_among_draws_of_them():
    """Exact for worlds drawn from the prior: ranks are uniform. Intervals half as wide fail."""
    rng, ranks = default_rng(20261115), []
    for _ in range(50):
        rows, x, group, truth = world(rng)
        drawn = count(Sample.of(rows, fit_blocks(rows)).draw(150, rng), x, group, rng)
        # Ties are broken at random.
        ranks.append((drawn + rng.uniform(-0.4, 0.4, len(drawn)) < truth.sum()).mean())
    assert stats.kstest(ranks, "uniform").pvalue > 1e-6
