"""The order of groups, as the report shows it."""

from dataclasses import dataclass

from spotheight.arms import PREDICTION
from spotheight.beliefs import Surface
from spotheight.campaign import Campaign
from spotheight.questions import Rank, Ranked
from spotheight.questions.quantities import HitRate, Quantity
from spotheight.report.basis import Basis, Measure, measure_of
from spotheight.report.rates import OwnRate
from spotheight.report.rows import GroupRow, group_row

MOST_RANKED = 200
"""Groups; among more, ranks are too uncertain to be worth a picture."""


@dataclass(frozen=True, slots=True)
class RankRow:
    """One group's place among all, 1 for the best.

    Args:
        group: What is believed of it.
        mean: Its expected rank.
        low: The lower end of its interval.
        high: The upper end.
        first: The probability that it is the best.
        last: The probability that it is the worst.
    """

    group: GroupRow
    mean: float
    low: float
    high: float
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Groups from the best to the worst.

    Args:
        measure: What they are ranked by.
        noun: What a group is called: ``arm``, ``level of accent``, ``group``.
        rows: The best first, by their expected ranks.
    """

    basis: Basis
    measure: Measure
    noun: str
    rows: tuple[RankRow, ...]


def build_ranking(campaign: Campaign, task: Rank, estimand: str) -> Ranking:
    """The groups that the question names, in their order."""
    return _ranking(campaign, task, campaign.answer(task, estimand), _noun(task.of))


def _noun(of: Quantity) -> str:
    by = getattr(of, "by", ())
    if by == (PREDICTION,):
        return "predicted class"
    return "group" if by or not isinstance(of, HitRate) else "arm"


def rank_arms(campaign: Campaign, surface: Surface, attribute: str = "") -> Ranking:
    """The arms of a surface, or the levels of one attribute, in their order."""
    task = Rank(OwnRate(attribute=attribute), campaign.spec.level)
    answer = task.answer(surface, campaign.answers)
    return _ranking(campaign, task, answer, f"level of {attribute}" if attribute else "arm")


def _ranking(campaign: Campaign, task: Rank, answer: Ranked, noun: str) -> Ranking:
    return Ranking(
        Basis.of(campaign, task, answer.values.estimator, answer.values.estimand),
        measure_of(campaign, task.of),
        noun,
        tuple(_row(answer, group) for group in map(int, answer.order)),
    )


def _row(answer: Ranked, group: int) -> RankRow:
    numbers = (answer.mean, answer.low, answer.high, answer.first, answer.last)
    return RankRow(group_row(answer.values, group), *(float(number[group]) for number in numbers))
