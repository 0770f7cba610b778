"""A small campaign with two services, and its report, for tests."""

from functools import cache
from typing import Any

import worlds
from spotheight import Campaign, Pool
from spotheight.report import Report, build_report

TWO = {
    **worlds.ROLES,
    "prediction": {"one": "prediction", "two": "other"},
    "score": {"one": "score", "two": "sure"},
}
SOURCE = worlds.table(rows=200)
LABELS = worlds.labels(SOURCE)


@cache
def two_services(kind: str = "column") -> Pool:
    return worlds.pool(SOURCE, kind, **TWO)


def played(turns: int = 5, kind: str = "column", **spec: Any) -> Campaign:
    campaign = worlds.campaign(two_services(kind), **{"seed": 3, **spec})
    worlds.play(campaign, LABELS, turns=turns, n=8)
    return campaign


def report_of(campaign: Campaign, **changes: Any) -> Report:
    return build_report(campaign, title="A title", provenance={}, **changes)
