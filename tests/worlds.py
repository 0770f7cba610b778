"""Small worlds for tests: tables, pools of both kinds, campaigns, and evidence without a pool.

    import worlds
    source = worlds.table(rows=60)                       # a pyarrow table with every role in it
    column, engine = worlds.both(source, **worlds.ROLES)  # the same pool, in memory and in DuckDB
    campaign = worlds.campaign(column, seed=7)
    worlds.play(campaign, worlds.labels(source), turns=3, n=4)   # ask and tell, three times

``evidence(hits, trials, sizes)`` builds evidence over one attribute without any pool: an arm for
each entry, for tests of estimators, beliefs and tasks.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from spotheight.arms import Attribute, Partition
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.evidence import Evidence, Rows
from spotheight.history.events import Asked, Query
from spotheight.policies import View
from spotheight.pool import Cells, ColumnPool, Pool, TablePool, read_pool
from spotheight.pool.chances import ArmChances
from spotheight.pool.layout import NO_SCORE
from spotheight.pool.strata import Strata
from spotheight.questions import Estimate, Task

CLASSES = ("cat", "dog", "owl")

ROLES: dict[str, Any] = {
    "id": "id",
    "prediction": "prediction",
    "score": "score",
    "attributes": ["accent", "gender", "age:bins=3"],
}
"""Roles for ``table``: one service, two text attributes and a cut number."""

TWO: dict[str, Any] = {
    "id": "id",
    "prediction": {"plain": "prediction", "other": "other"},
    "score": {"plain": "score", "other": "sure"},
}
"""Roles for ``table``: two services."""

KINDS = {"column": ColumnPool, "table": TablePool}
"""The pools there are, by the name a test shows."""


def table(rows: int = 48, seed: int = 0) -> pa.Table:
    """A pool with every role: answers with gaps, scores with gaps and ties, labels, prices.

    ``prediction`` and ``score`` are one service's, ``other`` and ``sure`` a second one's, which is
    right more often. ``verdict`` and ``number`` are truths for metrics that read no class.
    """
    rng = np.random.default_rng(seed)
    truth = rng.choice(CLASSES, size=rows)
    accent = rng.choice(["welsh", "irish", "scots"], size=rows, p=[0.6, 0.3, 0.1])
    return pa.table(
        {
            "id": [f"item-{i:03d}" for i in rng.permutation(rows)],
            "prediction": _gaps(_mistaken(truth, 0.35, rng), 0.08, rng),
            "score": _gaps(rng.random(rows).round(1), 0.1, rng),
            "other": _gaps(_mistaken(truth, 0.15, rng), 0.02, rng),
            "sure": _gaps(rng.random(rows), 0.1, rng),
            "accent": _gaps(accent, 0.1, rng),
            "gender": rng.choice(["f", "m"], size=rows),
            "age": _gaps(rng.integers(16, 80, size=rows).astype(float), 0.1, rng),
            "label": truth,
            "verdict": rng.choice([0.0, 0.5, 1.0], size=rows),
            "number": rng.integers(1, 6, size=rows).astype(float),
            "weight": rng.choice([0.5, 1.0, 2.0], size=rows),
            "price": rng.choice([1.0, 3.0], size=rows),
        }
    )


def population(pool: Pool) -> Cells:
    """The arms that a pool's items probably belong to, by the models' word."""
    drawn = pool.cells(pool.layout.attributes, "service")
    return ArmChances().population(Strata(pool, drawn))


def _mistaken(truth: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(len(truth)) < share, rng.choice(CLASSES, size=len(truth)), truth)


def _gaps(values: np.ndarray, share: float, rng: np.random.Generator) -> pa.Array:
    """The values with some of them missing."""
    return pa.array(values.tolist(), mask=rng.random(len(values)) < share)


def pool(source: object, kind: str = "column", **roles: Any) -> Pool:
    """One pool of a kind, ``column`` or ``table``; without roles those of ``table``."""
    made = read_pool(source, in_memory=kind == "column", **(roles or ROLES))
    assert isinstance(made, KINDS[kind])
    return made


def both(source: object, **roles: Any) -> tuple[Pool, Pool]:
    """The same pool in memory and in its engine."""
    return pool(source, "column", **roles), pool(source, "table", **roles)


def small(kind: str, columns: Mapping[str, Any], *attributes: str, **roles: Any) -> Pool:
    """A pool over a few columns; ids i000, i001, ... and answers are made up where not given."""
    rows = len(next(iter(columns.values())))
    made = {"id": [f"i{row:03d}" for row in range(rows)], "prediction": ["x"] * rows}
    named = {"id": "id", "prediction": "prediction", "attributes": list(attributes), **roles}
    return pool(pa.table({**made, **columns}), kind, **named)


def campaign(pool: Pool, **spec: Any) -> Campaign:
    """A campaign whose decisions are named here and default elsewhere."""
    return Campaign(pool, Spec(**spec))


def labels(source: pa.Table, column: str = "label") -> dict[str, Any]:
    """What a person who knows the truth would say of each item."""
    return dict(zip(source["id"].to_pylist(), source[column].to_pylist(), strict=True))


def play(
    campaign: Campaign, labels: Mapping[str, Any], *, turns: int = 3, n: int = 4
) -> tuple[Query, ...]:
    """Ask and tell ``turns`` times; give back all queries."""
    queries: list[Query] = []
    for _ in range(turns):
        asked = campaign.ask(n)
        campaign.tell({query.item: labels[query.item] for query in asked})
        queries.extend(asked)
    return tuple(queries)


def replayed(campaign: Campaign) -> list[tuple[Asked, Asked]]:
    """Every ask of the log beside the same ask computed anew from what stood before it."""
    pairs = []
    for place, event in enumerate(campaign.log):
        if isinstance(event, Asked):
            before = Campaign(campaign.pool, campaign.spec, campaign.log[:place])
            again = before.plan_ask(
                event.size,
                annotator=event.annotator,
                until=event.until,
                now=event.at or None,
                seen=event.seen,
            )
            pairs.append((event, again))
    return pairs


def cells(sizes: Sequence[int]) -> Cells:
    """Arms of these sizes over one attribute ``arm``, without scores."""
    levels = tuple(f"arm{place}" for place in range(len(sizes)))
    partition = Partition.of((Attribute("arm", "arm", levels),), np.arange(len(sizes))[:, None])
    count = np.array(sizes, dtype=np.int64)
    arms = np.arange(len(sizes))
    nothing = np.full(len(sizes), np.nan)
    one = np.ones(len(sizes))
    return Cells(
        partition,
        "service",
        NO_SCORE,
        arms,
        arms * 0 + 1,
        count,
        nothing,
        one,
        count * one,
        one * count,
    )


def evidence(hits: Sequence[int], trials: Sequence[int], sizes: Sequence[int]) -> Evidence:
    """So many hits in so many labels of each arm, every label with the chance of a random draw."""
    held = cells(sizes)
    arm = np.repeat(np.arange(held.arms), trials)
    hit = np.concatenate([np.arange(t) < h for h, t in zip(hits, trials, strict=True)] or [[]])
    one = np.ones(len(arm))
    rows = Rows(np.arange(len(arm)), arm, arm, one, one / held.size)
    return Evidence(held, rows, hit.astype(float), one)


def view(
    cells: Cells,
    belief: Any = None,
    task: Task | None = None,
    *,
    left: Any = None,
    taken: Collection[str] = (),
) -> View:
    """What a policy sees; ``belief`` is what it would be given on asking for it."""
    free = cells.count if left is None else np.asarray(left, dtype=np.int64)
    return View(cells, free, task or Estimate(), lambda: belief, taken)
