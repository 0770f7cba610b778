"""What a campaign is about, a surface or ranked lists, and what can be read of it."""

from collections.abc import Iterable

from spotheight.arms import parse_slice
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.pool.roles import Roles
from spotheight.questions import Task
from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.detection import Detection
from spotheight.questions.estimate import Estimate
from spotheight.questions.lists import ListTask
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.systems import lists_of


def default_task(roles: Roles) -> Task | None:
    """The question of a table of tags with noisy labels, where nobody names another one."""
    if roles.scene is not None:
        return Detection()
    is_listed = roles.noisy_label and roles.category and any(s.score for s in roles.services)
    return AveragePrecision() if is_listed else None


def own_lists(campaign: Campaign) -> ListTask | None:
    """The question about lists that a campaign was started for."""
    return lists_of(campaign.spec.task)


def require_surface(campaign: Campaign) -> None:
    """Raise where there are lists to look at and no answers to draw a surface of."""
    task, service = own_lists(campaign), campaign.pool.roles.service(campaign.spec.service)
    if task is None or service.answers:
        return
    command = (
        f"spotheight precision -k {task.k}"
        if isinstance(task, PrecisionAt)
        else "spotheight average-precision"
    )
    raise InputError(
        f"This campaign is about ranked lists and has no answers to draw a surface of; use "
        f"{command}, spotheight rank --services, or spotheight report."
    )


def read_level(campaign: Campaign, level: float | None) -> float:
    """The level of intervals: the campaign's where nobody names one."""
    if level is None:
        return campaign.spec.level
    if not 0 < level < 1:
        raise InputError(f"The level of intervals lies between 0 and 1, got {level:g}.")
    return level


Parts = tuple[dict[str, tuple[str, ...]], ...]
"""Conjunctions of levels, of which a slice is the union."""


def slices_of(
    campaign: Campaign, texts: Iterable[str], service: str | None = None
) -> dict[str, Parts]:
    """Slices by what people wrote; a wrong name or level is refused before anything is fitted."""
    slices = {text: parse_slice(text) for text in texts}
    if slices:
        arms = Estimate(service=service or "").evidence(campaign.records()).cells.partition
        for parts in slices.values():
            arms.union(parts)
    return slices
