"""How good are ranked lists, and which system's are better?"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from spotheight.beliefs import ItemBelief, Reading, SceneBelief
from spotheight.beliefs.surface import COMPLETE, ESTIMATED, INSUFFICIENT
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.distributions.intervals import central_interval
from spotheight.numerics.portions import portions
from spotheight.numerics.ranking.lists import change
from spotheight.questions.protocol import Task
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

DRAWS = 1000

DRAWN_AT_ONCE = 1_000_000
"""Numbers held in memory at a time: 8 MB, so that they stay near the processor."""

DRAWN_IN_ALL = 200_000_000
"""Of very long lists there are fewer draws."""

FEWEST_DRAWS = 200

WORLDS = 300
"""Possible outlines of all objects in images, matched anew in each draw."""

TIE = 1e-9


@dataclass(frozen=True)
class Gap:
    """One system against another on the same vetted labels, mean over categories.

    Args:
        first: A system.
        second: Another one.
        difference: First minus second.
        first_above: The probability that the first is better; NaN where there are no draws.
        tie: The probability that they are equal; likewise.
    """

    first: str
    second: str
    difference: Reading
    first_above: float
    tie: float

    @classmethod
    def of(cls, names: tuple[str, str], draws: FloatArray, mean: float, level: float) -> "Gap":
        """From joint draws of both, (draws, 2), and the expected difference."""
        difference = draws[:, 0] - draws[:, 1]
        reading = _reading(difference, mean, level)
        if not len(difference):
            return cls(*names, reading, np.nan, np.nan)
        above, tie = np.mean(difference > TIE), np.mean(np.abs(difference) <= TIE)
        return cls(*names, reading, float(above), float(tie))

    def turned(self) -> "Gap":
        """The same with the second system first."""
        seen = self.difference
        ends = replace(seen, mean=-seen.mean, low=-seen.high, high=-seen.low)
        return Gap(self.second, self.first, ends, 1 - self.first_above - self.tie, self.tie)

    def __str__(self) -> str:
        """In words; what is as good as undecided is said to be."""
        if np.isnan(self.tie):
            apart = self.difference.mean
            if np.isnan(apart):
                return f"nothing is vetted that could tell {self.first} from {self.second}"
            return f"{self.first} less {self.second} is {apart:+.3f}; how surely cannot be said"
        if self.tie > 0.5:
            return f"{self.first} and {self.second} are tied (probability {self.tie:.2f})"
        below = 1 - self.first_above - self.tie
        better, worse, sure = (
            (self.first, self.second, self.first_above)
            if self.first_above >= below
            else (self.second, self.first, below)
        )
        return f"{better} is above {worse} with probability {sure:.2f}"


@dataclass(frozen=True, eq=False)
class ListAnswer:
    """What is believed of the lists of every service: (services, categories) throughout.

    Args:
        metric: What is measured.
        services: Whose lists.
        categories: Of items.
        mean: The expected metric.
        low: The lower ends of the intervals; NaN where there are none.
        high: The upper ends.
        overall: The mean over categories of each service.
        gaps: Every two services against each other.
        positives: The expected number of true items of each category, in the pool.
        knows_positives: Whether these numbers were given, not estimated.
        n_items: Items that each number is read from.
        n_vetted: Vetted ones of these.
        is_enough: Whether the evidence suffices.
        level: Of the intervals.
        estimator: What it was estimated by.
    """

    metric: str
    services: tuple[str, ...]
    categories: tuple[str, ...] = field(repr=False)
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    overall: tuple[Reading, ...] = field(repr=False)
    gaps: tuple[Gap, ...] = field(repr=False)
    positives: FloatArray = field(repr=False)
    knows_positives: bool
    n_items: IntArray = field(repr=False)
    n_vetted: IntArray = field(repr=False)
    is_enough: BoolArray = field(repr=False)
    level: float
    estimator: str

    @property
    def order(self) -> list[int]:
        """Services by number, the best first."""
        mean = np.nan_to_num([one.mean for one in self.overall], nan=-1.0)
        return sorted(range(len(self.services)), key=lambda s: -mean[s])

    @property
    def ordered_gaps(self) -> list[Gap]:
        """Every two services, the better one first, the best pairs first."""
        rank = {self.services[place]: spot for spot, place in enumerate(self.order)}
        gaps = [gap if rank[gap.first] < rank[gap.second] else gap.turned() for gap in self.gaps]
        return sorted(gaps, key=lambda gap: (rank[gap.first], rank[gap.second]))

    @cached_property
    def status(self) -> TextArray:
        """How far each number can be relied on, (services, categories)."""
        known = np.where(self.is_enough, ESTIMATED, INSUFFICIENT)
        return np.where(self.n_vetted >= self.n_items, COMPLETE, known).astype(object)

    @cached_property
    def overall_status(self) -> tuple[str, ...]:
        """The same of each service's mean: that of its least known list."""
        order = (INSUFFICIENT, ESTIMATED, COMPLETE)
        return tuple(next(word for word in order if word in row) for row in self.status)

    @property
    def is_about_positives(self) -> bool:
        """Whether the numbers depend on how many true items there are: all but Precision@K."""
        return not self.metric.startswith("precision@")

    def frame(self) -> pa.Table:
        """A row a (service, category)."""
        services, categories = self.mean.shape
        numbers = ("mean", "low", "high", "n_items", "n_vetted", "is_enough")
        return pa.table(
            {
                "service": np.repeat(np.array(self.services, dtype=object), categories),
                "category": np.tile(np.array(self.categories, dtype=object), services),
                **{name: getattr(self, name).ravel() for name in numbers},
                "positives": np.tile(self.positives, services),
            }
        )


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


def list_answer(task: ListTask, belief: Listed, rng: Generator) -> ListAnswer:
    """What is believed of the lists of every service."""
    evidence = belief.evidence
    numbers = list_numbers(task, belief, rng)
    is_partial, shape = not belief.is_in.all(), numbers.expected.shape
    inside = task.inside(evidence)
    items = _by_category(evidence, inside)
    vetted = _by_category(evidence, inside & evidence.is_vetted[:, None])
    known = task.positives(evidence)
    low, high = numbers.intervals(task.level)
    return ListAnswer(
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
        level=task.level,
        estimator=belief.estimator,
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
        return tuple(_reading(draws[:, s], mean, level) for s, mean in enumerate(means))

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


def _reading(draws: FloatArray, mean: float, level: float) -> Reading:
    """The interval from draws, the mean without their noise."""
    if not len(draws):
        return Reading(float(mean), np.nan, np.nan, level, "pool")
    low, high = central_interval(draws, level)
    return Reading(float(mean), float(low), float(high), level, "pool")


def label_blocks(belief: ItemBelief, rng: Generator, n: int | None = None) -> Iterator[FloatArray]:
    """Joint draws of all items' labels, (some draws, items) at a time."""
    items = max(1, len(belief.chance))
    if not belief.is_open.any():
        n = 1  # nothing is in doubt
    n = n or max(FEWEST_DRAWS, min(DRAWS, DRAWN_IN_ALL // items))
    for size in portions(n, DRAWN_AT_ONCE // items):
        yield belief.draw(size, rng)
