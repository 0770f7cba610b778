"""What a campaign is about: a surface, or ranked lists."""

from collections.abc import Iterable

from spotheight.arms import parse_slice
from spotheight.campaign import Campaign
from spotheight.pool.roles import Roles
from spotheight.questions import AveragePrecision, Detection, Estimate, Task
from spotheight.workspace.asking import own_lists, require_surface

__all__ = ["Parts", "default_task", "own_lists", "require_surface", "slices_of"]


def default_task(roles: Roles) -> Task | None:
    """The question of a table of tags with noisy labels, where nobody names another one."""
    if roles.scene is not None:
        return Detection()
    is_listed = roles.noisy_label and roles.category and any(s.score for s in roles.services)
    return AveragePrecision() if is_listed else None


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
