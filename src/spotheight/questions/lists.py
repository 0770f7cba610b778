"""Questions about ranked lists: what they need, and their answer from draws of labels."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief, Reading, SceneBelief
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.distributions.intervals import central_interval
from spotheight.numerics.portions import portions
from spotheight.numerics.ranking.lists import change
from spotheight.questions.basis import Basis
from spotheight.questions.listanswer import Gap, ListAnswer, mean_reading
from spotheight.questions.protocol import Task
from spotheight.questions.words import listed
from spotheight.types import BoolArray, FloatArray, IntArray

DRAWS = 1000

DRAWN_AT_ONCE = 1_000_000
"""Numbers held in memory at a time: 8 MB, so that they stay near the processor."""

DRAWN_IN_ALL = 200_000_000
"""Of very long lists there are fewer draws."""

FEWEST_DRAWS = 200

WORLDS = 300
"""Possible outlines of all objects in images, matched anew in each draw."""


@runtime_checkable
class ListTask(Task, Protocol):
    """A task about the lists of services: of ranked items, or of detections in images."""

    @property
    def level(self) -> float:
        """Of the intervals."""
        ...

    @property
    def name(self) -> str:
        """What is measured."""
        ...

    def inside(self, evidence: Any) -> BoolArray:
        """Which items each service's numbers are read from, (items, services)."""
        ...

    def positives(self, evidence: Any) -> FloatArray | None:
        """The number of true items of each category, if it is known."""
        ...


class LabelTask(ListTask, Protocol):
    """A task about lists of items that are true or not."""

    def expected(self, belief: ItemBelief) -> FloatArray:
        """The expected metric, (services, categories)."""
        ...

    def of_labels(self, evidence: ItemEvidence, labels: FloatArray) -> FloatArray:
        """The metric for some sets of labels, (draws, items), as (draws, services, categories)."""
        ...

    def slopes(self, belief: ItemBelief) -> FloatArray:
        """What a true label adds to the metric of its category, (services, items)."""
        ...


Listed = ItemBelief | SceneBelief


def list_numbers(
    task: ListTask, belief: Listed, rng: Generator, n: int | None = None
) -> "ListNumbers":
    """The metric of all lists; without draws where items are left out.

    Args:
        task: What is measured.
        belief: About tags or about objects in images.
        rng: Draws what is not vetted.
        n: How many draws there are, where not as many as usual.
    """
    is_partial = not belief.is_in.all()
    if isinstance(belief, SceneBelief):
        draws = belief.worlds(n or WORLDS, rng).precision
        return ListNumbers(draws.mean(axis=0), draws[:0] if is_partial else draws)
    evidence, of_labels = belief.evidence, cast(LabelTask, task).of_labels
    blocks = () if is_partial else label_blocks(belief, rng, n)
    nothing = np.zeros((0, len(evidence.services), len(evidence.categories)))
    draws = np.concatenate([nothing, *(of_labels(evidence, labels) for labels in blocks)])
    return ListNumbers(expected_lists(task, belief, rng), draws)


def expected_lists(task: ListTask, belief: Listed, rng: Generator) -> FloatArray:
    """The expected metric of all lists, (services, categories); of tags it needs no draws."""
    if isinstance(belief, SceneBelief):
        return belief.worlds(WORLDS, rng).precision.mean(axis=0)
    return cast(LabelTask, task).expected(belief)


