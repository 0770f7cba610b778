"""Differences and ratios of slices agree with the slices and with the joint draws behind them."""

from dataclasses import replace
from functools import cache
from itertools import product
from math import inf, isnan

import numpy as np
import pytest
from scipy import stats

import worlds
from spotheight.beliefs import surface as surface_module
from spotheight.errors import InputError
from spotheight.models.additive.estimator import Additive
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.pooled import Pooled

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)
TABLE = worlds.table(rows=60)
ESTIMATORS = [Pooled(), Beta(), EmpiricalBeta(), Frequencies(), Additive()]
SURFACES = list(product(ESTIMATORS, ("pool", "rate")))
FIRST, SECOND = {"gender": "f"}, {"accent": ["welsh", "irish"]}


@cache
def fitted(estimator):
    campaign = worlds.campaign(worlds.pool(TABLE), estimator=estimator)
    known = worlds.labels(TABLE)
    campaign.tell({item: known[item] for item in sorted(known)[:25]})
    return campaign.surface()


@pytest.fixture(params=SURFACES, ids=str)
def surface(request):
    estimator, estimand = request.param
    return fitted(estimator).of(estimand)


def drawn(surface, levels):
    return surface.weighted(np.where(surface.partition.where(levels), surface.weight, 0))


def ends(reading):
    return reading.low, reading.high


def numbers(reading):
    return reading.mean, reading.low, reading.high


def test_a_difference_is_that_of_the_slices_draw_by_draw(surface):
    found = surface.difference(FIRST, SECOND, level=0.8)
    draws = drawn(surface, FIRST) - drawn(surface, SECOND)
    assert ends(found) == pytest.approx(tuple(np.quantile(draws, [0.1, 0.9])), abs=1e-12)
    assert found.mean == pytest.approx(surface.slice(FIRST).mean - surface.slice(SECOND).mean)
    assert (found.level, found.estimand) == (0.8, surface.estimand)


def test_a_ratio_has_the_ratio_of_means_and_the_quantiles_of_ratios(surface):
    found = surface.ratio(FIRST, SECOND, level=0.8)
    draws = drawn(surface, FIRST) / drawn(surface, SECOND)
    assert found.mean == pytest.approx(surface.slice(FIRST).mean / surface.slice(SECOND).mean)
    expected = (np.quantile(draws, 0.1, method="lower"), np.quantile(draws, 0.9, method="higher"))
    assert ends(found) == pytest.approx(expected)


def test_turned_round_the_sign_turns_and_the_ratio_too(surface):
    there, back = surface.difference(FIRST, SECOND), surface.difference(SECOND, FIRST)
    assert numbers(there) == pytest.approx((-back.mean, -back.high, -back.low))
    there, back = surface.ratio(FIRST, SECOND), surface.ratio(SECOND, FIRST)
    assert numbers(there) == pytest.approx((1 / back.mean, 1 / back.high, 1 / back.low))


def test_a_slice_does_not_differ_from_itself(surface):
    same = surface.difference(FIRST, FIRST)
    assert numbers(same) == pytest.approx((0, 0, 0), abs=1e-12)
    ratio = surface.ratio(FIRST, FIRST)
    assert numbers(ratio) == pytest.approx((1, 1, 1))


def test_unions_are_levels_side_by_side_and_an_empty_slice_is_everything(surface):
    parts = [{"accent": "welsh"}, {"accent": "irish"}]
    for contrast in (surface.difference, surface.ratio):
        assert numbers(contrast(FIRST, parts)) == numbers(contrast(FIRST, SECOND))
    whole = surface.difference(FIRST, {})
    assert whole.mean == pytest.approx(surface.slice(FIRST).mean - surface.overall().mean)


