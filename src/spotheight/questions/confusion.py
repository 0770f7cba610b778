"""Confusion matrix: what is mistaken for what?"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from spotheight.arms import PREDICTION, Recipe
from spotheight.beliefs import DirichletBelief
from spotheight.evidence import ClassEvidence, Cut, Source
from spotheight.metrics import Accuracy, Metric
from spotheight.numerics.distributions import dirichlet
from spotheight.questions.basis import Basis
from spotheight.questions.quantities import Groups
from spotheight.questions.quantities.groups import answer_name
from spotheight.questions.unit import Unit
from spotheight.questions.values import require_level
from spotheight.questions.words import count, interval, listed, percent
from spotheight.types import FloatArray, IntArray

MATRIX_ANSWERS = 40
"""A side; a larger matrix is scrolled, not read."""

LARGEST, NAMED = 20, 3
"""Mistakes that are listed, and that are named in a sentence."""


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

    @property
    def items_words(self) -> str:
        """The items in words."""
        items = max(round(self.items), 1)
        return f"some {count(items)} item{'' if items == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Confusion matrix: for each answer (rows) the rates of the true classes (columns).

    Args:
        basis: What it rests on.
        answers: The answers that occur.
        classes: The true classes.
        mean: (answers, classes).
        n_pool: Items with each answer.
        n_labelled: Labelled ones.
        belief: Where intervals are read from, which of very many classes take their time.
    """

    basis: Basis = field(repr=False)
    answers: tuple[str, ...] = field(repr=False)
    classes: tuple[str, ...] = field(repr=False)
    mean: FloatArray = field(repr=False)
    n_pool: FloatArray = field(repr=False)
    n_labelled: FloatArray = field(repr=False)
    belief: DirichletBelief = field(repr=False)

    @cached_property
    def _interval(self) -> tuple[FloatArray, FloatArray]:
        return self.belief.interval(self.basis.level)

    @property
    def low(self) -> FloatArray:
        """The lower ends of the intervals, (answers, classes)."""
        return self._interval[0]

    @property
    def high(self) -> FloatArray:
        """The upper ends."""
        return self._interval[1]

    @property
    def is_small(self) -> bool:
        """Whether the whole matrix can be read."""
        return max(len(self.answers), len(self.classes)) <= MATRIX_ANSWERS

    @cached_property
    def right(self) -> IntArray:
        """The column of each answer's own class, -1 where it is none."""
        column = {cls: place for place, cls in enumerate(self.classes)}
        return np.array([column.get(answer, -1) for answer in self.answers], dtype=np.int64)

    @property
    def order(self) -> list[int]:
        """Answers in the order of the classes, so that what is right stands on the diagonal."""
        places = self.right % (len(self.classes) + 1)
        return [int(row) for row in np.argsort(places, kind="stable")]

    @property
    def accuracy(self) -> float:
        """The share of right answers that follows from the matrix."""
        hit = np.where(self.right >= 0, self.mean[np.arange(len(self.right)), self.right], 0.0)
        weight = self.belief.weight
        return float(hit @ weight / weight.sum())

    @cached_property
    def largest(self) -> tuple[Mistake, ...]:
        """The mistakes that concern most items, of those that a label has shown.

        What the prior alone allows for is none yet.
        """
        items = self.mean * self.n_pool[:, None]
        is_mistake = (self.belief.seen > 0) & (self.right[:, None] != np.arange(len(self.classes)))
        is_mistake &= (self.right >= 0)[:, None]
        found = np.argwhere(is_mistake)
        order = np.argsort(-items[is_mistake], kind="stable")[:LARGEST]
        return tuple(self._mistake(int(row), int(column)) for row, column in found[order])

    def _mistake(self, row: int, column: int) -> Mistake:
        mean = float(self.mean[row, column])
        low, high = self._ends(row, column)
        items = mean * float(self.n_pool[row])
        return Mistake(self.answers[row], self.classes[column], mean, low, high, items)

    def _ends(self, row: int, column: int) -> tuple[float, float]:
        """An interval, without those of the other answers where the matrix is large."""
        if self.is_small:
            return float(self.low[row, column]), float(self.high[row, column])
        low, high = self.belief.interval(self.basis.level, np.array([row]))
        return float(low[0, column]), float(high[0, column])

    def frame(self) -> pa.Table:
        """A row a pair of answer and true class."""
        rows, columns = self.mean.shape
        return pa.table(
            {
                "answer": np.repeat(np.array(self.answers, dtype=object), columns),
                "class": np.tile(np.array(self.classes, dtype=object), rows),
                "n_pool": np.repeat(self.n_pool, columns),
                "n_labelled": np.repeat(self.n_labelled, columns),
                "mean": self.mean.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            }
        )

    def content(self) -> dict[str, Any]:
        """The answers, the classes, and every pair of them."""
        cells = self.frame().to_pylist()
        return {"answers": self.answers, "classes": self.classes, "cells": cells}

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds; no matrix where it would be too large."""
        order = self.order
        tables: dict[str, Any] = {"mean": (), "low": (), "high": ()}
        if self.is_small:
            tables = {name: getattr(self, name)[order].tolist() for name in tables}
        return {
            "answers": [answer_name(self.answers[row]) for row in order],
            "classes": self.classes,
            "n_pool": self.n_pool[order].tolist(),
            "n_labelled": self.n_labelled[order].tolist(),
            **tables,
            "largest": self.largest,
            "accuracy": self.accuracy,
        }

    def plain(self) -> str:
        """The largest mistakes in a sentence."""
        if not self.largest:
            return "No label has shown a mistake yet."
        first, *rest = self.largest[:NAMED]
        more = [f"{each.truth} called {each.answer} ({each.items_words})" for each in rest]
        next_ones = f" Next: {listed(more)}." if more else ""
        return (
            f"The largest confusion is {first.truth} called {first.answer}: of the items that the "
            f"service calls {first.answer}, {percent(first.mean)} "
            f"({interval(first.low, first.high)}) truly are {first.truth}, {first.items_words}."
            f"{next_ones}"
        )


@dataclass(frozen=True)
class Confusion:
    """Estimate how often each answer stands for each true class."""

    service: str = ""
    level: float = 0.9
    plays = 1

    def __post_init__(self) -> None:
        require_level(self.level)

    @property
    def cut(self) -> Cut:
        return Cut((Recipe(PREDICTION),), Accuracy(), self.service or None)  # all answers count

    def evidence(self, source: Source) -> ClassEvidence:
        return source.class_evidence(self.service or None)

    def unit(self, metric: Metric) -> Unit:
        """A share of the items with an answer."""
        return Unit("share of the answer", short="true classes behind each answer")

    def answer(self, belief: DirichletBelief, rng: Generator) -> ConfusionMatrix:
        return ConfusionMatrix(
            Basis.of(self, belief),
            tuple(belief.partition.levels(arm)[0] for arm in range(belief.cells.arms)),
            belief.outcomes,
            belief.mean,
            belief.cells.mass,
            belief.labelled,
            belief,
        )

    def groups(self, belief: DirichletBelief) -> Groups:
        return Groups.each(belief.partition)

    def draw(self, belief: DirichletBelief, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

    def worth(
        self, belief: DirichletBelief, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """Share of the items times the drop of all its variances (Ji et al. 2021, Table 1)."""
        alpha = belief.foreseen(more)
        share = belief.cells.mass / belief.cells.mass.sum()
        return share * dirichlet.total_variance_drop(alpha, values)

    def expected(self, belief: DirichletBelief, rng: Generator) -> FloatArray:
        return self.worth(belief, belief.mean[None])[0]
