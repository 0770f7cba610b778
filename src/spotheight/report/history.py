"""History: the overall number after each of some prefixes of the log."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spotheight.beliefs import Reading
from spotheight.beliefs.surface import DRAWS
from spotheight.campaign import Campaign
from spotheight.evidence import Cut
from spotheight.history.events import Event, Told
from spotheight.history.ledger import Ledger
from spotheight.models import Estimator
from spotheight.models.additive.estimator import Additive
from spotheight.pool import ColumnPool
from spotheight.report.groups import read_whole
from spotheight.report.nothing import surface_of
from spotheight.report.values import HistoryPoint

MOMENTS, FEWEST_MOMENTS = 24, 8
"""Enough for a line; each costs a fit."""

HISTORY_DRAWS = 12_000_000
"""So many numbers are drawn for all moments together, some three seconds; a surface with more
cells gets fewer draws a moment, then fewer moments."""

FEWEST_DRAWS = 50
"""For a line: the standard error of an interval's end is then a fifth of the interval's half."""


def build_history(campaign: Campaign, estimand: str, overall: Reading) -> tuple[HistoryPoint, ...]:
    """The overall number after each of some prefixes of the log; the last one is today's."""
    if np.isnan(overall.mean):
        return ()
    moments = moments_of(campaign.log, _affordable(campaign))
    past = _past(campaign, estimand, moments[:-1])
    return tuple(_point(reading) for reading in (*past, overall) if not np.isnan(reading.mean))


def moments_of(log: Sequence[Event], most: int = MOMENTS) -> list[int]:
    """Lengths of the log after which labels had come in, at about equal steps of labels.

    An event is never split: labels that were told together came at one moment.
    """
    seen: set[str] = set()
    labels = []
    for event in log:
        if isinstance(event, Told):
            seen.update(event.labels)
        labels.append(len(seen))
    steps = np.ceil(len(seen) * np.arange(1, most + 1) / most)
    places = np.unique(np.searchsorted(labels, steps[steps > 0]))
    return [int(place) + 1 for place in places]


def _affordable(campaign: Campaign) -> int:
    return int(np.clip(_room(campaign) // FEWEST_DRAWS, FEWEST_MOMENTS, MOMENTS))


def _draws(campaign: Campaign, moments: int) -> int:
    return int(np.clip(_room(campaign) // max(moments, 1), FEWEST_DRAWS, DRAWS))


def _room(campaign: Campaign) -> int:
    """How often all cells may be drawn, all moments together."""
    return HISTORY_DRAWS // len(campaign.records().strata().cells)


def _past(campaign: Campaign, estimand: str, moments: Sequence[int]) -> list[Reading]:
    """The reading after each moment, all from one fetch of the labelled items."""
    pool = campaign.pool
    labelled = pool.rows(sorted(campaign.ledger.told))
    shelf = ColumnPool(pool.roles, pool.layout, pool.fingerprint, labelled)
    ledger, readings, draws = Ledger(), [], _draws(campaign, len(moments))
    spec = replace(campaign.spec, estimator=_lighter(campaign.spec.estimator, draws))
    campaign.records().finer(Cut(), spec.task.cut)  # counts the pool's cells, not the shelf's
    for position, event in enumerate(campaign.log, start=1):
        ledger.add(event)
        if position in moments:
            surface = surface_of(replace(campaign.records(ledger), pool=shelf), spec, estimand)
            readings.append(read_whole(surface, campaign.spec.level, draws))
    return readings


def _lighter(estimator: Estimator, draws: int) -> Estimator:
    """The same estimator with no more draws than are looked at."""
    if not isinstance(estimator, Additive):
        return estimator
    return replace(estimator, draws=min(estimator.draws, max(draws, FEWEST_DRAWS)))


def _point(reading: Reading) -> HistoryPoint:
    return HistoryPoint(round(reading.n_labelled), reading.mean, reading.low, reading.high)
