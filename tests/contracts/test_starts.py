"""A slow estimator begins at an earlier belief, and nothing else changes by it."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

import worlds
from spotheight.campaign import Campaign
from spotheight.campaign.warm_starts import WarmStarts, milestone
from spotheight.models import Estimator
from spotheight.models.beta import Beta
from spotheight.models.betagp.estimator import BetaGP
from spotheight.policies.passive import Random
from spotheight.policies.variance import Variance
from spotheight.questions.compare import CompareServices
from spotheight.questions.confusion import Confusion
from spotheight.questions.estimate import Estimate
from spotheight.registry import describe

TABLE = worlds.table()
LABELS = worlds.labels(TABLE)


@dataclass(frozen=True)
class Slow(Estimator):
    """Remembers how many labels its fits had, and how many the belief had that they began at."""

    fits: list = field(default_factory=list, compare=False)

    is_slow: ClassVar[bool] = True

    def fit(self, evidence, start=None):
        began = None if start is None else int(start.labelled.sum())
        self.fits.append((int(evidence.labelled.sum()), began))
        return Beta().fit(evidence)


@pytest.fixture(scope="module")
def pool():
    return worlds.pool(TABLE)


def test_milestones_lie_a_quarter_apart():
    reached = sorted({milestone(labels) for labels in range(1, 3000)})
    steps = np.diff(reached) / reached[:-1]
    assert (steps[np.array(reached[:-1]) >= 4] <= 0.25).all() and (steps > 0.125).all()
    assert all(milestone(labels) <= labels for labels in range(100))


def test_each_fit_begins_at_the_last_milestone_which_is_fitted_once(pool):
    slow = Slow()
    campaign = worlds.campaign(pool, estimator=slow, policy=Random())
    worlds.play(campaign, LABELS, turns=1, n=20)
    for _ in range(3):
        worlds.play(campaign, LABELS, turns=1, n=1)
        campaign.surface()
    assert milestone(20) == milestone(21) == 18 and milestone(22) == milestone(23) == 22
    # Twenty labels came at once, so the milestone of 18 is where there were 20.
    assert slow.fits == [(20, None), (21, 20), (22, None), (22, None), (23, 22)]


def test_a_long_log_is_not_read_again_for_the_same_milestone(pool):
    class Log(list):
        reads = 0

        def __iter__(self):
            self.reads += 1
            return super().__iter__()

    campaign = worlds.campaign(pool, estimator=Slow(), policy=Random())
    worlds.play(campaign, LABELS, turns=1, n=22)
    starts, log = WarmStarts(), Log(campaign.log)
    for told in (23, 24, 25, 26):
        assert starts.of(log, told, "the same", lambda ledger: sorted(ledger.told)) is not None
    assert log.reads == 1
    assert len(starts.kept) == 1 and len(starts.kept[0][1]) == 22


def test_an_estimator_that_is_not_slow_gets_no_start(pool, monkeypatch):
    monkeypatch.setattr(Slow, "is_slow", False)
    slow = Slow()
    campaign = worlds.campaign(pool, estimator=slow, policy=Random())
    worlds.play(campaign, LABELS, turns=3, n=8)
    campaign.surface()
    assert slow.fits == [(24, None)]


@pytest.mark.parametrize("task", [Confusion(), CompareServices("service", "other")], ids=describe)
def test_a_question_that_is_not_about_hits_needs_no_start(pool, task):
    slow = Slow()
    campaign = worlds.campaign(pool, estimator=slow, policy=Random())
    worlds.play(campaign, LABELS, turns=1, n=20)
    worlds.play(campaign, LABELS, turns=1, n=1)
    campaign.answer(task)
    assert slow.fits and all(began is None for _, began in slow.fits)


def test_a_warm_surface_is_a_cold_one_and_a_reloaded_campaign_has_the_same(pool):
    estimator = BetaGP(parameters="bernoulli", inducing=12)
    campaign = worlds.campaign(pool, estimator=estimator, policy=Variance(), seed=3)
    worlds.play(campaign, LABELS, turns=1, n=20)
    worlds.play(campaign, LABELS, turns=1, n=1)
    campaign.ask(1)
    warm = campaign.surface()
    cold = estimator.fit(Estimate().evidence(campaign.records())).of("pool")
    np.testing.assert_allclose(warm.mean, cold.mean, atol=2e-3)
    np.testing.assert_allclose(warm.interval(0.9), cold.interval(0.9), atol=5e-3)
    again = Campaign(pool, campaign.spec, list(campaign.log)).surface()
    np.testing.assert_array_equal(again.mean, warm.mean)
    for told, planned in worlds.replayed(campaign):
        assert told == planned
