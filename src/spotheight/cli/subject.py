"""What a campaign is about: a surface, or ranked lists."""

from collections.abc import Iterable

from spotheight.arms import parse_slice
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.pool.roles import Roles
from spotheight.questions import (
    AveragePrecision,
    Detection,
    Estimate,
    ListTask,
    PrecisionAt,
    Task,
    lists_of,
)


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
    raise InputError(
        f"This campaign is about ranked lists and has no answers to draw a surface of; use "
        f"{_command_of(task)}, spotheight rank --systems, or spotheight report."
    )


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


def _command_of(task: ListTask) -> str:
    if isinstance(task, PrecisionAt):
        return f"spotheight precision -k {task.k}"
    return "spotheight average-precision"