def test_ends_have_the_probability_that_integration_gives():
    """Two independent Betas. Null: the ends are the 5% and 95% points of exact distributions."""
    surface = Beta().fit(worlds.evidence([14, 3], [20, 9], [40, 40])).of("rate")
    pair = ({"arm": "arm0"}, {"arm": "arm1"})
    first, second = stats.beta(15, 7), stats.beta(4, 7)
    at = (np.arange(20_000) + 0.5) / 20_000
    density = second.pdf(at) / 20_000
    spread = Z * np.sqrt(0.05 * 0.95 / surface_module.DRAWS)
    for tail, step in zip((0.05, 0.95), ends(surface.difference(*pair)), strict=True):
        assert abs(first.cdf(at + step) @ density - tail) < spread
    # One rank of 2000 is what an end, being a draw, may be off.
    for tail, times in zip((0.05, 0.95), ends(surface.ratio(*pair)), strict=True):
        assert abs(first.cdf(at * times) @ density - tail) < spread + 1 / surface_module.DRAWS


def test_what_slices_share_cancels():
    """One rate for all arms: however unsure it is, slices do not differ."""
    surface = fitted(Pooled()).of("rate")
    assert surface.overall().high - surface.overall().low > 0.1
    assert ends(surface.difference(FIRST, SECOND)) == pytest.approx((0, 0), abs=1e-12)
    assert ends(surface.ratio(FIRST, SECOND)) == pytest.approx((1, 1))


def test_slices_of_a_large_surface_still_share_their_draws(monkeypatch):
    surface = fitted(Pooled()).of("rate")
    monkeypatch.setattr(surface_module, "KEPT_DRAWS", 10 * surface.cells.arms)
    anew = replace(surface)
    assert ends(anew.difference(FIRST, SECOND)) == pytest.approx((0, 0), abs=1e-12)
    assert ends(anew.ratio(FIRST, SECOND)) == pytest.approx((1, 1))


def counted(hits, trials, sizes):
    """A pool surface, so that what is labelled to the last item is known."""
    return Beta().fit(worlds.evidence(hits, trials, sizes))


ARMS = ({"arm": "arm0"}, {"arm": "arm1"})


def test_over_a_slice_that_never_hits_there_is_no_ratio():
    over_nothing = counted([3, 0], [5, 5], [5, 5]).ratio(*ARMS)
    assert numbers(over_nothing) == (inf, inf, inf)
    both = counted([0, 0], [5, 5], [5, 5]).ratio(*ARMS)
    assert isnan(both.mean)
    assert ends(both) == (0, inf)


def test_a_ratio_is_open_above_just_when_the_second_slice_may_well_be_nothing():
    assert stats.betabinom.pmf(0, 3, 1, 11) > 0.5  # ten misses, three items left
    doubtful = counted([5, 0], [10, 10], [10, 13]).ratio(*ARMS)
    assert doubtful.high == inf and 0 < doubtful.mean < inf
    assert 0 < stats.betabinom.pmf(0, 200, 1, 1) < 0.005  # no label, so it may be nothing
    assert counted([5, 0], [10, 0], [10, 200]).ratio(*ARMS).high < inf


def test_nothing_over_nothing_counts_against_both_ends():
    """First: 0 of 5. Second: 0 of 5 with one left, a hit with chance 1/7. So 0/0 or 0/1."""
    found = counted([0, 0], [5, 5], [5, 6]).ratio(*ARMS)
    assert numbers(found) == (0, 0, inf)


def test_slices_that_hold_nothing_are_named():
    surface = fitted(Beta())
    codes = {tuple(levels) for levels in surface.partition.codes.tolist()}
    accents, genders, ages = (attribute.levels for attribute in surface.partition.attributes)
    absent = next(
        {"accent": a, "gender": g, "age": o}
        for (i, a), (j, g), (k, o) in product(*map(enumerate, (accents, genders, ages)))
        if (i, j, k) not in codes
    )
    name = ",".join(f"{key}={level}" for key, level in absent.items())
    for wrong in (
        lambda: surface.slice(absent),
        lambda: surface.difference(FIRST, absent),
        lambda: surface.ratio(absent, FIRST),
    ):
        with pytest.raises(InputError, match="No item of the pool lies in the slice") as refused:
            wrong()
        assert repr(name) in str(refused.value)
    with pytest.raises(InputError, match="did you mean 'gender'"):
        surface.difference({"gendr": "f"}, SECOND)
    with pytest.raises(InputError, match="no level 'weksh'; did you mean 'welsh'"):
        surface.ratio(FIRST, {"accent": "weksh"})
