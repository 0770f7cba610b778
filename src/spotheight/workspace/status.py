"""Status: where a campaign stands."""

from typing import Any

from spotheight.campaign import Campaign
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.questions.listanswer import require_pool
from spotheight.questions.lists import ListTask
from spotheight.registry import describe
from spotheight.report.basis import in_words
from spotheight.workspace.lists import answered_lists
from spotheight.workspace.subject import own_lists
from spotheight.workspace.values import Status


def status_of(campaign: Campaign, places: tuple[str, str], estimand: str) -> Status:
    """Where a campaign stands; ``places`` are its file and its pool's."""
    ledger, spec, task = campaign.ledger, campaign.spec, own_lists(campaign)
    about = _surface(campaign, estimand) if task is None else _lists(campaign, task, estimand)
    used = spec.estimator if task is None else spec.item_estimator
    return Status(
        campaign=places[0],
        pool=places[1],
        labelled=len(ledger.told),
        out=len(ledger.out),
        skipped=len(ledger.skipped),
        budget=spec.budget,
        estimator=describe(used),
        policy=describe(spec.policy),
        events=len(campaign.log),
        words={
            "arms": "groups: combinations of attribute levels",
            "estimator": in_words(used).rstrip("."),
            "policy": in_words(spec.policy).rstrip("."),
        },
        **about,
    )


def _surface(campaign: Campaign, estimand: str) -> dict[str, Any]:
    """What only campaigns about a surface have."""
    spec, surface = campaign.spec, campaign.surface(estimand)
    return {
        "items": surface.cells.size,
        "arms": surface.cells.arms,
        "levels_told": len(campaign.ledger.gold) if campaign.pool.roles.guesses else None,
        "service": spec.service,
        "metric": str(spec.metric),
        "overall": surface.overall(spec.level),
    }


def _lists(campaign: Campaign, task: ListTask, estimand: str) -> dict[str, Any]:
    """What only campaigns about ranked lists have: the mean of every service."""
    require_pool(estimand)
    answer = answered_lists(campaign, task)
    listed = task.evidence(campaign.records())
    assert isinstance(listed, (ItemEvidence, SceneEvidence))
    return {
        "items": campaign.records().strata().cells.size,
        "listed": len(listed),
        "categories": len(answer.categories),
        "task": describe(campaign.spec.task),
        "metric": answer.metric,
        "services": dict(zip(answer.services, answer.overall, strict=True)),
    }
