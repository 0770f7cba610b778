"""Small worlds for tests: tables, pools of both kinds, campaigns, and evidence without a pool.

    import worlds
    source = worlds.table(rows=60)                       # a pyarrow table with every role in it
    column, engine = worlds.both(source, **worlds.ROLES)  # the same pool, in memory and in DuckDB
    campaign = worlds.campaign(column, seed=7)
    worlds.play(campaign, worlds.labels(source), turns=3, n=4)   # ask and tell, three times

``evidence(hits, trials, sizes)`` builds evidence over one attribute without any pool: an arm for
each entry, for tests of estimators, beliefs and tasks.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.history.events import Asked, Query
from spotheight.pool import Cells, ColumnPool, Pool, TablePool, read_pool
from spotheight.pool.chances import ArmChances
from spotheight.pool.strata import Strata
from spotheight.testing.worlds import CLASSES, ROLES, TWO, cells, evidence, labels, table, view

__all__ = ["CLASSES", "ROLES", "TWO", "cells", "evidence", "labels", "table", "view"]
"""From the worlds that authors of packages have too."""

KINDS = {"column": ColumnPool, "table": TablePool}
"""The pools there are, by the name a test shows."""


def population(pool: Pool) -> Cells:
    """The arms that a pool's items probably belong to, by the models' word."""
    drawn = pool.cells(pool.layout.attributes, "service")
    return ArmChances().population(Strata(pool, drawn))


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
