"""Names of what an answer rests on, as files and the command line have them."""

import re
from inspect import getdoc
from typing import Any

from spotheight.questions import Basis, Task
from spotheight.questions.quantities import CalibrationError, HitRate
from spotheight.registry import TASKS, describe


def question_of(task: Task) -> str:
    """A question as ``--ask`` reads it; by its name alone where it holds a cost matrix."""
    is_plain = type(getattr(task, "of", HitRate())) in (HitRate, CalibrationError)
    return describe(task) if is_plain else TASKS.name(task)


def estimator_of(basis: Basis) -> str:
    """All that an answer was estimated by, in the short form that files have."""
    said = basis.estimator
    for each in basis.used:
        said = said.replace(repr(each), describe(each))
    return said


def leading(basis: Basis) -> Any:
    """The estimator that a question asked, which may have asked another one."""
    return next((each for each in basis.used if basis.estimator.startswith(repr(each))), None)


def basis_content(basis: Basis) -> dict[str, Any]:
    """What stands above the numbers of ``--json``."""
    return {
        "of": basis.unit.heading,
        "service": basis.service,
        "estimator": describe(leading(basis)),
        "estimand": basis.estimand,
        "level": basis.level,
        "labels": basis.labels,
    }


def in_words(value: object) -> str:
    """The first sentence of its documentation, which is written for users."""
    sentence = (getdoc(type(value)) or "").split("\n")[0]
    return re.sub(
        r"``(.+?)``", "\N{LEFT SINGLE QUOTATION MARK}\\1\N{RIGHT SINGLE QUOTATION MARK}", sentence
    )
