"""A pool as counts, and where many runs over it stand."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from spotheight.errors import InputError
from spotheight.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class World:
    """A fully labelled pool by group and outcome, and what is believed before any label.

    What an outcome is, a goal decides: hit and miss, hit and miss in each score bin, true classes.

    Args:
        items: How many items of each group have each outcome, (groups, outcomes).
        prior: Pseudo-counts, of the same shape.

    >>> World(np.array([[3, 1], [2, 2]]), np.ones((2, 2))).share
    array([0.5, 0.5])
    """

    items: IntArray = field(repr=False)
    prior: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        if self.items.shape != self.prior.shape:
            raise InputError(
                f"Items and prior count the same groups and outcomes, "
                f"got {self.items.shape} and {self.prior.shape}."
            )
        if self.items.sum(axis=1).min() < 1:
            raise InputError("A group without items cannot be assessed; leave it out.")

    @cached_property
    def size(self) -> IntArray:
        """Items of each group."""
        return self.items.sum(axis=1)

    @cached_property
    def share(self) -> FloatArray:
        """Of all items, in each group."""
        return self.size / self.size.sum()

    @cached_property
    def total(self) -> int:
        """How many items there are."""
        return int(self.size.sum())


@dataclass(eq=False)
class RunState:
    """Where many runs stand as far as policies look, runs on the first axis.

    Args:
        alpha: Pseudo-counts of the belief by now, (runs, groups, outcomes).
        held: Items left of each group, (runs, groups).
        labels: How many labels each run has had.
    """

    alpha: FloatArray = field(repr=False)
    held: IntArray = field(repr=False)
    labels: IntArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_open(self) -> BoolArray:
        """Which groups have items left."""
        return self.held > 0


@dataclass(eq=False)
class Runs(RunState):
    """Many runs that know of a pool how many items of each outcome are left.

    Args:
        left: Items not yet labelled, (runs, groups, outcomes).
    """

    left: IntArray = field(repr=False)

    @classmethod
    def of(cls, items: IntArray, prior: FloatArray) -> "Runs":
        """Without a label, each over a pool of its own: (runs, groups, outcomes)."""
        labels = np.zeros(len(items), dtype=np.int64)
        return cls(prior.astype(float), items.sum(axis=2), labels, items.astype(np.int64))

    @classmethod
    def begin(cls, world: World, runs: int) -> "Runs":
        """So many runs without a label, all over one pool."""
        items = np.repeat(world.items[None], runs, axis=0)
        return cls.of(items, np.repeat(world.prior[None], runs, axis=0))

    def take(
        self, rows: IntArray, group: IntArray, luck: FloatArray, within: FloatArray | None = None
    ) -> IntArray:
        """Label one item of a group in each of these runs; its outcome.

        Inside a group items lie ordered by outcome, and ``luck`` is the rank of the one taken as a
        share of what is left: so counts are enough. A run may come several times, in other groups.
        """
        outcomes = self.left.shape[2]
        place = rows * self.held.shape[1] + group
        held, left = self.held.reshape(-1), self.left.reshape(-1, outcomes)
        count = held.take(place)
        held[place] = count - 1
        outcome = _outcomes(left, place, luck * count)
        cell = place * outcomes + outcome
        np.subtract.at(self.left.reshape(-1), cell, 1)  # quicker than by a plain index
        np.add.at(self.alpha.reshape(-1), cell, 1.0)
        self.labels += np.bincount(rows, minlength=len(self.labels))
        return outcome

    def only(self, rows: IntArray) -> "Runs":
        """Some of the runs."""
        return Runs(self.alpha[rows], self.held[rows], self.labels[rows], self.left[rows])


def _outcomes(left: IntArray, place: IntArray, rank: FloatArray) -> IntArray:
    """The outcome of the item of each rank in its place, items ordered by outcome."""
    if left.shape[1] == 2:
        return (rank >= left.take(2 * place)).astype(np.int64)
    return (np.cumsum(left[place], axis=1) <= rank[:, None]).sum(axis=1)
