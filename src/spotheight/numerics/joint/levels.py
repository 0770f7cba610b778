"""Levels of several attributes side by side on one axis, and all their combinations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from math import prod

import numpy as np

from spotheight.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Levels:
    """How many levels each attribute has, and where they stand when all are side by side."""

    counts: tuple[int, ...]

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Where the levels of each attribute stand."""
        return tuple(slice(a, z) for a, z in pairwise(accumulate(self.counts, initial=0)))

    @property
    def total(self) -> int:
        """Levels of all attributes."""
        return sum(self.counts)

    @cached_property
    def starts(self) -> IntArray:
        """Where the levels of each attribute begin."""
        return np.array([part.start for part in self.slices], dtype=np.int64)

    @cached_property
    def owner(self) -> IntArray:
        """The attribute of each level."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def own(self) -> IntArray:
        """The number of each level within its attribute."""
        return np.arange(self.total) - self.starts[self.owner]

    @cached_property
    def above(self) -> BoolArray:
        """Which pairs of levels belong to an attribute and a later one."""
        return self.owner[:, None] < self.owner

    @cached_property
    def cut(self) -> int:
        """How many attributes are in the first half, so that the larger half is small."""
        return min(
            range(1, self.size + 1),
            key=lambda at: max(prod(self.counts[:at]), prod(self.counts[at:])),
        )

    @property
    def size(self) -> int:
        """How many attributes there are."""
        return len(self.counts)

    def highest(self, rows: FloatArray) -> FloatArray:
        """The highest number of each row and attribute, (rows, levels)."""
        # Column by column, for levels are few and rows many.
        columns = [reduce(np.maximum, rows[:, place].T) for place in self.slices]
        return np.stack(columns, axis=1)[:, self.owner]

    def sums(self, rows: FloatArray) -> FloatArray:
        """The sum of each row and attribute, (rows, attributes)."""
        return rows @ self._member

    @cached_property
    def _member(self) -> FloatArray:
        return np.eye(self.size)[self.owner]


def combinations(counts: Sequence[int]) -> IntArray:
    """All combinations in lexicographic order, (combinations, attributes)."""
    grid = np.indices(tuple(counts)).reshape(len(counts), prod(counts))
    return np.ascontiguousarray(grid.T, dtype=np.int64)
