"""What every estimator of a surface obeys, and each one beside brute force."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.errors import InputError
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.pooled import Pooled
from spotheight.testing import EstimatorContract
from spotheight.testing.worlds import scored

ESTIMATORS = [
    Pooled(),
    Beta(),
    Beta("jeffreys"),
    Beta("informed"),
    Beta("overall"),
    Beta("uninformed", strength=1e-6),
    EmpiricalBeta(),
    Frequencies(),
]
PRIORS = ["uninformed", "jeffreys", "informed", "overall"]


class TestEveryEstimator(EstimatorContract):
    """Those with a formula; what is fitted step by step is held against others elsewhere."""

    tolerance = 0.0

    @pytest.fixture(params=ESTIMATORS, ids=repr, autouse=True)
    def made(self, request):
        self.tried = request.param

    def make(self):
        return self.tried


def worlds_with_scores(hits, trials, sizes):
    return scored(worlds.evidence(hits, trials, sizes))


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if e != EmpiricalBeta()], ids=repr)
def test_another_hit_never_lowers_a_mean(estimator):
    """No law for empirical Bayes, where a hit may also say that arms differ less."""
    trials, sizes = [4, 3, 0], [9, 9, 9]
    for hits in ([0, 1, 0], [2, 3, 0], [3, 0, 0]):
        before = estimator.fit(worlds_with_scores(hits, trials, sizes))
        after = estimator.fit(worlds_with_scores([hits[0] + 1, *hits[1:]], trials, sizes))
        for estimand in ("pool", "rate"):
            rise = after.of(estimand).mean - before.of(estimand).mean
            assert rise[0] > 0
            assert np.nanmin(rise) >= 0


@pytest.mark.parametrize("prior", PRIORS)
def test_beta_against_quadrature(prior):
    """The posterior of an arm's rate, and of its hits among the items left, by adding up."""
    hits, trials, sizes = [2, 0], [5, 0], [9, 4]
    evidence = worlds_with_scores(hits, trials, sizes)
    surface = Beta(prior, strength=3).fit(evidence)
    centre = {"informed": [0.2, 0.9], "overall": [2.5 / 6] * 2}.get(prior, [0.5, 0.5])
    at = (np.arange(200_000) + 0.5) / 200_000
    for arm in range(2):
        a, b = 3 * centre[arm], 3 * (1 - centre[arm])
        density = at ** (a - 1 + hits[arm]) * (1 - at) ** (b - 1 + trials[arm] - hits[arm])
        density /= density.sum()
        mean = density @ at
        # The midpoint rule errs at the pole of an empty arm's density, at most by its first bin.
        error = 2e-2 if trials[arm] == 0 else 1e-6
        assert surface.rate.mean[arm] == pytest.approx(mean, rel=error)
        assert surface.rate.variance[arm] == pytest.approx(density @ (at - mean) ** 2, rel=error)
        rest = sizes[arm] - trials[arm]
        mass = [density @ stats.binom.pmf(k, rest, at) for k in range(rest + 1)]
        share = (hits[arm] + np.arange(rest + 1)) / sizes[arm]
        expected = mass @ share
        assert surface.pool.mean[arm] == pytest.approx(expected, rel=error)
        assert surface.pool.variance[arm] == pytest.approx(
            mass @ (share - expected) ** 2, rel=error
        )


def test_pooled_against_enumeration():
    """One rate for two arms: their unlabelled hits move together."""
    surface = Pooled().fit(worlds.evidence([1, 2], [2, 2], [4, 3]))
    at = (np.arange(100_000) + 0.5) / 100_000
    density = stats.beta.pdf(at, 3.5, 1.5)
    density /= density.sum()
    joint = {
        ((1 + i) / 4, (2 + j) / 3): density
        @ (stats.binom.pmf(i, 2, at) * stats.binom.pmf(j, 1, at))
        for i in range(3)
        for j in range(2)
    }
    values, mass = np.array(list(joint)), np.array(list(joint.values()))
    mean = mass @ values
    np.testing.assert_allclose(surface.mean, mean, rtol=1e-5)
    np.testing.assert_allclose(surface.belief.variance, mass @ (values - mean) ** 2, rtol=1e-5)
    draws = 40_000
    found = np.cov(surface.draw(draws, default_rng(11)).T)[0, 1]
    product = (values - mean).prod(axis=1)
    expected = mass @ product
    error = np.sqrt((mass @ product**2 - expected**2) / draws)
    assert abs(found - expected) < 4.9 * error  # false-alarm rate 1e-6; 0 would be 44 errors away