def list_answer(task: ListTask, belief: Listed, rng: Generator, question: Any = None) -> ListAnswer:
    """What is believed of the lists of every service.

    Args:
        task: What is measured.
        belief: About items or objects.
        rng: Draws what is not vetted.
        question: What was asked, where that is which service is better.
    """
    evidence = belief.evidence
    basis = replace(Basis.of(task, belief, listed(evidence.services)), question=question or task)
    numbers = list_numbers(task, belief, rng)
    is_partial, shape = not belief.is_in.all(), numbers.expected.shape
    inside = task.inside(evidence)
    items = _by_category(evidence, inside)
    vetted = _by_category(evidence, inside & evidence.is_vetted[:, None])
    known = task.positives(evidence)
    low, high = numbers.intervals(task.level)
    return ListAnswer(
        basis,
        task.name,
        evidence.services,
        evidence.categories,
        numbers.expected,
        low,
        high,
        numbers.overall(task.level),
        numbers.gaps(evidence.services, task.level),
        belief.positives() if known is None else known,
        known is not None,
        items,
        vetted,
        is_enough=(vetted >= items) if is_partial else np.ones(shape, dtype=bool),
        n_listed=len(evidence),
        n_seen=int(evidence.is_vetted.sum()),
        ranks_services=question is not None,
    )


def expected_changes(task: LabelTask, belief: ItemBelief) -> FloatArray:
    """How far each item's label is expected to move the services' numbers, all added up."""
    chance = np.nan_to_num(belief.chance)
    return np.abs(change(chance, task.slopes(belief))).sum(axis=0)


def gap_slopes(task: LabelTask, belief: ItemBelief) -> FloatArray:
    """What a true label adds to the gap between every two services, (pairs, items)."""
    return gaps_between(task.slopes(belief), axis=0)


def gaps_between(values: FloatArray, axis: int) -> FloatArray:
    """The differences of every two services along an axis; a single service stands for itself."""
    first, second = np.triu_indices(values.shape[axis], 1)
    if not len(first):
        return values
    return np.take(values, first, axis) - np.take(values, second, axis)


def expected_gap_changes(task: LabelTask, belief: ItemBelief) -> FloatArray:
    """How far each item's label is expected to move the gaps between services, all added up."""
    chance = np.nan_to_num(belief.chance)
    return np.abs(change(chance, gap_slopes(task, belief))).sum(axis=0)


def _by_category(evidence: ItemEvidence | SceneEvidence, inside: BoolArray) -> IntArray:
    """How many items lie inside, (services, categories)."""
    size = len(evidence.categories)
    counts = [np.bincount(evidence.category[one], minlength=size) for one in inside.T]
    return np.array(counts, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ListNumbers:
    """Numbers of all lists: expected, and over draws of what is not vetted.

    Args:
        expected: (services, categories).
        draws: (draws, services, categories); none where no interval can be given.
    """

    expected: FloatArray = field(repr=False)
    draws: FloatArray = field(repr=False)

    def intervals(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends."""
        if not len(self.draws):
            nothing = np.full(self.expected.shape, np.nan)
            return nothing, nothing
        return central_interval(self.draws, level)

    @property
    def _means(self) -> FloatArray:
        """Draws of the mean over categories, (draws, services)."""
        return mean_known(self.draws) if len(self.draws) else self.draws[:, :, 0]

    def overall(self, level: float) -> tuple[Reading, ...]:
        """The mean over categories, a reading for each service."""
        means, draws = mean_known(self.expected), self._means
        return tuple(mean_reading(draws[:, s], mean, level) for s, mean in enumerate(means))

    def gaps(self, services: tuple[str, ...], level: float) -> tuple[Gap, ...]:
        """Every two services."""
        means, draws = mean_known(self.expected), self._means
        return tuple(
            Gap.of((services[a], services[b]), draws[:, [a, b]], means[a] - means[b], level)
            for a, b in combinations(range(len(services)), 2)
        )


def mean_known(values: FloatArray) -> FloatArray:
    """The mean over categories, the last axis, of those that have a number; NaN if none has."""
    known = ~np.isnan(values)
    total, count = np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def label_blocks(belief: ItemBelief, rng: Generator, n: int | None = None) -> Iterator[FloatArray]:
    """Joint draws of all items' labels, (some draws, items) at a time."""
    items = max(1, len(belief.chance))
    if not belief.is_open.any():
        n = 1  # nothing is in doubt
    n = n or max(FEWEST_DRAWS, min(DRAWS, DRAWN_IN_ALL // items))
    for size in portions(n, DRAWN_AT_ONCE // items):
        yield belief.draw(size, rng)
