"""Labels in doubt as hits and trials: what they are expected to be, and what they are worth."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logit

import worlds
from spotheight.beliefs import BetaRate
from spotheight.evidence import Evidence, Rows
from spotheight.models.betagp.estimator import BetaGP
from spotheight.models.betagp.reweighting import reweighted, shared, worth
from spotheight.models.mixture import Doubtful

CHANCE = np.array([[0.7, 0.3, 0], [0.2, 0.5, 0.3], [0, 0.6, 0.4], [1, 0, 0], [0.4, 0.3, 0.3]])
HIT = np.array([1.0, 0, 1, 1, 0])
RATE = np.array([0.8, 0.35, 0.6])


def evidence(chance=CHANCE, hit=HIT):
    item, arm = np.nonzero(chance)
    rows = Rows(item, arm, arm, chance[item, arm], np.full(len(item), np.nan))
    return Evidence(worlds.cells([30, 30, 30]), rows, hit[item], np.ones(len(item)))


def log_likelihood(eta, chance=CHANCE, hit=HIT):
    mixed = chance @ expit(eta)
    return float((hit * np.log(mixed) + (1 - hit) * np.log(1 - mixed)).sum())


def pull(counts, rate=RATE):
    return counts.hits - counts.trials * rate


def test_shares_and_worth_pull_rates_as_the_mixture_does():
    doubtful = Doubtful.of(evidence())
    slope = approx_fprime(logit(RATE), log_likelihood, 1e-7)
    many = Doubtful.of(evidence(np.tile(CHANCE, (9, 1)), np.tile(HIT, 9)))
    np.testing.assert_allclose(pull(shared(doubtful, RATE)), slope, atol=1e-6)
    np.testing.assert_allclose(pull(worth(many, RATE)), 9 * slope, atol=1e-5)


def test_shares_add_up_to_the_labels_and_worth_to_their_information():
    """Expected minus second derivatives of one label's log-likelihood, over those of an own one."""
    doubtful = Doubtful.of(evidence())
    assert shared(doubtful, RATE).trials.sum() == pytest.approx(5)
    assert shared(doubtful, RATE).hits.sum() == pytest.approx(3)
    step = 1e-5
    information = np.zeros(3)
    for row in CHANCE:
        mixed = row @ RATE
        for arm in range(3):
            near = RATE.copy()
            near[arm] = expit(logit(RATE[arm]) + step)
            information[arm] += ((row @ near - mixed) / step) ** 2 / (mixed * (1 - mixed))
    expected = information / (RATE * (1 - RATE))
    np.testing.assert_allclose(worth(doubtful, RATE).trials, expected, rtol=1e-4)


def test_hits_never_exceed_trials_nor_fall_below_none():
    """A hit that hardly any arm explains pulls more than it is worth."""
    chance = np.array([[0.98, 0.01, 0.01]])
    found = worth(Doubtful.of(evidence(chance, np.ones(1))), np.array([0.01, 0.99, 0.5]))
    assert (found.hits >= 0).all()
    assert (found.hits <= found.trials).all()


def test_fits_and_shares_agree_in_the_end():
    """With uniform Betas the mixture's posterior mode solves the same equations."""
    rng = np.random.default_rng(0)
    chance = rng.dirichlet([0.3, 0.3, 0.3], 300)
    where = (rng.random((300, 1)) > chance.cumsum(axis=1)).sum(axis=1)
    hit = (rng.random(300) < np.array([0.9, 0.5, 0.2])[where]).astype(float)
    seen = []

    def fit(counts, last):
        seen.append(counts)
        return BetaRate(counts.hits + 1, counts.trials - counts.hits + 1)

    found = reweighted(evidence(chance, hit), fit)
    mean = found.mean
    slope = approx_fprime(logit(mean), lambda eta: log_likelihood(eta, chance, hit), 1e-7)
    # One pseudo-hit and one pseudo-miss hold against the slope; steps of .01 were left.
    np.testing.assert_allclose(slope, 2 * mean - 1, atol=1.0)
    assert (seen[-1].trials < seen[-2].trials).all()


@pytest.mark.parametrize("doubt", ["parts", "mixture"])
def test_items_in_doubt_are_no_known_part_of_the_pool_and_counted_once(doubt):
    known = evidence()
    surface = BetaGP(doubt=doubt).fit(known)
    np.testing.assert_allclose(surface.pool.size, 30)
    np.testing.assert_array_equal(surface.pool.seen.trials, known.settled.counts.trials)


def test_certain_labels_do_not_know_of_doubt():
    certain = evidence(np.eye(3)[[0, 0, 1, 1, 2]])
    plain, mixture = (BetaGP(doubt=doubt).fit(certain) for doubt in ("parts", "mixture"))
    np.testing.assert_array_equal(plain.mean, mixture.mean)
