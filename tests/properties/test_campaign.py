"""Laws of the loop, over generated tables and generated people."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import worlds
from properties import strategies as make
from spotheight.campaign import Campaign
from spotheight.history.events import Asked, Released
from spotheight.models.beta import Beta
from spotheight.policies.change import ExpectedChange
from spotheight.policies.mix import Mix
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.thompson import Thompson
from spotheight.pool import names as c
from spotheight.questions.precision import PrecisionAt

ROLES = {
    "id": "id",
    "prediction": "prediction",
    "score": "score",
    "attributes": ["g", "x:bins=2", "@prediction"],
}
POLICIES = st.sampled_from(
    [Random(), Uniform(), Proportional(), Thompson(draws=4), Mix(second=Thompson(draws=1))]
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask", "tell", "skip", "correct", "release", "gift"]),
        st.integers(1, 4),
        st.sampled_from(["", "ann", "bob"]),
    ),
    max_size=8,
)


def walk(campaign: Campaign, steps, labels) -> None:
    """People who ask, tell, skip, correct and release; what they do hangs on the log alone."""
    for kind, n, who in steps:
        waiting = sorted(item for item, by in campaign.ledger.out.items() if who in by)[:n]
        if kind == "ask":
            campaign.ask(n, annotator=who)
        elif kind == "tell":
            campaign.tell({item: labels[item] for item in waiting}, annotator=who)
        elif kind == "skip":
            campaign.skip(waiting, annotator=who)
        elif kind == "correct":
            mine = sorted(item for item, by in campaign.ledger.told.items() if who in by)[:n]
            campaign.correct(dict.fromkeys(mine, "other"), annotator=who)
        elif kind == "release":
            campaign.record(Released(tuple(waiting), who))
        else:
            gift = sorted(labels)[:n]
            free = [item for item in gift if who not in campaign.ledger.told.get(item, {})]
            campaign.tell({item: labels[item] for item in free}, annotator=who)


@make.FEW
@given(make.tables(), POLICIES, STEPS, st.integers(0, 99))
def test_both_pools_walk_the_same_way(table, policy, steps, seed):
    walked = []
    for pool in worlds.both(table, **ROLES):
        campaign = worlds.campaign(pool, policy=policy, estimator=Beta(), seed=seed)
        walk(campaign, [("ask", 3, ""), ("tell", 2, ""), *steps], worlds.labels(table))
        walked.append(campaign)
    first, second = walked
    note(repr(first.log))
    assert first.log == second.log
    np.testing.assert_allclose(first.surface().mean, second.surface().mean)


@make.FEW
@given(make.tables())
def test_both_pools_hold_the_same_items(table):
    column, engine = worlds.both(table, **ROLES)
    assert column.layout == engine.layout
    ours, theirs = (pool.cells(pool.layout.attributes, "service") for pool in (column, engine))
    for name in ("arm", "bin", "count"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_allclose(ours.score, theirs.score, atol=1e-11)
    ranks = {cell: range(count) for cell, count in enumerate(ours.count)}
    assert column.pick(ours, ranks, ()) == engine.pick(theirs, ranks, ())
    first = column.layout.attributes[:1]
    best = [pool.listed(first, ("service",), 2)[c.ID] for pool in (column, engine)]
    assert list(best[0]) == list(best[1])


@make.SOME
@given(make.tables(), POLICIES, STEPS, st.integers(0, 99))
def test_nothing_is_handed_out_twice_and_everything_replays(table, policy, steps, seed):
    pool = worlds.pool(table, **ROLES)
    campaign = worlds.campaign(pool, policy=policy, estimator=Beta(), seed=seed, budget=8)
    walk(campaign, steps, worlds.labels(table))
    for place, event in enumerate(campaign.log):
        if isinstance(event, Asked):
            before = Campaign(pool, campaign.spec, campaign.log[:place])
            items = [query.item for query in event.queries]
            assert not set(items) & before.ledger.taken(None)
            assert len(set(items)) == len(items)
            assert all(query.chance is None or 0 < query.chance <= 1 for query in event.queries)
            spent = len(before.ledger.told.keys() | before.ledger.out.keys())
            assert not items or spent + len(items) <= 8 + len(before.ledger.skipped)
    for told, again in worlds.replayed(campaign):
        assert told == again


@make.SOME
@given(make.tables(), STEPS, st.integers(0, 99))
def test_evidence_counts_every_labelled_item_once(table, steps, seed):
    pool = worlds.pool(table, **ROLES)
    campaign = worlds.campaign(pool, policy=Random(), seed=seed)
    walk(campaign, [("ask", 3, ""), ("tell", 3, ""), *steps], worlds.labels(table))
    evidence = campaign.records().evidence()
    told = campaign.ledger.told
    assert evidence.labelled.sum() == pytest.approx(len(told))
    assert evidence.counts.trials.sum() == pytest.approx(len(told))
    answers = dict(zip(table["id"].to_pylist(), table["prediction"].to_pylist(), strict=True))
    hits = sum(share_right(by.values(), answers[item]) for item, by in told.items())
    assert evidence.counts.hits.sum() == pytest.approx(hits)
    assert (evidence.labelled <= evidence.cells.mass + 1e-9).all()


def share_right(labels, answer) -> float:
    """How much of a hit an answer is, if the most frequent labels share the truth."""
    labels = list(labels)
    most = max(labels.count(label) for label in labels)
    winners = {label for label in labels if labels.count(label) == most}
    return (answer in winners) / len(winners)


def test_both_pools_give_the_same_ranked_lists_and_deterministic_asks():
    source = worlds.table(rows=60, seed=4)
    roles = {"id": "id", "score": "score", "category": "accent", "noisy_label": "verdict"}
    spec = {"policy": ExpectedChange(), "task": PrecisionAt(5)}
    logs, answers = [], []
    for pool in worlds.both(source.filter(pa.compute.is_valid(source["accent"])), **roles):
        campaign = worlds.campaign(pool, **spec)
        for _ in range(3):
            asked = campaign.ask(3)
            campaign.tell({query.item: len(query.item) % 2 for query in asked})
        logs.append(campaign.log)
        answers.append(campaign.answer(PrecisionAt(5)))
        assert all(told == again for told, again in worlds.replayed(campaign))
    assert logs[0] == logs[1]
    assert repr(answers[0]) == repr(answers[1])  # a reading holds NaN, which equals nothing
    items = [query.item for event in logs[0] if isinstance(event, Asked) for query in event.queries]
    assert len(set(items)) == len(items) == 9
