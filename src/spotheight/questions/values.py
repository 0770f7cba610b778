"""Group values: mean and interval of a number per group, from joint draws."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from spotheight.beliefs import Reading
from spotheight.errors import InputError
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.numerics.portions import portions
from spotheight.questions.quantities import Groups, Quantity
from spotheight.types import FloatArray

DRAWS, FEWEST_DRAWS = 2000, 200
"""Wanted, and the fewest that tell an interval, where there are very many arms."""

DRAWN_AT_ONCE, MOST_DRAWN = 4_000_000, 400_000_000
"""Numbers held in memory at a time, 32 MB, and drawn in all, some ten seconds."""

MOST_KEPT = 40_000_000
"""Numbers kept for intervals: 320 MB."""


def require_level(level: float) -> None:
    """Raise unless intervals can hold so much of a belief."""
    if not 0 <= level <= 1:
        raise InputError(f"The level of intervals lies between 0 and 1, got {level:g}.")


def draws_for(belief: Any, wanted: int = DRAWS, most: int = MOST_DRAWN) -> int:
    """How many draws a belief of this size can afford, of ``most`` numbers together."""
    return max(FEWEST_DRAWS, min(wanted, most // _size(belief)))


def value_blocks(
    of: Quantity, belief: Any, groups: Groups, rng: Generator, wanted: int = DRAWS
) -> Iterator[FloatArray]:
    """Joint draws of a quantity, (some draws, groups) at a time."""
    for parts in draw_blocks(of, belief, rng, wanted):
        yield of.read(belief, parts, groups)


def draw_blocks(
    of: Quantity, belief: Any, rng: Generator, wanted: int = DRAWS
) -> Iterator[FloatArray]:
    """Joint draws of what a quantity is made of, some at a time."""
    for size in portions(draws_for(belief, wanted), DRAWN_AT_ONCE // _size(belief)):
        yield of.draw(belief, size, rng)


class Kept:
    """The first draws of many, as many as fit into memory."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        """Keep at most so many numbers, but some draws in any case."""
        self._most = most
        self._blocks: list[FloatArray] = []

    def add(self, block: FloatArray) -> None:
        """Keep these too, unless there are enough."""
        held = sum(len(each) for each in self._blocks)
        room = max(FEWEST_DRAWS, self._most // max(1, block.shape[1])) - held
        if room > 0:
            self._blocks.append(block[:room])

    @property
    def draws(self) -> FloatArray:
        """All that were kept, (draws, groups)."""
        return np.concatenate(self._blocks)


def _size(belief: Any) -> int:
    outcomes = getattr(belief, "outcomes", ())
    return max(1, belief.cells.arms * max(1, len(outcomes)))


@dataclass(frozen=True, eq=False)
class GroupValues:
    """Posterior summary of a quantity: mean and interval in every group.

    Args:
        groups: The groups.
        mean: What is expected of each.
        low: The lower end of its interval.
        high: The upper end.
        n_pool: Items of each.
        n_labelled: Labelled ones.
        level: Of the intervals.
        estimand: Which estimand it is.
    """

    groups: Groups = field(repr=False)
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    n_pool: FloatArray = field(repr=False)
    n_labelled: FloatArray = field(repr=False)
    level: float
    estimand: str

    @classmethod
    def of(cls, belief: Any, groups: Groups, draws: FloatArray, level: float) -> "GroupValues":
        """Summarise joint draws, (draws, groups)."""
        low, high = attained_interval(draws, level)
        return cls(
            groups,
            draws.mean(axis=0),
            low,
            high,
            groups.total(belief.cells.mass),
            groups.total(belief.labelled),
            level,
            belief.estimand,
        )

    @classmethod
    def read(
        cls,
        of: Quantity,
        belief: Any,
        groups: Groups,
        draws: FloatArray,
        level: float,
        rng: Generator,
    ) -> "GroupValues":
        """The same of a quantity, its means free of the noise of draws where a formula has them."""
        found = cls.of(belief, groups, draws, level)
        return replace(found, mean=of.mean(belief, groups, rng)) if of.has_exact_mean else found

    def __len__(self) -> int:
        return len(self.mean)

    def reading(self, group: int) -> Reading:
        """One of them."""
        return Reading(
            float(self.mean[group]),
            float(self.low[group]),
            float(self.high[group]),
            self.level,
            self.estimand,
            float(self.n_pool[group]),
            float(self.n_labelled[group]),
        )

    def row(self, group: int) -> "GroupRow":
        """One of them under the name that people read."""
        numbers = (self.n_pool, self.n_labelled, self.mean, self.low, self.high)
        title = self.groups.title(group)
        return GroupRow(title, *(float(number[group]) for number in numbers))

    def frame(self) -> pa.Table:
        """A row a group."""
        names = [self.groups.name(group) for group in range(len(self))]
        return pa.table(
            {
                "group": names,
                "n_pool": self.n_pool,
                "n_labelled": self.n_labelled,
                "mean": self.mean,
                "low": self.low,
                "high": self.high,
            }
        )


@dataclass(frozen=True, slots=True)
class GroupRow:
    """What is believed of one group: a row of group values."""

    name: str
    n_pool: float
    n_labelled: float
    mean: float
    low: float
    high: float
