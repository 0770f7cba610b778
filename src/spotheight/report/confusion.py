"""What is mistaken for what, as the report shows it."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import DirichletBelief
from spotheight.campaign import Campaign
from spotheight.questions import Confusion
from spotheight.report.basis import Basis
from spotheight.report.rows import answer_name
from spotheight.types import FloatArray, IntArray

MATRIX_ANSWERS = 40
"""A side; a larger matrix is scrolled, not read."""

LARGEST = 20
"""Confusions that are listed."""

Rows = tuple[tuple[float, ...], ...]

Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, (answers, classes) each."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """An answer that was seen to stand for another class.

    Args:
        answer: What the service says.
        truth: What it truly is.
        mean: Of the items with this answer, the share that truly is ``truth``.
        low: The lower end of its interval.
        high: The upper end.
        items: How many items of the pool that comes to.
    """

    answer: str
    truth: str
    mean: float
    low: float
    high: float
    items: float


@dataclass(frozen=True, slots=True)
class ConfusionTable:
    """How often each answer stands for each true class.

    Args:
        answers: What the service says, a row each.
        classes: What it truly is, a column each.
        n_pool: Items with each answer.
        n_labelled: Labelled ones.
        mean: By answer and class; like ``low`` and ``high`` empty where it would be too large.
        largest: The mistakes that concern most items.
        accuracy: The share of right answers that follows from the matrix.
    """

    basis: Basis
    answers: tuple[str, ...]
    classes: tuple[str, ...]
    n_pool: tuple[float, ...]
    n_labelled: tuple[float, ...]
    mean: Rows
    low: Rows
    high: Rows
    largest: tuple[Mistake, ...]
    accuracy: float


def build_confusion(campaign: Campaign, task: Confusion, estimand: str) -> ConfusionTable:
    """The matrix, where it can be read, and its largest mistakes in any case."""
    believed = campaign.believe(task)
    assert isinstance(believed, DirichletBelief)
    belief = believed.of(estimand)
    said = [belief.partition.levels(arm)[0] for arm in range(belief.cells.arms)]
    is_shown = len(said) <= MATRIX_ANSWERS and len(belief.outcomes) <= MATRIX_ANSWERS
    ends = belief.interval(task.level) if is_shown else None
    # In the order of the classes, so that what is right stands on the diagonal.
    order = np.argsort(_right(belief, said) % (len(belief.outcomes) + 1), kind="stable")
    tables = [belief.mean[order], *(end[order] for end in ends)] if ends else []
    mean, low, high = map(_rows, tables) if tables else ((), (), ())
    return ConfusionTable(
        Basis.of(campaign, task, belief.estimator, belief.estimand),
        tuple(answer_name(said[arm]) for arm in order),
        belief.outcomes,
        tuple(map(float, belief.cells.mass[order])),
        tuple(map(float, belief.labelled[order])),
        mean,
        low,
        high,
        _largest(belief, said, task.level, ends),
        _accuracy(belief, said),
    )


def _rows(table: FloatArray) -> Rows:
    return tuple(tuple(map(float, row)) for row in table)


def _right(belief: DirichletBelief, said: list[str]) -> IntArray:
    """The column of each answer's own class, -1 where it is none."""
    column = {cls: place for place, cls in enumerate(belief.outcomes)}
    return np.array([column.get(answer, -1) for answer in said], dtype=np.int64)


def _largest(
    belief: DirichletBelief, said: list[str], level: float, ends: Ends | None
) -> tuple[Mistake, ...]:
    """Mistakes that a label has shown: what the prior alone allows for is none yet.

    ``ends`` are the intervals of the whole matrix, where they were read; a large one never is.
    """
    right = _right(belief, said)
    items = belief.mean * belief.cells.mass[:, None]
    is_mistake = (belief.seen > 0) & (right[:, None] != np.arange(len(belief.outcomes)))
    is_mistake &= (right >= 0)[:, None]
    found = np.argwhere(is_mistake)
    order = np.argsort(-items[is_mistake], kind="stable")[:LARGEST]
    return tuple(
        _mistake(belief, said, pair, _ends(belief, pair, level, ends)) for pair in found[order]
    )


def _ends(
    belief: DirichletBelief, pair: IntArray, level: float, ends: Ends | None
) -> tuple[float, float]:
    arm, cls = map(int, pair)
    if ends is not None:
        return float(ends[0][arm, cls]), float(ends[1][arm, cls])
    low, high = belief.interval(level, np.array([arm]))
    return float(low[0, cls]), float(high[0, cls])


def _mistake(
    belief: DirichletBelief, said: list[str], pair: IntArray, ends: tuple[float, float]
) -> Mistake:
    arm, cls = map(int, pair)
    mean = float(belief.mean[arm, cls])
    items = mean * float(belief.cells.mass[arm])
    return Mistake(said[arm], belief.outcomes[cls], mean, *ends, items)


def _accuracy(belief: DirichletBelief, said: list[str]) -> float:
    right = _right(belief, said)
    hit = np.where(right >= 0, belief.mean[np.arange(len(right)), right], 0.0)
    return float(hit @ belief.weight / belief.weight.sum())
