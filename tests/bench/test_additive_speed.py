"""How long the default surface and the default policy take, and how that grows."""

from statistics import median
from time import perf_counter

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

from spotheight.beliefs.gains import gains_of
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.models.additive.estimator import Additive
from spotheight.policies.passive import Random
from spotheight.pool import read_pool
from spotheight.questions.estimate import Estimate

pytestmark = pytest.mark.bench


def labelled(labels, attributes=12, levels=2, rows=150_000):
    """Evidence from so many random labels, and with twelve more, in a pool with scores."""
    rng = default_rng(0)
    codes = np.minimum(rng.geometric(0.4, (rows, attributes)) - 1, levels - 1)
    hit = rng.random(rows) < 1 / (1 + np.exp(codes[:, 0] - 2.0))
    score = np.clip(0.6 + 0.2 * hit + 0.15 * rng.normal(size=rows), 0, 1)
    columns = {f"a{k}": [f"l{code}" for code in codes[:, k]] for k in range(attributes)}
    ids = [f"i{row}" for row in range(rows)]
    table = pa.table({"id": ids, "answer": ["y"] * rows, "score": score, **columns})
    pool = read_pool(
        table, id="id", prediction="answer", score="score", attributes=list(columns), in_memory=True
    )
    truth = dict(zip(ids, np.where(hit, "y", "n").tolist(), strict=True))
    campaign = Campaign(pool, Spec(policy=Random()))
    evidence = []
    for n in (labels, 12):
        campaign.tell({query.item: truth[query.item] for query in campaign.ask(n)})
        evidence.append(campaign.records().evidence())
    return evidence


def seconds(work, times=3):
    taken = []
    for _ in range(times):
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return median(taken)


def asked(surface, n=12):
    """What the policy does after a fit: the gain of every cell, a batch of twelve."""
    gains = gains_of(surface, Estimate().targets(surface))
    for _ in range(n):
        gains.took(int(np.argmax(gains.drop())))


def test_four_thousand_arms_and_two_thousand_labels():
    first, more = labelled(2000)
    surface = Additive().fit(first)
    fit = seconds(lambda: Additive().fit(first))
    unsure = seconds(lambda: Additive().fit(first).pool.model.points)
    refit = seconds(lambda: Additive().fit(more, start=surface))
    ask = seconds(lambda: asked(surface))
    drawn = seconds(lambda: Additive().fit(first).interval(0.9))
    print(
        f"\n{surface.cells.arms} arms, {len(surface.cells)} cells, 2000 labels: fit {fit:.2f} s, "
        f"with the scales' uncertainty {unsure:.2f} s, refit after 12 labels {refit:.2f} s, "
        f"ask of 12 {ask:.2f} s, fit and all intervals {drawn:.2f} s"
    )
    assert fit < 1 and unsure < 2 and refit < 0.3 and ask < 0.5


def test_how_time_grows():
    grid = [("2000 labels", {}), ("200 labels", {"labels": 200}), ("8000 labels", {"labels": 8000}),
            ("6 attributes", {"attributes": 6}), ("24 attributes", {"attributes": 24}),
            ("40 attributes", {"attributes": 40}),
            ("5 levels each", {"attributes": 6, "levels": 5}),
            ("600 levels", {"attributes": 2, "levels": 600})]  # fmt: skip
    print(f"\n{'':16}{'arms':>8}{'columns':>9}{'fit':>8}{'unsure':>8}{'ask 12':>8}")
    for name, changes in grid:
        evidence, _ = labelled(**{"labels": 2000, "rows": 60_000, **changes})
        surface = Additive().fit(evidence)
        model = surface.pool.model
        fit = seconds(lambda e=evidence: Additive().fit(e))
        unsure = seconds(lambda e=evidence: Additive().fit(e).pool.model.points)
        ask = seconds(lambda s=surface: asked(s))
        columns = len(model.touched)
        print(f"{name:16}{model.cells.arms:8}{columns:9}{fit:8.2f}{unsure:8.2f}{ask:8.2f}")
        assert fit < 20 and ask < 12


def test_a_name_with_thousands_of_levels():
    """Speakers by words: 28,000 arms of which twelve have a label. An ask took minutes once."""
    rng = default_rng(0)
    speaker, word = rng.integers(0, 1800, 40_000), rng.integers(0, 30, 40_000)
    columns = {"speaker": [f"s{k}" for k in speaker], "word": [f"w{k}" for k in word]}
    ids = [f"i{row}" for row in range(40_000)]
    table = pa.table({"id": ids, "answer": ["y"] * 40_000, "score": rng.random(40_000), **columns})
    pool = read_pool(
        table, id="id", prediction="answer", score="score", attributes=list(columns), in_memory=True
    )
    campaign = Campaign(pool, Spec(policy=Random()))
    campaign.tell({query.item: "y" for query in campaign.ask(12)})
    surface = campaign.surface()
    ask = seconds(lambda: asked(surface))
    print(f"\n{surface.cells.arms} arms, {len(surface.cells)} cells: ask of 12 {ask:.2f} s")
    assert ask < 3
