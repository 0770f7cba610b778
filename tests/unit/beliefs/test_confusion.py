"""Intervals of a confusion matrix, against the joint draws that they are short for."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.models.beta import Beta
from spotheight.models.dirichlet import Dirichlet
from spotheight.numerics.distributions import dirichlet
from spotheight.questions.confusion import Confusion

Z = 5.0
"""Standard errors of a quantile that a true interval stays within."""


def believed(strength, estimand, classes=6, rows=600, told=90, hits="surface"):
    rng = default_rng(3)
    truth = rng.choice([f"c{k}" for k in range(classes)], rows)
    answer = np.where(rng.random(rows) < 0.7, truth, "c0")
    answer[:30] = "unheard of"
    ids = [f"i{i:03d}" for i in range(rows)]
    table = pa.table({"id": ids, "answer": answer})
    pool = worlds.pool(
        table, id="id", prediction="answer", classes=[f"c{k}" for k in range(classes)]
    )
    campaign = worlds.campaign(
        pool, estimator=Beta(), class_estimator=Dirichlet(strength, hits=hits)
    )
    campaign.tell({ids[k]: str(truth[k]) for k in rng.choice(rows, told, replace=False)})
    return campaign.believe(Confusion()).of(estimand)


@pytest.mark.parametrize("estimand", ["pool", "rate"])
@pytest.mark.parametrize("strength", [0.03, 1.0, 40.0])
def test_ends_are_quantiles_of_the_joint_draws(strength, estimand):
    """Of 1000 draws the share below an end is .05 with a standard error of .007."""
    belief = believed(strength, estimand)
    low, high = belief.interval(0.9)
    draws = belief.draw(20_000, default_rng(9))
    error = Z * np.sqrt(0.05 * 0.95 * (1 / 1000 + 1 / 20_000))
    for end, share in ((low, 0.05), (high, 0.95)):
        # A count sits on its end with much of its mass, and what is next to never is read as never.
        assert ((draws < end - 1e-9).mean(axis=0) < share + error).all()
        assert ((draws <= end + 1e-9).mean(axis=0) > share - error).all()


@pytest.mark.parametrize("estimand", ["pool", "rate"])
def test_an_arm_alone_has_the_interval_it_has_among_all(estimand):
    belief = believed(1.0, estimand)
    draws = belief.draw(20_000, default_rng(9), np.array([2]))[:, 0]
    low, high = belief.interval(0.9, np.array([2]))
    error = Z * np.sqrt(0.05 * 0.95 * (1 / 1000 + 1 / 20_000))
    assert ((draws < low[0] - 1e-9).mean(axis=0) < 0.05 + error).all()
    assert ((draws <= high[0] + 1e-9).mean(axis=0) > 0.95 - error).all()


def test_many_classes_are_no_more_work_than_their_labels(monkeypatch):
    """Of 300 x 300 mistakes only those with a label of their own are drawn for."""
    belief = believed(1.0, "pool", classes=300, rows=3000, told=400)
    drawn = []

    class Counting:
        def __init__(self, seed):
            self.rng = default_rng(seed)

        def __getattr__(self, name):
            return getattr(self.rng, name)

        def beta(self, a, b, size=None):
            drawn.append(len(a) if size else 0)  # the surface draws its rates without a size
            return self.rng.beta(a, b, size)

    monkeypatch.setattr("spotheight.beliefs.confusion.default_rng", Counting)
    low, high = belief.interval(0.9)
    assert 0 < sum(drawn) < 2000 and low.shape == (belief.cells.arms, 300)
    assert (low <= belief.mean + 1e-9)[belief.seen > 0].all() and (low <= high).all()


def test_the_chance_of_any_is_the_beta_binomials():
    alpha, others, items = np.array([0.01, 0.5, 3.0]), np.array([2.0, 0.2, 9.0]), 12
    expected = 1 - stats.betabinom(items, alpha, others).pmf(0)
    np.testing.assert_allclose(dirichlet.chance_of_any(alpha, others, items), expected)
    assert dirichlet.chance_of_any(np.zeros(1), np.ones(1), 1e9)[0] == 0


@pytest.mark.parametrize("estimand", ["pool", "rate"])
@pytest.mark.parametrize("hits", ["surface", "own"])
def test_sums_over_many_outcomes_are_those_of_the_joint_draws(hits, estimand):
    """Null: both have one distribution in every arm; a false alarm in 1e-4 of the arms."""
    belief = believed(1.0, estimand, classes=60, rows=600, told=90, hits=hits)
    direction = default_rng(5).random(belief.alpha.shape)
    short = belief.draw_along(direction, 4000, default_rng(1))
    long = np.einsum("dao,ao->da", belief.draw(4000, default_rng(2)), direction)
    for arm in range(0, belief.cells.arms, 7):
        # Shares of whole items repeat, but for their last digits.
        sides = (np.round(draws[:, arm], 9) for draws in (short, long))
        assert stats.ks_2samp(*sides).pvalue > 1e-4


def test_parts_of_a_draw_add_up_to_its_moments():
    alpha = np.concatenate([[3.0, 0.0, 0.7], np.full(200, 0.01)])
    outcome, part = dirichlet.draw_parts(alpha, 20_000, default_rng(6))
    assert part.shape[1] < 100 and not (outcome == 1).any()
    np.testing.assert_allclose(part.sum(axis=1), 1)
    exact = stats.dirichlet(np.delete(alpha, 1))
    for cls, place in ((0, 0), (2, 1)):
        drawn = np.where(outcome == cls, part, 0).sum(axis=1)
        error = np.sqrt(exact.var()[place] / 20_000)
        assert abs(drawn.mean() - exact.mean()[place]) < Z * error
        assert drawn.var() == pytest.approx(exact.var()[place], rel=0.06)
    few = dirichlet.draw_parts(np.zeros(3), 5, default_rng(0))
    assert [each.shape for each in few] == [(5, 0), (5, 0)]
