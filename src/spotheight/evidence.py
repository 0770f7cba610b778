"""What the labels say, against what the pool holds: all that an estimator gets to see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from spotheight.metrics import Metric
from spotheight.numerics.ranked import Lists
from spotheight.numerics.ranks import mid_ranks
from spotheight.numerics.sums import sum_by
from spotheight.pool.cells import Cells, single_cells
from spotheight.pool.names import JOINT
from spotheight.scenes import SceneEvidence
from spotheight.space import Recipe
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

DIGITS = 6
"""Expected items are sums of many rounded chances: what is left beyond these digits is nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often each arm was tried and hit, by the evidence alone; fractions are welcome.

    >>> Counts.of(np.array([0, 0, 2]), np.array([1, 1, 0.5]), np.array([1.0, 0, 1]), 3).trials
    array([2. , 0. , 0.5])
    """

    hits: FloatArray
    trials: FloatArray

    @classmethod
    def of(cls, arm: IntArray, weight: FloatArray, hit: FloatArray, arms: int) -> "Counts":
        """Add up rows by arm."""
        return cls(sum_by(arm, weight * hit, arms), sum_by(arm, weight, arms))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A row per (labelled item, arm it belongs to); weights of one item add up to one.

    Args:
        item: The number of the labelled item, from 0.
        arm: The arm.
        cell: The cell the item is drawn from.
        weight: How much it belongs to the arm.
        chance: The chance it was chosen with, NaN where there is none.
    """

    item: IntArray
    arm: IntArray
    cell: IntArray
    weight: FloatArray
    chance: FloatArray


@dataclass(frozen=True, eq=False)
class Evidence:
    """Hits of one metric of one service, over the arms of one partition.

    Args:
        cells: What the pool holds.
        rows: Which labelled item lies in which arm.
        hit: How much of a hit each row is.
        counted: How much each row counts for the metric: 1, 0, or between in a tie of annotators.
        always_counts: Whether unlabelled items all count too.
        is_part: Whether it is one of several questions that make a number together. A model in
            which nothing matters is then no rival: it would have to hold for all of them at once.
    """

    cells: Cells
    rows: Rows
    hit: FloatArray
    counted: FloatArray
    always_counts: bool = True
    is_part: bool = False

    @cached_property
    def is_guessed(self) -> bool:
        """Whether some labelled item may lie in several arms."""
        return bool(self._is_in_doubt.any())

    @cached_property
    def _is_in_doubt(self) -> BoolArray:
        """Whether each row's item has rows in several arms."""
        _, first, item = np.unique(self.rows.item, return_index=True, return_inverse=True)
        strays = self.rows.arm != self.rows.arm[first][item]
        return sum_by(item, strays, len(first))[item] > 0

    @cached_property
    def counts(self) -> Counts:
        """Hits and trials of each arm; an item that may lie in several counts for each in part."""
        weight = self.rows.weight * self.counted
        return Counts.of(self.rows.arm, weight, self.hit, self.cells.arms)

    @cached_property
    def settled(self) -> "Evidence":
        """Labels of the items that lie in one arm for certain: all that is known of the pool."""
        return self._where(~self._is_in_doubt) if self.is_guessed else self

    @cached_property
    def doubtful(self) -> "Evidence":
        """Labels of the items that may lie in several arms."""
        return self._where(self._is_in_doubt)

    def _where(self, kept: BoolArray) -> "Evidence":
        rows = Rows(*(getattr(self.rows, name)[kept] for name in Rows.__slots__))
        return replace(self, rows=rows, hit=self.hit[kept], counted=self.counted[kept])

    @cached_property
    def labelled(self) -> FloatArray:
        """How many items of each arm are labelled, whether they count or not."""
        return sum_by(self.rows.arm, self.rows.weight, self.cells.arms)

    @cached_property
    def counting(self) -> FloatArray:
        """How many items of each arm count, labelled or not, as far as is known."""
        return self.settled.counts.trials + self._unseen

    @cached_property
    def rest(self) -> FloatArray:
        """How many items of each arm are to be reckoned with beside the settled, in whole items.

        Rounded up: while an item is left, it may count, and no arm is known for certain. Labelled
        items that may lie in several arms are among them: half a miss is no miss of the pool's.
        """
        return np.ceil(np.round(self._unseen, DIGITS))

    @cached_property
    def _unseen(self) -> FloatArray:
        """Expected items that count and of which nothing is known: unlabelled, or in doubt.

        Where only some count (recall), their share is learned from the labels: each arm's own,
        leaning on the overall share with the weight of one label.
        """
        left = np.maximum(np.round(self.cells.mass - self.settled.labelled, DIGITS), 0)
        if self.always_counts:
            return left
        trials, labelled = self.counts.trials, self.labelled
        overall = (trials.sum() + 0.5) / (labelled.sum() + 1)
        return left * (trials + overall) / (labelled + 1)


@dataclass(frozen=True, eq=False)
class ClassEvidence:
    """Which outcome each labelled item had: the true class, or who of two services was right.

    Args:
        shares: A row per row of ``rows``, a column per outcome, adding up to one.
        outcomes: What the columns mean.
        prior: The mean score of each outcome in each arm, where the service gives them.
        hits: How often the answer was right, where an outcome is a class; over these arms, or
            over finer ones whose first attributes are these arms'.
    """

    cells: Cells
    rows: Rows
    shares: FloatArray
    outcomes: tuple[str, ...]
    prior: FloatArray | None = None
    hits: Evidence | None = None

    @cached_property
    def counts(self) -> FloatArray:
        """Weighted outcomes of each arm: (arms, outcomes)."""
        counts = np.zeros((self.cells.arms, len(self.outcomes)))
        np.add.at(counts, self.rows.arm, self.rows.weight[:, None] * self.shares)
        return counts

    @cached_property
    def rest(self) -> FloatArray:
        """How many items of each arm have no label."""
        return np.ceil(np.maximum(np.round(self.cells.mass - self.counts.sum(axis=1), DIGITS), 0))


