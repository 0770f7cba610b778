"""Paired comparison of all services with the campaign's own, on the same labels."""

from dataclasses import replace
from math import nan

from spotheight.beliefs import DirichletBelief, Reading
from spotheight.campaign import Campaign, fitted
from spotheight.errors import InputError
from spotheight.history.ledger import agreed
from spotheight.questions.compare import Compared, CompareServices
from spotheight.report.nothing import surface_now
from spotheight.report.values import ServiceRow


def build_services(campaign: Campaign, estimand: str, overall: Reading) -> tuple[ServiceRow, ...]:
    """A row a service, the campaign's own first; the others have their lead over it."""
    own = campaign.spec.service
    first = ServiceRow(own, overall, campaign.pool.silences(own), None)
    others = [service.name for service in campaign.pool.roles.services if service.name != own]
    return (first, *(_row(campaign, name, estimand) for name in others))


def _row(campaign: Campaign, service: str, estimand: str) -> ServiceRow:
    silences = campaign.pool.silences(service)
    found = _paired(campaign, service, estimand)
    if found is None:
        return ServiceRow(service, _overall(campaign, service, estimand), silences, None)
    chances = found.first_better, found.second_better
    return ServiceRow(service, found.sides[0], silences, found.difference, *chances)


def _overall(campaign: Campaign, service: str, estimand: str) -> Reading:
    """The service's number from its own surface; unknown where metric or estimator do not fit.

    Labels that were chosen for the campaign's service may be untypical of this one.
    """
    level = campaign.spec.level
    try:
        return surface_now(campaign, estimand, service).overall(level)
    except InputError:  # it never answers the class in question, or has no score
        return Reading(nan, nan, nan, level, estimand)


def _paired(campaign: Campaign, service: str, estimand: str) -> Compared | None:
    """The service against the campaign's own.

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
    belief = fitted(task, campaign.records(replace(ledger, told=known)), campaign.spec)
    assert isinstance(belief, DirichletBelief)
    return task.answer(belief.of(estimand), campaign.answers)
