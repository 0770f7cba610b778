"""Lists of a campaign, as other commands read them."""

from dataclasses import replace

from spotheight.campaign import Campaign
from spotheight.questions import ListAnswer, ListTask


def answer_lists(campaign: Campaign, task: ListTask, level: float) -> ListAnswer:
    """The answer to a question about lists, with intervals of this level."""
    return campaign.answer(replace(task, level=level))  # type: ignore[type-var]