class PairedEvidence(ClassEvidence):
    """Who of two services was right: both, only the first, only the second, or neither."""

    @cached_property
    def questions(self) -> tuple[Evidence, Evidence, Evidence]:
        """Whether just one is right; if so, whether it is the first; if not, whether both are.

        Labels answer each of them apart: the likelihood of all outcomes is their product.
        """
        both, first, second, neither = self.shares.T
        return (
            self._asked(first + second, both + neither),
            self._asked(first, second),
            self._asked(both, neither),
        )

    def _asked(self, yes: FloatArray, no: FloatArray) -> Evidence:
        counted = yes + no
        hit = np.divide(yes, counted, out=np.zeros_like(yes), where=counted > 0)
        return Evidence(self.cells, self.rows, hit, counted, always_counts=False, is_part=True)


@dataclass(frozen=True, eq=False)
class ItemEvidence:
    """Items one by one: what every service and every noisy source says of them, and some truths.

    Args:
        ids: The items, in the order of their ids inside a category.
        category: The number of each item's category.
        categories: Their names.
        services: Whose lists they are.
        score: What the lists are ordered by, (items, services); NaN where it was not returned.
        noisy: Doubtful labels from 0 to 1, (items, sources); NaN where there is none.
        truth: The vetted label, NaN where the item is not vetted.
        price: Of vetting each item.
        before: The same items before anything was vetted: what labels do not change is reckoned
            there, once for all moments of a campaign.
    """

    ids: TextArray
    category: IntArray
    categories: tuple[str, ...]
    services: tuple[str, ...]
    score: FloatArray
    noisy: FloatArray
    truth: FloatArray
    price: FloatArray
    before: "ItemEvidence | None" = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def is_vetted(self) -> BoolArray:
        """Whether the truth of each item is known."""
        return ~np.isnan(self.truth)

    @cached_property
    def lists(self) -> Lists:
        """How the services rank the items of each category."""
        if self.before is not None:
            return self.before.lists
        return Lists.of(self.score.T, self.category, len(self.categories))

    @cached_property
    def guess(self) -> FloatArray:
        """The mean of the noisy labels, one half where there is none."""
        if self.before is not None:
            return self.before.guess
        known = ~np.isnan(self.noisy)
        total = np.where(known, self.noisy, 0.0).sum(axis=1)
        sources = known.sum(axis=1)
        return np.divide(total, sources, out=np.full(len(self), 0.5), where=sources > 0)

    @cached_property
    def standing(self) -> FloatArray:
        """The share of a service's scores that lie below each, ties in their middle."""
        if self.before is not None:
            return self.before.standing
        columns = [mid_ranks(one) for one in self.score.T]
        return np.column_stack(columns)

    @cached_property
    def unit(self) -> IntArray:
        """The number of what each item is a part of: the image of an (image, category) pair."""
        if self.before is not None:
            return self.before.unit
        names = [
            str(item)[: -len(self.categories[code]) - len(JOINT)]
            for item, code in zip(self.ids, self.category, strict=True)
        ]
        return np.unique(names, return_inverse=True)[1].ravel()

    def cells(self) -> Cells:
        """Every item as a cell of its own, categories as arms: all policies can draw from these."""
        return single_cells(self.category, self.categories, self.price, self.services[0])

    @cached_property
    def _place(self) -> dict[str, int]:
        """Where each item stands."""
        return {str(item): place for place, item in enumerate(self.ids)}

    def vetted(self, truth: Mapping[str, float]) -> "ItemEvidence":
        """With the labels of some items; of others than these nothing is listed."""
        before, found = self.before or self, np.full(len(self), np.nan)
        for item, label in truth.items():
            place = before._place.get(item)
            if place is not None:
                found[place] = label
        return replace(before, truth=found, before=before)

    def where(self, kept: BoolArray) -> "ItemEvidence":
        """Some of the items."""
        arrays = {name: getattr(self, name)[kept] for name in _BY_ITEM}
        return replace(self, **arrays, before=None)


_BY_ITEM = ("ids", "category", "score", "noisy", "truth", "price")


class Cut(NamedTuple):
    """Which cells a question is about; ``None`` means what the campaign has set.

    Args:
        partition: How arms are cut.
        metric: Whose population counts.
        service: Whose answers and scores cut the pool.
    """

    partition: tuple[Recipe, ...] | None = None
    metric: Metric | None = None
    service: str | None = None


class Source(Protocol):
    """Where a task gets evidence from: the campaign, seen from below."""

    def evidence(
        self, partition: Sequence[Recipe] | None, metric: Metric | None, service: str | None
    ) -> Evidence:
        """Hits over a partition; ``None`` means what the campaign has set."""
        ...

    def class_evidence(
        self,
        service: str | None,
        partition: Sequence[Recipe] | None = None,
        classes: Sequence[str] = (),
    ) -> ClassEvidence:
        """True classes over a partition, predicted classes by default; ``classes`` may be true."""
        ...

    def paired_evidence(self, first: str, second: str) -> PairedEvidence:
        """Who of two services was right, over the campaign's arms."""
        ...

    def item_evidence(self, services: Sequence[str], n: int | None) -> ItemEvidence:
        """The items among the ``n`` of highest score in their category, by any of the services.

        All items where ``n`` is ``None``; all services that have scores where none is named.
        """
        ...

    def scene_evidence(self, services: Sequence[str]) -> SceneEvidence:
        """Objects in images and what these services detected; all services where none is named."""
        ...
