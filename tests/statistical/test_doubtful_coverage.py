"""Betas of arms when items may lie in several: beside all ways there are, and beside the truth."""

from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.evidence import Evidence, Rows
from spotheight.models.beta import Beta
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.mixture import KEPT
from spotheight.numerics.distributions import beta

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)
LEVEL = 0.9


def doubtful(chance, hit):
    """Evidence of items that lie in arms with these chances, (items, arms)."""
    item, arm = np.nonzero(chance)
    rows = Rows(item, arm, arm, chance[item, arm], np.full(len(item), np.nan))
    cells = worlds.cells([50] * chance.shape[1])
    return Evidence(cells, rows, np.asarray(hit, dtype=float)[item], np.ones(len(item)))


def enumerated(chance, hit):
    """Mean and variance of every rate under uniform priors: a sum over all places of all items."""
    arms, total, first, second = chance.shape[1], 0.0, 0.0, 0.0
    for where in product(range(arms), repeat=len(hit)):
        hits = np.bincount(where, hit, arms)
        misses = np.bincount(where, 1 - hit, arms)
        lies = np.prod(chance[np.arange(len(hit)), where])
        weight = lies * np.exp(beta.log_evidence(hits, misses, np.ones(1), np.ones(1)).sum())
        mean = (hits + 1) / (hits + misses + 2)
        total += weight
        first += weight * mean
        second += weight * (beta.variance(hits + 1, misses + 1) + mean**2)
    return first / total, second / total - (first / total) ** 2


def test_ways_that_are_drawn_average_to_all_ways_there_are():
    """Null: the sampler is right. Means of ways deviate by less than a rate does, over their root.

    Counted in part the first two arms' means are .08 and .05 off, where .04 is allowed.
    """
    chance = np.array([[0.9, 0.1, 0], [0.7, 0, 0.3], [0.5, 0.5, 0], [0.1, 0.1, 0.8],
                       [0.2, 0.3, 0.5], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 0.4]])  # fmt: skip
    hit = np.array([1.0, 1, 0, 0, 1, 1, 0, 0])
    surface = Beta(doubt="mixture").fit(doubtful(chance, hit))
    mean, variance = enumerated(chance, hit)
    between = (surface.rate.hits / (surface.rate.hits + surface.rate.misses)).std(axis=0)
    np.testing.assert_array_less(np.abs(surface.rate.mean - mean), Z * between / np.sqrt(KEPT))
    np.testing.assert_allclose(surface.rate.variance, variance, rtol=0.2)
    drawn = surface.rate.draw(4000, default_rng(0))
    allowed = Z * np.sqrt(surface.rate.variance / 4000)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - surface.rate.mean), allowed)


@pytest.mark.parametrize("estimator", [Beta(doubt="mixture"), EmpiricalBeta()], ids=repr)
def test_intervals_cover_though_nobody_knows_where_items_lie(estimator):
    """Null: one arm of each of 500 pairs is covered with chance .9; pairs know nothing of others.

    Rates are uniform, the prior of the one and learned by the other; 8 labels a pair are in doubt
    between its arms and 3 are not. Counted in part they cover 81% and, learning a prior, 64%.
    """
    rng, pairs = default_rng(20261116), 500
    rates = rng.random(2 * pairs)
    share = np.where(np.arange(11) < 3, 1.0, rng.uniform(0.5, 0.9, (pairs, 11)))
    likelier = rng.integers(2, size=(pairs, 11))
    lies = np.where(rng.random((pairs, 11)) < share, likelier, 1 - likelier)
    places = 2 * np.arange(pairs)[:, None]
    hit = rng.random((pairs, 11)) < rates[places + lies]
    chance = np.zeros((pairs * 11, 2 * pairs))
    items = np.arange(pairs * 11)
    chance[items, (places + likelier).ravel()] = share.ravel()
    chance[items, (places + 1 - likelier).ravel()] += 1 - share.ravel()
    low, high = estimator.fit(doubtful(chance, hit.ravel())).of("rate").interval(LEVEL)
    covered = int(((low <= rates) & (rates <= high))[::2].sum())
    assert stats.binomtest(covered, pairs, LEVEL).pvalue > FALSE_ALARM, covered / pairs


@pytest.mark.parametrize("estimator", [Beta(doubt="mixture"), EmpiricalBeta()], ids=repr)
def test_an_item_whose_label_does_not_count_says_nothing(estimator):
    chance = np.array([[0.5, 0.5], [1, 0], [0.4, 0.6]])
    evidence = doubtful(chance, [1, 0, 1])
    evidence.counted[evidence.rows.item == 2] = 0
    fewer = doubtful(chance[:2], [1, 0])
    np.testing.assert_array_equal(estimator.fit(evidence).rate.mean, estimator.fit(fewer).rate.mean)
