"""What every estimator of a surface obeys, and each one beside brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.errors import InputError
from spotheight.evidence import Evidence, Rows
from spotheight.models import Beta, EmpiricalBeta, Frequencies, Pooled
from spotheight.questions import Estimate

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


LAW = settings(max_examples=15, deadline=None, derandomize=True)


@pytest.fixture(params=ESTIMATORS, ids=repr, scope="module")
def estimator(request):
    return request.param


def evidence_of(sizes, arm, hit, weight=None):
    """Rows as they come; arms have scores, so that every prior has something to lean on."""
    cells = replace(worlds.cells(sizes), score=np.linspace(0.2, 0.9, len(sizes)))
    arm, hit = np.asarray(arm, dtype=np.int64), np.asarray(hit, dtype=float)
    weight = np.ones(len(arm)) if weight is None else np.asarray(weight, dtype=float)
    rows = Rows(np.arange(len(arm)), arm, arm, weight, np.full(len(arm), np.nan))
    return Evidence(cells, rows, hit, np.ones(len(arm)))


@st.composite
def evidences(draw):
    """Up to five arms, some without labels, with hits, misses and halves."""
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    labels = [draw(st.lists(st.sampled_from([0, 0.5, 1]), max_size=size)) for size in sizes]
    arm = np.repeat(np.arange(len(sizes)), [len(found) for found in labels])
    return evidence_of(sizes, arm, np.concatenate([*map(np.array, labels), np.zeros(0)]))


def numbers(surface, level=0.9):
    """All that a surface says of its arms, for both estimands, (numbers, arms)."""
    both = [surface.of("pool"), surface.of("rate")]
    return np.array(
        [part for read in both for part in (read.mean, read.belief.variance, *read.interval(level))]
    )


def renamed(evidence, names):
    """The same evidence, arm ``a`` now being arm ``names[a]``."""
    cells, rows = evidence.cells, evidence.rows
    back = np.argsort(names)
    cells = replace(
        cells,
        count=cells.count[back],
        weight=cells.weight[back],
        mass=cells.mass[back],
        score=cells.score[back],
    )
    arm = np.asarray(names)[rows.arm]
    return replace(evidence, cells=cells, rows=replace(rows, arm=arm, cell=arm))


@LAW
@given(evidences(), st.randoms(use_true_random=False))
def test_renaming_arms_renames_the_answer(estimator, evidence, random):
    names = list(range(evidence.cells.arms))
    random.shuffle(names)
    before, after = (numbers(estimator.fit(e)) for e in (evidence, renamed(evidence, names)))
    # Sums over arms may come out in another order.
    np.testing.assert_allclose(after[:, names], before, rtol=1e-6, atol=1e-8)


@LAW
@given(evidences(), st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(estimator, evidence, random):
    order = list(range(len(evidence.hit)))
    random.shuffle(order)
    order = np.array(order, dtype=np.int64)
    rows = evidence.rows
    moved = replace(
        evidence,
        rows=Rows(order, rows.arm[order], rows.cell[order], rows.weight[order], rows.chance[order]),
        hit=evidence.hit[order],
    )
    np.testing.assert_array_equal(numbers(estimator.fit(moved)), numbers(estimator.fit(evidence)))


@LAW
@given(evidences())
def test_two_halves_of_a_label_are_one(estimator, evidence):
    rows = evidence.rows
    halves = Rows(
        *(np.repeat(part, 2) for part in (rows.item, rows.arm, rows.cell)),
        np.repeat(rows.weight / 2, 2),
        np.repeat(rows.chance, 2),
    )
    twice = Evidence(
        evidence.cells, halves, np.repeat(evidence.hit, 2), np.repeat(evidence.counted, 2)
    )
    np.testing.assert_allclose(
        numbers(estimator.fit(twice)), numbers(estimator.fit(evidence)), rtol=1e-9
    )


@LAW
@given(evidences())
def test_intervals_lie_in_order_and_grow_with_the_level(estimator, evidence):
    surface = estimator.fit(evidence)
    for read in (surface.of("pool"), surface.of("rate")):
        (low, high), (wide_low, wide_high) = read.interval(0.5), read.interval(0.99)
        assert (wide_low >= 0).all()
        assert (wide_low <= low).all()
        assert (low <= high).all()
        assert (high <= wide_high).all()
        assert (wide_high <= 1).all()
        assert np.isnan(read.mean).all() or (
            np.nanmin(read.mean) >= 0 and np.nanmax(read.mean) <= 1
        )
        assert (read.belief.variance >= 0).all()


@LAW
@given(evidences())
def test_a_warm_start_gives_what_a_cold_one_gives(estimator, evidence):
    cold = estimator.fit(evidence)
    np.testing.assert_array_equal(numbers(estimator.fit(evidence, start=cold)), numbers(cold))


@LAW
@given(evidences())
def test_every_surface_can_say_what_a_label_is_worth(estimator, evidence):
    surface = estimator.fit(evidence).of("rate")
    worth = Estimate().worth(surface, surface.draw(3, default_rng(1)))
    assert worth.shape == (3, evidence.cells.arms)
    assert np.isfinite(worth).all()


def test_when_all_is_labelled_the_pool_is_known(estimator):
    surface = estimator.fit(worlds_with_scores([2, 0, 3], [3, 4, 3], [3, 4, 3]))
    expected = [2 / 3, 0, 1]
    np.testing.assert_allclose([surface.mean, *surface.interval()], [expected] * 3)
    np.testing.assert_allclose(surface.belief.variance, 0, atol=1e-18)
    np.testing.assert_allclose(surface.draw(5, default_rng(0)), [expected] * 5)
    assert surface.status().tolist() == ["complete"] * 3
    assert "complete" not in surface.of("rate").status().tolist()


def worlds_with_scores(hits, trials, sizes):
    evidence = worlds.evidence(hits, trials, sizes)
    return replace(evidence, cells=replace(evidence.cells, score=np.linspace(0.2, 0.9, len(sizes))))


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
