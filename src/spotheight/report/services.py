"""All services of the pool side by side, on the same labels."""

from dataclasses import replace
from math import nan

import numpy as np

from spotheight.beliefs import DirichletBelief, Reading
from spotheight.beliefs.surface import FEWEST_DRAWS
from spotheight.campaign import Campaign, fitted
from spotheight.errors import InputError
from spotheight.history.ledger import agreed
from spotheight.questions import CompareServices
from spotheight.questions.compare import DRAWS
from spotheight.report.nothing import surface_now
from spotheight.report.values import ServiceRow

LEAD_DRAWS = 4_000_000
"""So many numbers are drawn for a lead, some three seconds: all that ``compare`` draws up to 1000
arms, fewer beyond."""


def build_services(campaign: Campaign, estimand: str, overall: Reading) -> tuple[ServiceRow, ...]:
    """A row a service, the campaign's own first; the others have their lead over it."""
    own = campaign.spec.service
    first = ServiceRow(own, overall, campaign.pool.silences(own), None)
    others = [service.name for service in campaign.pool.roles.services if service.name != own]
    return (first, *(_row(campaign, name, estimand) for name in others))


def _row(campaign: Campaign, service: str, estimand: str) -> ServiceRow:
    silences = campaign.pool.silences(service)
    paired = _paired(campaign, service, estimand)
    if paired is None:
        return ServiceRow(service, _overall(campaign, service, estimand), silences, None)
    overall, lead, ahead, behind = paired
    return ServiceRow(service, overall, silences, lead, ahead, behind)


def _overall(campaign: Campaign, service: str, estimand: str) -> Reading:
    """The service's number from its own surface; unknown where metric or estimator do not fit.

    Labels that were chosen for the campaign's service may be untypical of this one.
    """
    level = campaign.spec.level
    try:
        return surface_now(campaign, estimand, service).overall(level)
    except InputError:  # it never answers the class in question, or has no score
        return Reading(nan, nan, nan, level, estimand)


def _paired(
    campaign: Campaign, service: str, estimand: str
) -> tuple[Reading, Reading, float, float] | None:
    """The service's number, its lead over the campaign's, and how probable each sign of that is.

    Pairs are read where the labels were chosen. None where only some items count, and for each
    service others.
    """
    metric, own = campaign.spec.metric, campaign.spec.service
    ledger = campaign.ledger
    known = {
        item: by
        for item, by in ledger.told.items()
        if all(agreed(by.values(), name) for name in (service, own))
    }
    if not (known and metric.always_counts and metric.only_predicted is None):
        return None
    task = CompareServices(service, own, level=campaign.spec.level)
    records = campaign.records(replace(ledger, told=known))
    belief = fitted(task, records, campaign.spec)
    assert isinstance(belief, DirichletBelief)
    belief = belief.of(estimand)
    turns = max(FEWEST_DRAWS, min(DRAWS, LEAD_DRAWS // belief.cells.arms))
    shares = belief.draw_total(turns, campaign.answers)
    both_right, only_first, only_second = shares[:, 0], shares[:, 1], shares[:, 2]
    sizes = (float(belief.cells.mass.sum()), float(len(known)))
    overall = Reading.of(both_right + only_first, task.level, estimand, sizes)
    lead = only_first - only_second
    ahead, behind = float(np.mean(lead > 0)), float(np.mean(lead < 0))
    return overall, Reading.of(lead, task.level, estimand), ahead, behind