def test_empirical_beta_against_quadrature_over_the_prior():
    """Posterior means with the prior summed out on a plain grid in (mean, log strength)."""
    hits, trials = np.array([4.0, 1, 0, 5]), np.array([5.0, 4, 0, 5])
    surface = EmpiricalBeta().fit(worlds.evidence([4, 1, 0, 5], [5, 4, 0, 5], [9, 9, 9, 9]))
    mean, log_strength = (np.arange(400) + 0.5) / 400, np.linspace(-6, 12, 400)
    mean, log_strength = (grid.ravel() for grid in np.meshgrid(mean, log_strength))
    a, b = mean * np.exp(log_strength), (1 - mean) * np.exp(log_strength)
    weight = stats.norm.pdf(log_strength, np.log(4), 1.5)
    for hit, trial in zip(hits, trials, strict=True):
        pmf = stats.betabinom.pmf(hit, trial, a, b)
        weight = weight * pmf
    weight /= weight.sum()
    expected = [weight @ ((a + h) / (a + b + t)) for h, t in zip(hits, trials, strict=True)]
    np.testing.assert_allclose(surface.rate.mean, expected, rtol=0.005)


@pytest.mark.parametrize("prior", PRIORS)
def test_a_strong_prior_outweighs_the_labels(prior):
    surface = Beta(prior, strength=1e9).fit(worlds_with_scores([3, 0], [3, 3], [9, 9]))
    expected = {"informed": [0.2, 0.9], "overall": [3.5 / 7] * 2}.get(prior, [0.5, 0.5])
    np.testing.assert_allclose(surface.rate.mean, expected, atol=1e-8)


def test_a_weak_prior_leaves_the_plain_share():
    evidence = worlds_with_scores([1, 2], [3, 3], [9, 9])
    np.testing.assert_allclose(Beta(strength=1e-9).fit(evidence).rate.mean, [1 / 3, 2 / 3])
    np.testing.assert_allclose(Frequencies().fit(evidence).mean, [1 / 3, 2 / 3])


def test_empirical_beta_pulls_arms_that_are_alike_to_the_pooled_mean():
    hits = default_rng(4).binomial(20, 0.7, size=200)
    evidence = worlds.evidence(hits, [20] * 200, [40] * 200)
    pooled = Pooled().fit(evidence).rate.mean

    def spread(estimator):
        return np.sqrt(np.mean((estimator.fit(evidence).rate.mean - pooled) ** 2))

    # Between-arm variance is nil: the strength learned is at least 100, against 20 labels.
    assert spread(EmpiricalBeta()) < spread(Beta("jeffreys")) / 5


def test_empirical_beta_leaves_arms_that_differ_alone():
    hits = np.repeat([2, 30, 58], 20)
    evidence = worlds.evidence(hits, [60] * 60, [90] * 60)
    surface = EmpiricalBeta().fit(evidence)
    # The prior is worth two labels or so, against 60.
    assert np.abs(surface.rate.mean - hits / 60).max() < 2.5 * 0.5 / 62.5


def test_empirical_beta_gives_arms_without_labels_the_spread_between_arms():
    evidence = worlds.evidence([*np.repeat([2, 30, 58], 20), 0], [*[60] * 60, 0], [90] * 61)
    rate = EmpiricalBeta().fit(evidence).rate
    between = np.var(np.repeat([2, 30, 58], 20) / 60)
    assert rate.variance[-1] == pytest.approx(between, rel=0.15)
    assert rate.mean[-1] == pytest.approx(0.5, abs=0.02)


def test_frequencies_have_no_guess_without_labels():
    surface = Frequencies().fit(worlds.evidence([3, 0, 0], [3, 2, 0], [9, 9, 9]))
    for read in (surface.of("pool"), surface.of("rate")):
        np.testing.assert_array_equal(read.mean, [1, 0, np.nan])
        low, high = read.interval(0.9)
        assert (high[0], low[1]) == (1, 0)  # the frequency is inside
        assert read.status()[2] == "insufficient evidence"
    low, high = surface.of("rate").interval(0.9)
    assert low[0] == pytest.approx(stats.beta.ppf(0.05, 3.5, 0.5), abs=1e-8)


def test_without_a_label_priors_speak():
    evidence = worlds_with_scores([0, 0], [0, 0], [4, 4])
    for estimator, expected in (
        (Pooled(), 0.5),
        (Beta(), 0.5),
        (Beta("informed"), [0.2, 0.9]),
        (Beta("overall"), 0.5),
        (EmpiricalBeta(), 0.5),
    ):
        np.testing.assert_allclose(estimator.fit(evidence).mean, expected, atol=1e-9)


def test_bad_settings_are_refused():
    with pytest.raises(InputError, match="one of uninformed, jeffreys"):
        Beta("flat")
    with pytest.raises(InputError, match="not be negative, got -1"):
        Beta(strength=-1)
    with pytest.raises(InputError, match="needs the service's score"):
        Beta("informed").fit(worlds.evidence([1], [2], [3]))
    outside = worlds.evidence([1], [2], [3])
    outside = replace(outside, cells=replace(outside.cells, score=np.array([3.5])))
    with pytest.raises(InputError, match=r"probabilities; these reach from 3\.5"):
        Beta("informed").fit(outside)
