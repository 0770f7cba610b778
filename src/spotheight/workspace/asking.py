"""Answers of a campaign to questions about it."""

from dataclasses import replace
from typing import Any

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.evidence import ClassEvidence
from spotheight.questions import Task, lists_of


def answered(
    campaign: Campaign,
    question: Task,
    *,
    estimand: str = "pool",
    service: str | None = None,
    estimator: str | None = None,
) -> Any:
    """The answer to a question, about another service or by another estimator where named."""
    task = question if service is None else _of_service(campaign, question, service)
    return _reader(campaign, task, estimator).answer(task, estimand)


def _of_service(campaign: Campaign, task: Task, service: str) -> Task:
    name = campaign.pool.roles.service(service).name
    for part in (task, getattr(task, "of", None)):
        for field, value in (("service", name), ("services", (name,))):
            if hasattr(part, field):
                fresh: Any = replace(part, **{field: value})  # type: ignore[type-var]
                return fresh if part is task else replace(task, of=fresh)  # type: ignore[type-var]
    raise InputError(f"{codec.describe(task)} names its services itself; leave service away.")


def _reader(campaign: Campaign, task: Task, estimator: str | None) -> Campaign:
    if not estimator:
        return campaign
    if lists_of(task) is not None:
        return campaign.using(item_estimator=codec.parse(estimator, codec.ITEM_ESTIMATORS))
    if isinstance(task.evidence(campaign.records()), ClassEvidence):
        return campaign.using(class_estimator=codec.parse(estimator, codec.CLASS_ESTIMATORS))
    return campaign.using(estimator=codec.parse(estimator, codec.ESTIMATORS))
