"""Hits and trials by arm: what labels say of a metric, against what the pool holds."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from spotheight.numerics.sums import sum_by
from spotheight.pool.cells import Cells
from spotheight.types import BoolArray, FloatArray, IntArray

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
