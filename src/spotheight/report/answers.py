"""What the report says to the questions that users name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.questions import (
    AveragePrecision,
    Calibration,
    Compare,
    CompareServices,
    Confusion,
    Cost,
    Identify,
    PrecisionAt,
    Rank,
    RankSystems,
    Task,
)
from spotheight.registry import TASKS
from spotheight.report.basis import question_of
from spotheight.report.calibration import Reliability, build_reliability
from spotheight.report.comparison import Comparison, build_comparison
from spotheight.report.confusion import ConfusionTable, build_confusion
from spotheight.report.expense import Expense, build_expense
from spotheight.report.lists import ListTable, build_lists
from spotheight.report.ranking import Ranking, build_ranking
from spotheight.report.shortlist import Shortlist, build_shortlist


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question without an answer, and why that is."""

    question: str
    reason: str


Answer = (
    Reliability
    | ConfusionTable
    | Ranking
    | Shortlist
    | Comparison
    | Expense
    | ListTable
    | Unanswered
)

_BUILDERS: Mapping[type, Callable[[Campaign, Any, str], Answer]] = {
    Calibration: build_reliability,
    Confusion: build_confusion,
    Rank: build_ranking,
    Identify: build_shortlist,
    Compare: build_comparison,
    CompareServices: build_comparison,
    Cost: build_expense,
    PrecisionAt: build_lists,
    AveragePrecision: build_lists,
    RankSystems: build_lists,
}


def require_answerable(questions: Iterable[Task]) -> None:
    """Raise for a question that the report has no place for."""
    for task in questions:
        if type(task) not in _BUILDERS:
            names = [name for name, member in TASKS.members.items() if member in _BUILDERS]
            raise InputError(
                f"A report does not answer {question_of(task)!r}; it can be asked for "
                f"{', '.join(names)}."
            )


def build_answers(
    campaign: Campaign, questions: Sequence[Task], estimand: str, known: Sequence[Task]
) -> tuple[Answer, ...]:
    """Answers to the questions named, and to the campaign's own where it is not ``known``."""
    require_answerable(questions)
    own = campaign.spec.task
    is_new = type(own) in _BUILDERS and own not in (*questions, *known)
    if not campaign.ledger.told:
        asked = (*questions, *([own] if is_new else []))
        return tuple(Unanswered(question_of(task), "No item is labelled yet.") for task in asked)
    answers = [_answer(campaign, task, estimand) for task in questions]
    return (*([_own_answer(campaign, own, estimand)] if is_new else []), *answers)


def _answer(campaign: Campaign, task: Task, estimand: str) -> Answer:
    return _BUILDERS[type(task)](campaign, task, estimand)


def _own_answer(campaign: Campaign, task: Task, estimand: str) -> Answer:
    """Nobody asked for it now, so it must not stand in the way of the rest."""
    try:
        return _answer(campaign, task, estimand)
    except InputError as error:
        return Unanswered(question_of(task), str(error))
