"""Every formula of ``numerics`` beside scipy, a brute-force sum, or a fine quadrature."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats
from scipy.special import betaln, expit

from spotheight.numerics.distributions import beta, betabinomial
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.numerics.distributions.priors import STRENGTH_CENTRE, STRENGTH_SPREAD, learn_prior
from spotheight.numerics.sums import sum_by

SHAPES = (0.05, 0.5, 1.0, 3.0, 40.0, 900.0)
BISECTION = 1e-8  # 2**-27, the width that is left after all halvings


@pytest.fixture(scope="module")
def mixture():
    """Five components over four rows, and their weights."""
    rng = default_rng(3)
    return rng.gamma(2, size=(5, 4)), rng.gamma(1, size=(5, 4)), rng.dirichlet(np.ones(5))


@pytest.fixture(scope="module")
def shapes():
    """All pairs of shapes, as one component over 36 rows."""
    a, b = (grid.ravel() for grid in np.meshgrid(SHAPES, SHAPES))
    return a[None], b[None], np.ones(1)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_one_beta_is_scipys(shapes, level):
    a, b, _ = shapes
    mean, variance = beta.mixture_moments(*shapes)
    np.testing.assert_allclose([mean, variance], stats.beta.stats(a[0], b[0]), rtol=1e-11)
    tail = (1 - level) / 2
    expected = stats.beta.ppf([[tail], [1 - tail]], a, b)
    np.testing.assert_allclose(
        beta.mixture_interval(*shapes, level), expected, atol=BISECTION, rtol=0
    )


def test_moments_of_a_mixture_are_those_of_its_density(mixture):
    a, b, weight = (mixture[0] + 1, mixture[1] + 1, mixture[2])
    # On t = sin^2(angle) the densities are smooth enough for 200 Gauss-Legendre nodes.
    node, size = np.polynomial.legendre.leggauss(200)
    angle = (node + 1) * np.pi / 4
    at, measure = np.sin(angle) ** 2, size * np.pi / 4 * np.sin(2 * angle)
    densities = stats.beta.pdf(at, a[..., None], b[..., None])
    density = np.einsum("k,krt->rt", weight, densities)
    mean = density @ (measure * at)
    found = beta.mixture_moments(a, b, weight)
    np.testing.assert_allclose(found[0], mean, rtol=1e-8)
    np.testing.assert_allclose(found[1], density @ (measure * at**2) - mean**2, rtol=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_interval_of_a_mixture_leaves_equal_tails(mixture, level):
    a, b, weight = mixture
    low, high = beta.mixture_interval(a, b, weight, level)
    tail = (1 - level) / 2

    def below(at):
        return weight @ stats.beta.cdf(np.clip(at, 0, 1), a, b)

    for end, share in ((low, tail), (high, 1 - tail)):
        assert (below(end - BISECTION) <= share).all()
        assert (below(end + BISECTION) >= share).all()


def test_matched_gives_back_the_beta_that_made_the_moments(shapes):
    a, b, _ = shapes
    found = beta.matched(beta.mean(a, b), beta.variance(a, b))
    np.testing.assert_allclose(found, [a, b], rtol=1e-9)


def test_matched_stays_finite_where_no_beta_fits():
    for mean, variance in ((0.5, 0.3), (0.5, 0.25), (0.0, 0.0), (1.0, 0.0), (0.3, 0.0)):
        a, b = beta.matched(np.array([mean]), np.array([variance]))
        assert np.isfinite([a, b]).all()
        assert (a >= 0) & (b >= 0)


def test_variance_drop_averages_over_the_next_label():
    a, b, chance = np.array([2.0]), np.array([5.0]), np.array([0.3])
    after = 0.3 * stats.beta.var(3, 5) + 0.7 * stats.beta.var(2, 6)
    np.testing.assert_allclose(beta.variance_drop(a, b, chance), stats.beta.var(2, 5) - after)


def test_variance_drop_at_the_expected_chance_is_the_variance_of_the_next_mean():
    """The law of total variance: what a label takes away is how far it moves the mean."""
    a, b = np.array([2.0, 0.3]), np.array([5.0, 0.4])
    mean, up, down = a / (a + b), (a + 1) / (a + b + 1), a / (a + b + 1)
    moved = mean * up**2 + (1 - mean) * down**2 - mean**2
    np.testing.assert_allclose(beta.variance_drop(a, b, mean), moved, rtol=1e-12)


def test_log_evidence_is_the_product_of_predictions():
    hits, chance, a, b = [1, 0, 1, 1], 1.0, 0.7, 1.9
    for hit in hits:
        chance *= (a if hit else b) / (a + b)
        a, b = a + hit, b + 1 - hit
    found = beta.log_evidence(np.array(3.0), np.array(1.0), np.array(0.7), np.array(1.9))
    np.testing.assert_allclose(found, np.log(chance), rtol=1e-12)


@pytest.mark.parametrize("rest", [1, 2, 7, 60, 512])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_one_beta_binomial_is_scipys(shapes, rest, level):
    (a,), (b,), _ = shapes
    low, high = betabinomial.mixture_interval(np.full(len(a), rest), *shapes, level)
    tail = (1 - level) / 2
    np.testing.assert_array_equal(low, stats.betabinom.ppf(tail, rest, a, b))
    np.testing.assert_array_equal(high, stats.betabinom.ppf(1 - tail - 1e-12, rest, a, b))


@pytest.mark.parametrize("rest", [1, 9, 200])
def test_mass_is_scipys(rest):
    a, b = np.array(SHAPES), np.array(SHAPES[::-1])
    expected = stats.betabinom.pmf(np.arange(rest + 1), rest, a[:, None], b[:, None])
    np.testing.assert_allclose(betabinomial.mass(rest, a, b), expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("rest", [1, 5, 80, 512])
def test_interval_of_a_mixture_of_counts_by_adding_up(mixture, rest):
    a, b, weight = mixture
    rests = np.full(a.shape[1], rest)
    low, high = betabinomial.mixture_interval(rests, a, b, weight, 0.9)
    for row in range(a.shape[1]):
        pairs = zip(weight, a[:, row], b[:, row], strict=True)
        mass = sum(w * stats.betabinom.pmf(np.arange(rest + 1), rest, x, y) for w, x, y in pairs)
        assert mass[: int(low[row])].sum() < 0.05 <= mass[: int(low[row]) + 1].sum()
        assert mass[: int(high[row])].sum() < 0.95 <= mass[: int(high[row]) + 1].sum() + 1e-9


@pytest.mark.parametrize("rest", [513, 5000])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_with_many_items_left_an_end_is_at_most_one_item_off(shapes, rest, level):
    (a,), (b,), _ = shapes
    found = betabinomial.mixture_interval(np.full(len(a), rest), *shapes, level)
    tail = (1 - level) / 2
    expected = stats.betabinom.ppf([[tail], [1 - tail]], rest, a, b)
    assert np.abs(np.array(found) - expected).max() <= 1


def test_with_nothing_left_there_is_nothing_to_hit(mixture):
    a, b, weight = mixture
    rest = np.array([0, 3, 0, 1000])
    low, high = betabinomial.mixture_interval(rest, a, b, weight, 0.9)
    np.testing.assert_array_equal([low[[0, 2]], high[[0, 2]]], np.zeros((2, 2)))


def test_sums_by_group():
    rng = default_rng(5)
    group, values = rng.integers(0, 4, 50), rng.normal(size=50)
    expected = [values[group == g].sum() for g in range(6)]
    np.testing.assert_allclose(sum_by(group, values, 6), expected)


def counted(arms, labels, mean, strength):
    """Hits and labels of arms that were drawn from a Beta."""
    rng = default_rng([arms, labels])
    trials = rng.poisson(labels, arms).astype(float)
    rate = rng.beta(mean * strength, (1 - mean) * strength, arms)
    return rng.binomial(trials.astype(int), rate).astype(float), trials


PRIORS = {
    "no labels": (np.zeros(3), np.zeros(3)),
    "one hit": (np.array([1.0, 0, 0]), np.array([1.0, 0, 0])),
    "one hit, one miss": (np.array([1.0, 0]), np.ones(2)),
    "all hits": (np.full(20, 5.0), np.full(20, 5.0)),
    "no hits, one each": (np.zeros(300), np.ones(300)),
    "10,000 arms, all hits": (np.full(10_000, 5.0), np.full(10_000, 5.0)),
    "10,000 arms": counted(10_000, 2, 0.9, 6),
    "10,000 arms, much alike": counted(10_000, 2, 0.9, 300),
    "fractions": (np.array([0.5, 1.3, 0, 2.2]), np.array([1.0, 1.7, 0.3, 4])),
    "few labels": counted(5, 3, 0.8, 4),
    "some arms": counted(20, 5, 0.95, 2),
    "many labels": counted(8, 40, 0.99, 5),
    "four arms alike": (np.array([180.0, 179, 182, 181]), np.full(4, 200.0)),
    "arms all or nothing": (np.repeat([0.0, 50.0], 20), np.full(40, 50.0)),
    "one arm": (np.array([400.0]), np.array([500.0])),
}


def dense_prior(hits, trials):
    """The same posterior on 400 x 400 points where it lives; pseudo-counts and weights."""
    pairs, times = np.unique(np.column_stack([hits, trials]), axis=0, return_counts=True)
    low, high = np.array([-16.0, -6.0]), np.array([16.0, 12.0])
    for nodes in (80, 80, 80, 400):
        axes = [np.linspace(*ends, nodes) for ends in zip(low, high, strict=True)]
        at = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
        a, b = (expit(side * at[:, 0]) * np.exp(at[:, 1]) for side in (1, -1))
        height = np.log(expit(at[:, 0]) * expit(-at[:, 0]))
        height -= 0.5 * ((at[:, 1] - STRENGTH_CENTRE) / STRENGTH_SPREAD) ** 2
        for (hit, trial), times_seen in zip(pairs, times, strict=True):
            height += times_seen * (betaln(a + hit, b + trial - hit) - betaln(a, b))
        is_high = height > height.max() - 30
        gap = 2 * (high - low) / nodes
        low = np.maximum(low, at[is_high].min(axis=0) - gap)
        high = np.minimum(high, at[is_high].max(axis=0) + gap)
    weight = np.exp(height - height.max())
    return a, b, weight / weight.sum()


@pytest.mark.parametrize("name", PRIORS)
def test_learned_prior_against_a_dense_grid(name):
    hits, trials = PRIORS[name]
    prior = learn_prior(hits, trials)
    rows = np.unique(np.column_stack([np.r_[hits[:6], 0], np.r_[trials[:6], 0]]), axis=0)

    def moments(a, b, weight):
        pairs = ((a + h, b + t - h) for h, t in rows)
        found = [beta.mixture_moments(x[:, None], y[:, None], weight) for x, y in pairs]
        return np.array(found)[:, :, 0].T

    found, expected = (
        moments(prior.hits, prior.misses, prior.weight),
        moments(*dense_prior(hits, trials)),
    )
    np.testing.assert_allclose(found[0], expected[0], rtol=0.01)
    np.testing.assert_allclose(1 - found[0], 1 - expected[0], rtol=0.01)
    np.testing.assert_allclose(found[1], expected[1], rtol=0.01)
    assert len(prior.weight) < 150
    assert prior.weight.sum() == pytest.approx(1)


def test_learned_prior_knows_hits_from_misses():
    """Renaming hits to misses mirrors the prior."""
    hits, trials = PRIORS["some arms"]
    one, two = learn_prior(hits, trials), learn_prior(trials - hits, trials)
    sums = [
        p.weight @ (side / (p.hits + p.misses)) for p, side in ((one, one.hits), (two, two.misses))
    ]
    # The optimiser stops within a millionth of the mode; the sum over its grid hardly notices.
    np.testing.assert_allclose(*sums, atol=1e-4)


def test_intervals_of_few_values_end_at_some_of_them_and_hold_enough():
    """A tenth of 20 draws is 2, so that ends in between would fall on no value and hold less."""
    draws = default_rng(5).binomial(12, 0.7, size=(20, 500)) / 12
    for level in (0.5, 0.8, 0.9):
        low, high = attained_interval(draws, level)
        inside = (draws >= low) & (draws <= high)
        assert (inside.mean(axis=0) >= level - 1e-9).all()
        np.testing.assert_allclose(np.round(12 * low), 12 * low)
        np.testing.assert_allclose(np.round(12 * high), 12 * high)
