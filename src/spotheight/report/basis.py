"""What an answer rests on: the question, what is measured, the estimator and the estimand."""

import re
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

from spotheight.campaign import Campaign
from spotheight.questions import Task
from spotheight.questions.quantities import CalibrationError, ExpectedCost, HitRate
from spotheight.registry import TASKS, describe


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured.

    Args:
        name: In words.
        is_share: Whether it is read in percent; a cost is not.
        is_bad_high: Whether a high number is bad news.
    """

    name: str
    is_share: bool = True
    is_bad_high: bool = False


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on.

    Args:
        question: As ``--ask`` reads it; by its name alone where it holds a cost matrix.
        estimator: What it was estimated by.
        estimand: ``pool`` or ``rate``.
        level: Of its intervals.
    """

    question: str
    estimator: str
    estimand: str
    level: float

    @classmethod
    def of(cls, campaign: Campaign, task: Any, estimator: str, estimand: str) -> "Basis":
        """Of a task that was answered by an estimator, which answers name as the API does."""
        return cls(question_of(task), _estimator(campaign, estimator), estimand, task.level)


def question_of(task: Task) -> str:
    """A task as it is written on the command line."""
    is_plain = type(getattr(task, "of", HitRate())) in (HitRate, CalibrationError)
    return describe(task) if is_plain else TASKS.name(task)


def _estimator(campaign: Campaign, said: str) -> str:
    """An estimator by the name it has in files."""
    spec = campaign.spec
    for each in (spec.estimator, spec.class_estimator):
        said = said.replace(repr(each), describe(each))
    return said


def measure_of(campaign: Campaign, of: object) -> Measure:
    """What a quantity measures."""
    match of:
        case CalibrationError():
            return Measure("calibration error", is_bad_high=True)
        case ExpectedCost():
            return Measure("expected cost", is_share=False, is_bad_high=True)
        case HitRate():
            return Measure(str(campaign.spec.metric), is_bad_high=campaign.spec.metric.is_error)
    return Measure("number", is_share=False)


def in_words(value: object) -> str:
    """The first sentence of its documentation, which is written for users."""
    sentence = (getdoc(type(value)) or "").split("\n")[0]
    return re.sub(
        r"``(.+?)``", "\N{LEFT SINGLE QUOTATION MARK}\\1\N{RIGHT SINGLE QUOTATION MARK}", sentence
    )
