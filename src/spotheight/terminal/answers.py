"""Text of an answer: the drawing of each kind, and one that does for any."""

from collections.abc import Callable, Iterator, Mapping
from inspect import getdoc
from typing import Any

from spotheight.models.lists.noisy import Naive, VettedOnly
from spotheight.pool.roles import SOLE
from spotheight.questions import Answer, Basis
from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.calibration import Calibrated
from spotheight.questions.compare import Compared
from spotheight.questions.confusion import ConfusionMatrix
from spotheight.questions.cost import Costed
from spotheight.questions.identify import Identified
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.rank import Ranked
from spotheight.registry import describe
from spotheight.report.basis import basis_content, leading
from spotheight.terminal.list_tables import lists_text
from spotheight.terminal.tables import (
    calibrated_text,
    compared_text,
    confusion_text,
    costed_text,
    identified_text,
    more_rows,
    ranked_text,
)
from spotheight.terminal.text import counted, estimand_words, table_text

DRAWN: Mapping[type, Callable[[Any, int], str]] = {
    Identified: identified_text,
    Compared: compared_text,
    Ranked: ranked_text,
    Calibrated: calibrated_text,
    ConfusionMatrix: confusion_text,
    Costed: costed_text,
    ListAnswer: lists_text,
}
MEANING = (
    "ECE, the expected calibration error, is the mean gap between score and {metric} over bins of "
    "the score, weighted by their items: 0 means that a score can be read as a probability. With "
    "few labels it looks larger than it is, for what is not known of a bin counts as a gap."
)


def answer_text(answer: Answer, most: int = 25) -> str:
    """An answer as text, with so many rows of its tables."""
    draw = DRAWN.get(type(answer), _any_text)
    return draw(answer, most)


def _any_text(answer: Answer, most: int) -> str:
    """An answer of any kind: its words above its table."""
    table = answer.frame()
    rows = [[_cell(value) for value in row.values()] for row in table.slice(0, most).to_pylist()]
    shown = table_text(table.column_names, rows) + more_rows(table.num_rows - len(rows), "row")
    return f"{answer.plain()}\n\n{shown}"


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "-" if value is None else str(value)


def basis_text(basis: Basis) -> str:
    """What an answer rests on, to be said beside it."""
    found = basis_content(basis)
    of = f"{found['of'][:1].upper()}{found['of'][1:]}" + (
        f" of {basis.service}" if basis.service != SOLE else ""
    )
    text = (
        f"{of}; estimator: {found['estimator']}, estimand: {estimand_words(basis.estimand)}, "
        f"{basis.level:.0%} intervals, {counted(basis.labels, 'label')}."
    )
    if not basis.labels:
        text += " Nothing is labelled yet: these numbers are what is assumed at the start."
    return text


def remarks(answer: Answer) -> Iterator[str]:
    """How to read an answer, a sentence or a few each."""
    unit = answer.basis.unit
    match answer:
        case Identified():
            number, end = len(answer.names), "best" if answer.is_best else "worst"
            looked_for = f"the {end}" if number == 1 else f"among the {number} {end}"
            way = "highest" if answer.is_high else "lowest"
            yield f"The chance is that a group is {looked_for}: {way} {unit.heading}."
        case Ranked():
            way = "lowest" if unit.is_bad_high else "highest"
            yield f"Rank 1 is the best, the {way} {unit.heading}."
        case Calibrated():
            yield MEANING.format(metric=answer.basis.metric)
        case ListAnswer():
            yield from _of_lists(answer)


def _of_lists(answer: ListAnswer) -> Iterator[str]:
    """What is made of labels that nobody has vetted, and where positives come from."""
    used = leading(answer.basis)
    words = (getdoc(type(used)) or "").split("\n")[0]
    doubt: dict[type, str] = {
        Naive: " It doubts no noisy label, so its intervals have no width.",
        VettedOnly: " It has no intervals.",
    }
    yield f"{describe(used)}: {words}{doubt.get(type(used), '')}"
    if isinstance(answer.basis.question, AveragePrecision):
        given = "known, as it was given"
        guessed = "estimated; --positives gives them where known"
        how = given if answer.knows_positives else guessed
        yield f"The number of true items of each category is {how}."
