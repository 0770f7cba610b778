"""Ranked lists of a campaign, answered with the level of intervals that is asked for."""

from dataclasses import replace

from spotheight.campaign import Campaign
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.lists import ListTask


def answered_lists(campaign: Campaign, task: ListTask, level: float | None = None) -> ListAnswer:
    """The answer to a question about lists, with intervals of the campaign's level by default."""
    level = campaign.spec.level if level is None else level
    return campaign.answer(replace(task, level=level))  # type: ignore[type-var]
