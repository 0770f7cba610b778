"""How sure a number may be where nothing may matter: against mixtures written out."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from spotheight.numerics.nothing import BURDEN, chance_of_nothing, spread_out

RANKS = (np.arange(2000) + 0.5) / 2000
NARROW = stats.beta(320, 80)
LEVELS = default_rng(0).permutation(NARROW.ppf(RANKS))
LABELS = 24


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_spread_draws_are_draws_of_the_mixture(share):
    """The chance to lie below each of them is its rank."""
    alone = stats.beta(0.8 * (LABELS + 1), 0.2 * (LABELS + 1))
    moved = spread_out(LEVELS, share, LABELS)
    found = np.sort(moved)
    below = share * alone.cdf(found) + (1 - share) * NARROW.cdf(found)
    np.testing.assert_allclose(below, RANKS, atol=0.002)
    np.testing.assert_array_equal(np.argsort(moved), np.argsort(LEVELS))
    assert moved.mean() == pytest.approx(LEVELS.mean(), abs=5e-4)


def test_draws_that_are_spread_wider_stay_as_they_are():
    """A policy's labels may tell less of the whole than as many random ones would."""
    wide = stats.beta(4, 1).ppf(RANKS)
    np.testing.assert_array_equal(spread_out(wide, 1.0, 200), wide)


@pytest.mark.parametrize("centre", [0.0, 1.0, 1e-12])
def test_draws_at_an_end_stay_there(centre):
    moved = spread_out(np.full(100, centre), 0.7, 10)
    assert np.isfinite(moved).all()
    np.testing.assert_allclose(moved, centre, atol=1e-3)


@pytest.mark.parametrize(("hits", "misses"), [(3, 0), (5, 9), (0, 40)])
def test_nothing_has_the_evidence_of_jeffreys_prior(hits, misses):
    """The integral of the likelihood, held against a model that is as likely ten to one."""
    evidence = stats.beta(0.5, 0.5).expect(lambda p: p**hits * (1 - p) ** misses)
    found = chance_of_nothing(hits, misses, np.log(evidence) + BURDEN)
    assert found == pytest.approx(0.5, abs=1e-6)
