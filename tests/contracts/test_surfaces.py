"""Beliefs agree with themselves, and a surface's slices with its draws."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.beliefs import BetaRate, FinitePool, Population
from spotheight.beliefs import surface as surface_module
from spotheight.errors import InputError
from spotheight.evidence import Counts
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.pooled import Pooled
from spotheight.questions.compare import Compare
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)
DRAWS = 40_000


def mixed_rate():
    """Three arms under two plausible priors."""
    return BetaRate(
        np.array([2.0, 0, 0.5]),
        np.array([1.0, 0, 1.5]),
        np.array([4.0, 0.3]),
        np.array([1.0, 0.6]),
        np.array([0.7, 0.3]),
    )


def pool_of(rate, rest):
    return FinitePool(rate, Counts(rate.hits, rate.hits + rate.misses), np.array(rest, dtype=float))


BELIEFS = {
    "beta": BetaRate(np.array([3.0, 0.5, 90]), np.array([1.0, 0.5, 2])),
    "mixture": mixed_rate(),
    "shared": BetaRate(np.full(3, 4.0), np.full(3, 2.0), is_shared=True),
    "pool": pool_of(mixed_rate(), [3, 40, 1]),
    "large pool": pool_of(mixed_rate(), [2000, 40, 900]),
    "pool of a shared rate": pool_of(
        BetaRate(np.full(3, 4.0), np.full(3, 2.0), is_shared=True), [3, 40, 1]
    ),
}


@pytest.fixture(params=BELIEFS)
def belief(request):
    return BELIEFS[request.param]


@pytest.mark.parametrize("where", [None, np.array([2, 0])])
def test_draws_have_the_moments_they_should(belief, where):
    """Null: the draws have this mean and variance. Power: .99 for a shift of .04 deviations."""
    at = slice(None) if where is None else where
    mean, variance = belief.mean[at], belief.variance[at]
    draws = belief.draw(DRAWS, default_rng(21), where)
    assert draws.shape == (DRAWS, len(mean))
    assert (np.abs(draws.mean(axis=0) - mean) < Z * np.sqrt(variance / DRAWS)).all()
    squared = (draws - mean) ** 2
    error = squared.std(axis=0) / np.sqrt(DRAWS)
    assert (np.abs(squared.mean(axis=0) - variance) < Z * error).all()


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_intervals_hold_their_share_of_draws(belief, level):
    """Null: at most a tail on each side. Power: .99 for an end off by .016 in probability."""
    low, high = belief.interval(level)
    draws = belief.draw(DRAWS, default_rng(22))
    # Ends of a large pool may be one item off, so half an item of grace on either side.
    grace = 0.5 / belief.size if isinstance(belief, FinitePool) else 1e-8
    tail = (1 - level) / 2
    for outside in ((draws < low - grace).sum(axis=0), (draws > high + grace).sum(axis=0)):
        assert (stats.binom.sf(outside - 1, DRAWS, tail) > FALSE_ALARM).all()
    for inside in ((draws <= low + grace).sum(axis=0), (draws >= high - grace).sum(axis=0)):
        assert (stats.binom.cdf(inside, DRAWS, tail) > FALSE_ALARM).all()


def test_a_shared_rate_is_the_same_in_every_arm():
    draws = BELIEFS["shared"].draw(50, default_rng(1))
    assert (draws == draws[:, :1]).all()
    assert len(np.unique(draws[:, 0])) == 50


def test_a_finite_pool_against_enumeration():
    """Three arms with few items left: every joint outcome has the frequency it should."""
    rate, rest = mixed_rate(), [1, 2, 1]
    belief = pool_of(rate, rest)
    outcomes = list(product(range(2), range(3), range(2)))
    components = zip(rate.weight, rate.prior_hits, rate.prior_misses, strict=True)
    chance = np.zeros(len(outcomes))
    for weight, hits, misses in components:
        arms = [
            stats.betabinom.pmf(np.arange(n + 1), n, hits + h, misses + m)
            for n, h, m in zip(rest, rate.hits, rate.misses, strict=True)
        ]
        chance += weight * np.array(
            [np.prod([p[k] for p, k in zip(arms, ks, strict=True)]) for ks in outcomes]
        )
    values = (rate.hits + np.array(outcomes)) / (rate.hits + rate.misses + rest)
    mean = chance @ values
    np.testing.assert_allclose(belief.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(belief.variance, chance @ (values - mean) ** 2, rtol=1e-11)
    draws = belief.draw(DRAWS, default_rng(23))
    seen = [np.isclose(draws, value).all(axis=1).sum() for value in values]
    assert sum(seen) == DRAWS
    # Null: these chances. Power: .99 for a shift of .015 between two outcomes.
    assert stats.chisquare(seen, chance * DRAWS).pvalue > FALSE_ALARM


def test_what_is_labelled_is_known_and_where_nothing_counts_the_rate_speaks():
    rate = BetaRate(np.array([3.0, 1.0]), np.array([2.0, 1.0]))
    belief = FinitePool(rate, Counts(np.array([2.0, 0]), np.array([4.0, 0])), np.zeros(2))
    assert (belief.mean[0], belief.variance[0]) == (0.5, 0)
    assert [end[0] for end in belief.interval(0.9)] == [0.5, 0.5]
    assert (belief.draw(9, default_rng(0))[:, 0] == 0.5).all()
    assert (belief.mean[1], belief.variance[1]) == (rate.mean[1], rate.variance[1])
    assert [end[1] for end in belief.interval(0.9)] == [end[1] for end in rate.interval(0.9)]


TABLE = worlds.table(rows=60)
ESTIMATORS = [Pooled(), Beta(), EmpiricalBeta(), Frequencies()]


def campaign_of(estimator, **roles):
    """A campaign with 25 labels on 60 items."""
    campaign = worlds.campaign(worlds.pool(TABLE, **{**worlds.ROLES, **roles}), estimator=estimator)
    known = worlds.labels(TABLE)
    campaign.tell({item: known[item] for item in sorted(known)[:25]})
    return campaign


@cache
def surface_of(estimator, estimand):
    return campaign_of(estimator).surface(estimand)


SURFACES = list(product(ESTIMATORS, ("pool", "rate")))


@pytest.fixture(params=SURFACES, ids=str)
def surface(request):
    return surface_of(*request.param)


def test_the_slice_of_everything_is_the_overall_number(surface):
    assert surface.slice() == surface.overall() == surface.slice(gender=["f", "m"])
    assert surface.overall().n_pool == 60
    assert surface.overall().n_labelled == 25


def test_a_reading_has_the_mean_of_its_arms_and_the_quantiles_of_its_draws(surface):
    reading = surface.slice(gender="f", level=0.8)
    arms = surface.partition.where({"gender": "f"})
    mean = np.average(surface.mean[arms], weights=surface.weight[arms])
    draws = surface.weighted(np.where(arms, surface.weight, 0))
    expected = draws.mean() if np.isnan(mean) else mean
    found = (reading.mean, reading.low, reading.high)
    assert found == pytest.approx((expected, *np.quantile(draws, [0.1, 0.9])))
    assert reading.n_pool == surface.cells.mass[arms].sum()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_a_union_of_slices_is_their_mean_by_size_draw_by_draw(data):
    surface = surface_of(*data.draw(st.sampled_from(SURFACES)))
    arms = surface.cells.arms
    side = np.array(data.draw(st.lists(st.integers(0, 2), min_size=arms, max_size=arms)))
    first, second = (np.where(side == s, surface.weight, 0) for s in (0, 1))
    if first.any() and second.any():
        parts = first.sum() * surface.weighted(first) + second.sum() * surface.weighted(second)
        union = surface.weighted(first + second)
        np.testing.assert_allclose(union, parts / (first + second).sum(), rtol=1e-9)


def test_a_union_is_counted_once(surface):
    both = surface.slice({"gender": "f"}, {"accent": "welsh"})
    arms = surface.partition.where({"gender": "f"}) | surface.partition.where({"accent": "welsh"})
    assert both == surface.over(arms)
    assert both.n_pool < surface.slice(gender="f").n_pool + surface.slice(accent="welsh").n_pool


def test_under_its_own_mix_a_surface_reads_its_overall_rate(surface):
    mix = Population.read(TABLE, surface.partition.attributes)
    found, expected = surface.under(mix), surface.of("rate").overall()
    assert repr(surface.under(TABLE)) == repr(found)
    assert found.covered == 1
    assert found.estimand == "rate"
    assert (found.mean, found.low, found.high) == pytest.approx(
        (expected.mean, expected.low, expected.high), rel=1e-9
    )


def test_under_another_mix_arms_count_by_their_share():
    surface = campaign_of(Beta(), attributes=["gender"]).surface()
    other = pa.table({"gender": ["f", "m", "x"], "share": [3.0, 1, 4]})
    reading = surface.under(Population.read(other, surface.partition.attributes))
    assert reading.covered == 0.5
    assert reading.mean == pytest.approx(surface.of("rate").mean @ [0.75, 0.25])


def test_a_frame_has_a_row_an_arm(surface):
    frame = surface.frame(0.8)
    assert frame.column_names == [
        *["accent", "gender", "age", "n_pool", "n_labelled"],
        *["mean", "low", "high", "status"],
    ]
    assert frame.num_rows == surface.cells.arms
    assert sum(frame["n_pool"].to_pylist()) == 60
    assert sum(frame["n_labelled"].to_pylist()) == 25
    low, high = surface.interval(0.8)
    np.testing.assert_array_equal(frame["low"].to_numpy(), low)
    np.testing.assert_array_equal(frame["high"].to_numpy(), high)
    np.testing.assert_array_equal(frame["mean"].to_numpy(), surface.mean)
    np.testing.assert_array_equal(frame["status"].to_pylist(), surface.status(0.8))


def test_status_says_what_is_known():
    surface = Beta().fit(worlds.evidence([90, 0, 3], [100, 0, 3], [200, 5, 3]))
    assert surface.status().tolist() == ["estimated", "insufficient evidence", "complete"]
    assert surface.of("rate").status()[2] == "insufficient evidence"  # 3 of 3 says little


def test_status_tells_what_was_seen_from_what_others_say():
    """An interval that is narrow without any label is not an estimate of what was seen."""
    surface = Pooled().fit(worlds.evidence([90, 0, 9], [100, 0, 10], [200, 5, 10]))
    assert surface.status().tolist() == ["estimated", "inferred", "complete"]
    assert surface.of("rate").status().tolist() == ["estimated", "inferred", "estimated"]


def many_arms(estimator, arms=300):
    rng = default_rng(31)
    trials = rng.integers(0, 4, arms)
    return estimator.fit(worlds.evidence(rng.binomial(trials, 0.7), trials, [6] * arms))


@pytest.mark.parametrize("estimand", ["pool", "rate"])
@pytest.mark.parametrize("estimator", [Pooled(), Beta(), EmpiricalBeta()], ids=repr)
def test_a_large_surface_reads_like_a_small_one(estimator, estimand, monkeypatch):
    """Null: both ways draw from one distribution. Power: .99 for a spread wrong by a fifth."""
    surface = many_arms(estimator).of(estimand)
    kept = surface.weighted(surface.weight)
    monkeypatch.setattr(surface_module, "KEPT_DRAWS", 300 * 64)
    monkeypatch.setattr(surface_module, "FEWEST_DRAWS", 2000)
    anew = surface.weighted(surface.weight)
    assert len(anew) == 2000
    assert stats.ks_2samp(kept, anew, method="asymp").pvalue > FALSE_ALARM
    assert abs(np.log(kept.std() / anew.std())) < Z * np.sqrt(2 / 2 / 2000)


def test_a_large_surface_compares_slices_of_different_size(monkeypatch):
    surface = many_arms(EmpiricalBeta(), arms=40)
    few = {"arm": [f"arm{i}" for i in range(3)]}
    rest = {"arm": [f"arm{i}" for i in range(3, 40)]}
    kept = Compare(few, rest).answer(surface, default_rng(0)).difference
    monkeypatch.setattr(surface_module, "KEPT_DRAWS", 40 * 500)
    anew = Compare(few, rest).answer(replace(surface), default_rng(0)).difference
    spread = (kept.high - kept.low) / 3.3
    # Means of 500 and of 2000 draws.
    assert abs(kept.mean - anew.mean) < Z * spread * np.sqrt(1 / 500 + 1 / 2000)


def test_compare_gives_the_published_probability():
    """Ji et al. 2021: people against trees in CIFAR-100, .96 beyond a margin of .05."""
    surface = Beta().fit(worlds.evidence([279, 350], [481, 511], [481, 511])).of("rate")
    found = Compare({"arm": "arm0"}, {"arm": "arm1"}).answer(surface, default_rng(0))
    at = (np.arange(20_000) + 0.5) / 20_000
    exact = np.mean(stats.beta.cdf(at - 0.05, 280, 203) * stats.beta.pdf(at, 351, 162))
    assert exact == pytest.approx(0.96, abs=0.005)
    draws = surface_module.DRAWS
    assert abs(found.second_better - exact) < Z * np.sqrt(exact * (1 - exact) / draws)
    assert found.first_better + found.equivalent + found.second_better == pytest.approx(1)
    assert found.decision == "the second is better"


def test_identify_against_enumeration():
    """Two arms with two items left each; a tie goes to either."""
    surface = Beta().fit(worlds.evidence([1, 0], [2, 1], [4, 3]))
    first = stats.betabinom.pmf([0, 1, 2], 2, 2, 2)
    second = stats.betabinom.pmf([0, 1, 2], 2, 1, 2)
    exact = sum(
        first[i] * second[j] * (np.sign((0 + j) / 3 - (1 + i) / 4) + 1) / 2
        for i in range(3)
        for j in range(3)
    )
    found = Identify(worst=1).answer(surface, default_rng(5))
    assert abs(found.probability[0] - exact) < Z * np.sqrt(exact * (1 - exact) / 2000)
    assert found.probability.sum() == pytest.approx(1)
    assert found.names == ("arm=arm1",)
    for most in (2, 9):
        with pytest.raises(InputError, match=f"only 2 groups, so the {most} worst .* look for 1"):
            Identify(worst=most).answer(surface, default_rng(5))


def test_the_worth_of_a_label_is_the_published_reward():
    """Ji et al. 2021, Table 1: p_g (Var - [theta Var(a+1, b) + (1 - theta) Var(a, b+1)])."""
    surface = Beta().fit(worlds.evidence([2, 0], [3, 1], [30, 10]))
    theta = np.array([[0.3, 0.8]])
    var = stats.beta.var
    expected = [
        0.75 * (var(3, 2) - 0.3 * var(4, 2) - 0.7 * var(3, 3)),
        0.25 * (var(1, 2) - 0.8 * var(2, 2) - 0.2 * var(1, 3)),
    ]
    np.testing.assert_allclose(Estimate().worth(surface.of("rate"), theta)[0], expected, rtol=1e-9)


def test_questions_that_cannot_be_answered_are_refused():
    surface = surface_of(Pooled(), "pool")
    french = pa.table({"accent": ["french"], "gender": ["f"], "age": [30.0]})
    with pytest.raises(InputError, match="'pool' or 'rate', not 'both'"):
        surface.of("both")
    with pytest.raises(InputError, match="did you mean 'gender'"):
        surface.slice(gendr="f")
    with pytest.raises(InputError, match="no level 'weksh'; did you mean 'welsh'"):
        surface.slice(accent="weksh")
    with pytest.raises(InputError, match="No item of the pool lies in this slice"):
        surface.over(np.zeros(surface.cells.arms, dtype=bool))
    with pytest.raises(InputError, match="No row of the mix"):
        surface.under(Population.read(french, surface.partition.attributes))


def test_an_attribute_called_like_a_number_keeps_its_column():
    source = worlds.table(rows=30).append_column("mean", [["a", "b", "c"] * 10])
    pool = worlds.pool(source, id="id", prediction="prediction", attributes=["mean"])
    frame = worlds.campaign(pool).surface().frame()
    assert frame["attribute:mean"].to_pylist() == ["a", "b", "c"]
    assert len(frame["mean"]) == 3
