"""Recorded chances are right: what rests on them alone is unbiased, whatever the policy."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.models.beta import Beta
from spotheight.policies.mix import Mix
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.thompson import Thompson
from spotheight.pool.names import prediction_of

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)

POLICIES = [
    Random(),
    Uniform(),
    Proportional(),
    Mix(0.4, Random(), Thompson()),
    Mix(0.4, Random(), Thompson(draws=1)),
    Mix(0.5, Uniform(), Proportional(0)),
]

SIZES, HITS = (9, 2, 1), (8, 0, 0)
ITEMS = sum(SIZES)
TRUTH = sum(HITS) / ITEMS


def levelled(hits, chances):
    """Levelled unbiased risk estimate (Farquhar et al. 2021, eq. 5) of hits, in order of asking."""
    hits, chances = np.asarray(hits, dtype=float), np.asarray(chances, dtype=float)
    total, turn = len(hits), np.arange(1, len(hits) + 1)
    excess = 1 / ((ITEMS - turn + 1) * chances) - 1
    return float(np.mean((1 + (ITEMS - total) / (ITEMS - turn) * excess) * hits))


@pytest.fixture(scope="module")
def pool():
    arm = np.repeat(list("abc"), SIZES)
    hit = np.concatenate([np.arange(n) < h for n, h in zip(SIZES, HITS, strict=True)])
    table = {"id": [f"i{i:02d}" for i in range(ITEMS)], "arm": arm, "p": np.where(hit, "y", "n")}
    return worlds.pool(pa.table(table), id="id", prediction="p", attributes=["arm"])


def played(pool, policy, seed):
    """Hits and chances of six labels, asked for in three batches; the truth is always ``y``."""
    campaign = worlds.campaign(pool, policy=policy, estimator=Beta(), seed=seed)
    queries = [query for _ in range(3) for query in asked_and_told(campaign)]
    hits = pool.rows([query.item for query in queries])[prediction_of("service")] == "y"
    return hits, [query.chance for query in queries]


def asked_and_told(campaign):
    queries = campaign.ask(2)
    campaign.tell({query.item: "y" for query in queries})
    return queries


RUNS = 500


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_the_levelled_estimate_is_unbiased(policy, pool):
    """Null: its mean over campaigns is the pool's accuracy, and its weights average one.

    Power: .99 for a bias of .09, half of what the plain mean has under ``Uniform``.
    """
    runs = [played(pool, policy, seed) for seed in range(RUNS)]
    for truth, estimates in (
        (TRUTH, [levelled(hits, chances) for hits, chances in runs]),
        (1, [levelled(np.ones(len(hits)), chances) for hits, chances in runs]),
    ):
        error = np.std(estimates, ddof=1) / np.sqrt(RUNS)
        assert error < 0.012
        assert abs(np.mean(estimates) - truth) <= Z * error + 1e-12


def expected_hits(left, turns):
    """Exact under ``Uniform``: any arm with items left, each alike, then one of its items."""
    if not turns:
        return 0.0
    open_arms = [arm for arm, items in enumerate(left) if items]
    total = 0.0
    for arm in open_arms:
        rest = tuple(items - (place == arm) for place, items in enumerate(left))
        total += HITS[arm] / SIZES[arm] + expected_hits(rest, turns - 1)
    return total / len(open_arms)


def test_the_plain_mean_is_biased_under_uniform_asking(pool):
    """So the test above can fail: without the chances the answer is far off, by as much as it must.

    Null: the plain mean over campaigns is the exact one, .18 below the truth.
    """
    means = [np.mean(played(pool, Uniform(), seed)[0]) for seed in range(150)]
    error = np.std(means) / np.sqrt(len(means))
    exact = expected_hits(SIZES, 6) / 6
    assert TRUTH - exact > max(10 * error, 0.18)
    assert abs(np.mean(means) - exact) < Z * error


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_the_levelled_estimate_over_every_possible_batch(policy):
    """Exact: the sum over all ways a batch of four can come out, each with its probability."""
    cells = worlds.cells(SIZES)
    surface = Beta().fit(worlds.evidence([1, 0, 0], [1, 1, 0], SIZES))
    turns = policy.turns(worlds.view(cells, surface), default_rng(2))

    def expected(left, hits_left, hits, chances):
        """The mean of the estimate from here on; hits are dealt out uniformly inside a cell."""
        if len(hits) == 4:
            return levelled(hits, chances)
        mean = 0.0
        weight = turns.weights(left)
        for cell in np.flatnonzero(weight):
            fewer = left - (np.arange(3) == cell)
            chance = weight[cell] / left[cell]
            for hit, among in ((1, hits_left[cell]), (0, left[cell] - hits_left[cell])):
                if among:
                    rest = hits_left - hit * (np.arange(3) == cell)
                    mean += chance * among * expected(fewer, rest, [*hits, hit], [*chances, chance])
        return mean

    found = expected(np.array(SIZES), np.array(HITS), [], [])
    assert found == pytest.approx(TRUTH, abs=1e-12)


def test_thompson_alone_leaves_arms_without_a_chance():
    """Why a share of random draws is kept: an arm nobody votes for biases what rests on chances."""
    cells = worlds.cells(SIZES)
    surface = Beta().fit(worlds.evidence([1, 0, 0], [1, 1, 0], SIZES))
    alone = Thompson().turns(worlds.view(cells, surface), default_rng(2)).weights(cells.count)
    mixed = Mix(0.2, Random(), Thompson()).turns(worlds.view(cells, surface), default_rng(2))
    assert alone.min() == 0
    assert mixed.weights(cells.count).min() > 0
