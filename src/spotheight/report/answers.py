"""Answers of a report: to the questions that users name, and to the campaign's own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.questions import Answer, Task
from spotheight.questions.calibration import Calibration
from spotheight.questions.estimate import Estimate
from spotheight.questions.listanswer import require_pool
from spotheight.questions.systems import lists_of
from spotheight.registry import TASKS
from spotheight.report.basis import question_of


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question without an answer, and why that is."""

    question: str
    reason: str


def require_answerable(questions: Iterable[Task]) -> None:
    """Raise for the surface, which a report shows in any case."""
    for task in questions:
        if isinstance(task, Estimate):
            names = [name for name, member in TASKS.members.items() if member is not Estimate]
            raise InputError(
                f"A report does not answer {question_of(task)!r}; it can be asked for "
                f"{', '.join(names)}."
            )


def answer_to(campaign: Campaign, task: Task, estimand: str) -> Answer:
    """The answer to a question; by groups a calibration comes with that of all items."""
    if lists_of(task) is not None:
        require_pool(estimand)
    found = campaign.answer(task, estimand)
    if not isinstance(found, Answer):
        raise InputError(
            f"A report cannot show what {question_of(task)!r} answers; an answer has a basis, "
            f"frame(), content() and plain()."
        )
    if isinstance(task, Calibration) and task.by:
        everything = campaign.answer(replace(task, by=()), estimand)
        return replace(found, all_items=everything)  # type: ignore[type-var]
    return found


def build_answers(
    campaign: Campaign, questions: Sequence[Task], estimand: str, known: Sequence[Task]
) -> tuple[Answer | Unanswered, ...]:
    """Answers to the questions named, and to the campaign's own where it is not ``known``."""
    require_answerable(questions)
    own = campaign.spec.task
    is_new = not isinstance(own, Estimate) and own not in (*questions, *known)
    if not campaign.ledger.told:
        asked = (*questions, *([own] if is_new else []))
        return tuple(Unanswered(question_of(task), "No item is labelled yet.") for task in asked)
    answers = [answer_to(campaign, task, estimand) for task in questions]
    return (*([_own_answer(campaign, own, estimand)] if is_new else []), *answers)


def _own_answer(campaign: Campaign, task: Task, estimand: str) -> Answer | Unanswered:
    """Nobody asked for it now, so it must not stand in the way of the rest."""
    try:
        return answer_to(campaign, task, estimand)
    except InputError as error:
        return Unanswered(question_of(task), str(error))
