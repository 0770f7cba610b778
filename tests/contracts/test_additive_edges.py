"""The default surface and the default policy where pools are odd."""

from time import process_time

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.models.additive.estimator import Additive
from spotheight.pool import read_pool
from spotheight.questions.compare import Compare
from spotheight.questions.confusion import Confusion
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify


def world(rows, levels, seed=0, score=True, accuracy=0.7):
    """A pool whose attributes have so many levels each, and its true labels."""
    rng = default_rng(seed)
    hit = rng.random(rows) < accuracy
    columns = {
        f"a{place}": [f"l{code}" for code in rng.integers(0, size, rows)]
        for place, size in enumerate(levels)
    }
    if score:
        columns["score"] = np.clip(0.5 + 0.3 * hit + 0.2 * rng.normal(size=rows), 0, 1)
    ids = [f"i{row}" for row in range(rows)]
    table = pa.table({"id": ids, "answer": ["yes"] * rows, **columns})
    pool = read_pool(
        table,
        id="id",
        prediction="answer",
        score="score" if score else None,
        attributes=[f"a{place}" for place in range(len(levels))],
    )
    return pool, dict(zip(ids, np.where(hit, "yes", "no").tolist(), strict=True))


def played(pool, labels, turns=3, n=10, **spec):
    campaign = Campaign(pool, Spec(seed=3, **spec))
    for _ in range(turns):
        campaign.tell({query.item: labels[query.item] for query in campaign.ask(n)})
    return campaign


def assert_sensible(campaign, truth, within):
    for estimand in ("pool", "rate"):
        surface = campaign.surface(estimand)
        low, high = surface.interval(0.9)
        assert np.isfinite(surface.mean).all()
        assert (low >= 0).all() and (high <= 1).all() and (low <= high).all()
        overall = surface.overall()
        assert abs(overall.mean - truth) < within
        assert overall.low < truth + 0.1 and overall.high > truth - 0.1


@pytest.mark.parametrize(
    ("rows", "levels", "score"),
    [
        (400, (3,), True),
        (400, (3,), False),
        (400, (), True),
        (600, (2,) * 40, True),
        (3000, (2000, 2), True),
    ],
    ids=["one attribute", "no score", "no attribute", "40 attributes", "2000 levels"],
)
def test_odd_pools_are_asked_and_drawn_in_seconds(rows, levels, score):
    pool, labels = world(rows, levels, score=score)
    start = process_time()
    campaign = played(pool, labels)
    assert_sensible(campaign, truth=0.7, within=0.25)
    # A budget, not a race: the slowest took 4 s on a busy core.
    assert process_time() - start < 30


@pytest.mark.parametrize("accuracy", [0.0, 1.0], ids=["all misses", "all hits"])
def test_ten_labels_that_all_agree_leave_doubt(accuracy):
    pool, labels = world(500, (3, 2), accuracy=accuracy)
    campaign = played(pool, labels, turns=1, n=10)
    overall = campaign.surface("rate").overall()
    assert abs(overall.mean - accuracy) < 0.25
    assert overall.high - overall.low > 0.02


def test_without_labels_it_says_that_it_knows_nothing():
    pool, _ = world(200, (3, 2))
    surface = Campaign(pool, Spec()).surface("rate")
    low, high = surface.interval(0.9)
    assert (high - low > 0.6).all()


def test_fractions_of_hits_and_of_items_count_as_such():
    """Twice the weight is twice the evidence, and a verdict of one half is half a hit."""
    pool, labels = world(400, (3,))
    evidence = played(pool, labels).records().evidence()
    half = type(evidence)(
        evidence.cells, evidence.rows, np.full_like(evidence.hit, 0.5), evidence.counted
    )
    assert Additive().fit(half).of("rate").overall().mean == pytest.approx(0.5, abs=0.05)
    some = np.where(np.arange(len(evidence.hit)) % 2, 1.0, 0.25)
    weighted = type(evidence)(evidence.cells, evidence.rows, evidence.hit, some)
    narrow = Additive().fit(evidence).of("rate").overall()
    wide = Additive().fit(weighted).of("rate").overall()
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_million_unlabelled_rows_cost_no_more_than_their_cells():
    rng, rows = default_rng(1), 1_000_000
    ids = np.char.add("i", np.arange(rows).astype(str))
    accent = np.array(["a", "b", "c"])[rng.integers(0, 3, rows)]
    table = pa.table({"id": ids, "answer": ["yes"] * rows, "accent": accent, "s": rng.random(rows)})
    pool = read_pool(table, id="id", prediction="answer", score="s", attributes=["accent"])
    campaign = Campaign(pool, Spec())
    campaign.tell(dict.fromkeys((query.item for query in campaign.ask(12)), "yes"))
    start = process_time()
    surface = campaign.surface()
    assert np.isfinite(surface.mean).all()
    assert len(surface.cells) < 300
    assert process_time() - start < 5


@pytest.mark.parametrize(
    "task",
    [
        Estimate(weigh="items"),
        Estimate(weigh="overall"),
        Estimate(within="a0=l0"),
        Estimate(within="a0=l0|l1", weigh="overall"),
        Identify(worst=2),
        Compare({"a0": "l0"}, {"a0": "l1"}),
        Confusion(),
    ],
    ids=repr,
)
def test_the_default_policy_serves_every_question(task):
    pool, labels = world(300, (3, 2))
    campaign = played(pool, labels, turns=2, n=6, task=task)
    assert len(campaign.ledger.told) == 12
    assert all(query.why for query in campaign.ask(3))


def test_gain_labels_the_slice_that_is_asked_about():
    pool, labels = world(600, (3, 2))
    within = played(pool, labels, turns=4, n=10, task=Estimate(within="a0=l0", weigh="overall"))
    anywhere = played(pool, labels, turns=4, n=10)
    counts = [c.surface().slice(a0="l0").n_labelled for c in (within, anywhere)]
    # A fifth is drawn at random, of which a third lies in the slice.
    assert counts[0] > 25 > counts[1]


def test_gain_labels_both_sides_of_a_comparison():
    pool, labels = world(600, (6,))
    campaign = played(pool, labels, turns=4, n=10, task=Compare({"a0": "l0"}, {"a0": "l1"}))
    surface = campaign.surface()
    sides = [surface.slice(a0=level).n_labelled for level in ("l0", "l1")]
    assert min(sides) >= 10 and sum(sides) > 25


def test_gain_takes_the_cheaper_of_two_equal_labels():
    pool, labels = world(400, (2,), score=False)
    columns = dict(pool.columns) if hasattr(pool, "columns") else {}
    assert columns, "a pool in memory"
    price = np.where(columns["attribute:a0"] == columns["attribute:a0"][0], 1.0, 20.0)
    table = pa.table(
        {
            "id": list(columns["id"]),
            "answer": ["yes"] * 400,
            "a0": [f"l{code}" for code in columns["attribute:a0"]],
            "cost": price,
        }
    )
    priced = read_pool(table, id="id", prediction="answer", price="cost", attributes=["a0"])
    campaign = played(priced, labels, turns=3, n=10)
    counts = campaign.surface().labelled
    assert max(counts) > 2.5 * min(counts)
