"""All services of the pool side by side, on the same labels."""

from dataclasses import replace
from math import nan

from numpy.random import default_rng

from spotheight.beliefs import Reading
from spotheight.beliefs.surface import FEWEST_DRAWS
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.estimators.paired import fit_paired
from spotheight.ledger import agreed
from spotheight.report.nothing import surface_of
from spotheight.report.values import ServiceRow
from spotheight.tasks import CompareServices
from spotheight.tasks.compare import DRAWS

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
    return ServiceRow(
        service,
        _overall(campaign, service, estimand),
        campaign.pool.silences(service),
        _lead(campaign, service, estimand),
    )


def _overall(campaign: Campaign, service: str, estimand: str) -> Reading:
    """The service's own number; unknown where the metric or the estimator does not fit it."""
    level = campaign.spec.level
    try:
        evidence = campaign.records().evidence(service=service)
        return surface_of(evidence, campaign.spec.estimator, estimand).overall(level)
    except InputError:  # it never answers the class in question, or has no score
        return Reading(nan, nan, nan, level, estimand)


def _lead(campaign: Campaign, service: str, estimand: str) -> Reading | None:
    """The paired difference to the campaign's service; none where pairs make no sense.

    Where only some items count, and for each service others, there are no pairs.
    """
    metric, own = campaign.spec.metric, campaign.spec.service
    ledger = campaign.ledger
    both = {
        item: by
        for item, by in ledger.told.items()
        if all(agreed(by.values(), name) for name in (service, own))
    }
    if not (both and metric.always_counts and metric.only_predicted is None):
        return None
    task = CompareServices(service, own, level=campaign.spec.level)
    evidence = task.evidence(campaign.records(replace(ledger, told=both)))
    belief = fit_paired(evidence, campaign.spec.estimator).of(estimand)
    rng = default_rng([campaign.spec.seed, len(campaign.log), 1])
    turns = max(FEWEST_DRAWS, min(DRAWS, LEAD_DRAWS // evidence.cells.arms))
    shares = belief.draw_total(turns, rng)
    return Reading.of(shares[:, 1] - shares[:, 2], task.level, estimand)
