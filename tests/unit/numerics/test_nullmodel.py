"""How sure a number may be where nothing may matter: against mixtures written out."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats
from scipy.special import expit

from spotheight.numerics.distributions.nullmodel import BURDEN, DOUBT, averaged, null_odds

RANKS = (np.arange(2000) + 0.5) / 2000
NARROW, WIDE = stats.beta(320, 80), stats.beta(4, 1)


@pytest.mark.parametrize("odds", [-20.0, -1.0, 0.0, 3.0])
def test_a_model_that_knows_less_than_a_share_does_is_averaged_with_it(odds):
    """The chance to lie below each draw is its rank, by both beliefs together."""
    levels = default_rng(0).permutation(WIDE.ppf(RANKS))
    moved = averaged(levels, odds, 2, 1)
    alone, share = stats.beta(2.5, 1.5), expit(odds - DOUBT)
    found = np.sort(moved)
    below = share * alone.cdf(found) + (1 - share) * WIDE.cdf(found)
    if np.var(moved) >= np.mean(moved) * (1 - np.mean(moved)) / 5:
        np.testing.assert_allclose(below, RANKS, atol=0.002)
    np.testing.assert_array_equal(np.argsort(moved), np.argsort(levels))


@pytest.mark.parametrize("odds", [-30.0, -BURDEN, 0.0, 30.0])
def test_a_model_that_is_surer_than_a_share_is_spread_around_its_mean(odds):
    """Both agree about the mean here, so that only how sure they are is in question."""
    levels, hits, misses = NARROW.ppf(RANKS), 0.8 * 25 - 0.5, 0.2 * 25 - 0.5
    alone, found = stats.beta(20, 5), averaged(levels, odds, hits, misses)
    first = expit(odds - DOUBT)
    together = first * alone.cdf(found) + (1 - first) * NARROW.cdf(found)
    share = expit(odds + BURDEN)
    below = share * alone.cdf(found) + (1 - share) * together
    np.testing.assert_allclose(below, RANKS, atol=0.004)
    assert found.mean() == pytest.approx(0.8, abs=1e-3)


def test_strong_evidence_leaves_draws_as_they_are():
    levels = default_rng(1).permutation(NARROW.ppf(RANKS))
    np.testing.assert_allclose(averaged(levels, -30.0, 5, 20), levels, atol=1e-4)


@pytest.mark.parametrize("centre", [0.0, 1.0])
def test_draws_at_an_end_are_no_trouble(centre):
    moved = averaged(np.full(100, centre), 0.7, 10 * centre, 10 * (1 - centre))
    assert ((moved >= 0) & (moved <= 1)).all()


@pytest.mark.parametrize(("hits", "misses"), [(3, 0), (5, 9), (0, 40)])
def test_nothing_has_the_evidence_of_jeffreys_prior(hits, misses):
    """The integral of the likelihood."""
    evidence = stats.beta(0.5, 0.5).expect(lambda p: p**hits * (1 - p) ** misses)
    assert null_odds(hits, misses, np.log(evidence)) == pytest.approx(0, abs=1e-6)
