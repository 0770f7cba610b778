"""A small campaign with two services, and its report, for tests."""

from functools import cache
from typing import Any

import worlds
from spotheight import Campaign, Pool, Spec
from spotheight.history.events import Event
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
    """A campaign of its own for the caller; what was asked in it is worked out once."""
    log = list(_log(turns, kind, **spec))
    return Campaign(two_services(kind), Spec(**{"seed": 3, **spec}), log)


@cache
def _log(turns: int, kind: str, **spec: Any) -> tuple[Event, ...]:
    campaign = worlds.campaign(two_services(kind), **{"seed": 3, **spec})
    worlds.play(campaign, LABELS, turns=turns, n=8)
    return tuple(campaign.log)


def report_after(
    turns: int = 5, kind: str = "column", estimand: str = "pool", **spec: Any
) -> Report:
    """The report of the campaign ``played`` with these choices; built once, for it is frozen."""
    return _report(turns, kind, estimand, **spec)


@cache
def _report(turns: int, kind: str, estimand: str, **spec: Any) -> Report:
    return report_of(played(turns, kind, **spec), estimand=estimand)


def report_of(campaign: Campaign, **changes: Any) -> Report:
    return build_report(campaign, title="A title", provenance={}, **changes)
