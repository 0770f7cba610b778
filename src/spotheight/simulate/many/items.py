"""Many runs that know their pool item by item, and label the very items that a campaign would."""

from dataclasses import dataclass, field

import numpy as np

from spotheight.pool.cells import Cells
from spotheight.simulate.many.world import RunState
from spotheight.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Shelf:
    """A pool's items in the order in which a campaign looks through them, by cell and then by id.

    Args:
        row: The row of each item in the pool.
        outcome: Whether its answer was a miss, 0 or 1.
        first: Where the items of each cell begin, and where the last ones end.
        cells: The cells of each group, likewise: the first, and the end of the last.
    """

    row: IntArray = field(repr=False)
    outcome: IntArray = field(repr=False)
    first: IntArray = field(repr=False)
    cells: IntArray = field(repr=False)

    @classmethod
    def of(cls, cells: Cells, place: IntArray, is_hit: BoolArray) -> "Shelf":
        """Items by the cell of each row."""
        row = np.argsort(place, kind="stable")
        first = np.searchsorted(place[row], np.arange(len(cells) + 1))
        groups = np.searchsorted(cells.arm, np.arange(cells.arms + 1))
        return cls(row, 1 - is_hit[row].astype(np.int64), first, groups)

    @property
    def sizes(self) -> IntArray:
        """Items of each group."""
        return np.diff(self.first[self.cells])

    @property
    def items(self) -> IntArray:
        """Hits and misses of each group, (groups, 2)."""
        misses = np.diff(np.append(0, np.cumsum(self.outcome))[self.first[self.cells]])
        return np.column_stack([self.sizes - misses, misses])


@dataclass(eq=False)
class ItemRuns(RunState):
    """Where many runs stand, and which items each has labelled, in order.

    Args:
        shelf: The pool.
        left: Items not yet labelled in each cell, (runs, cells).
        is_taken: Which items are labelled, (runs, items).
        order: The items of each run as they were labelled, by their row in the pool.
    """

    shelf: Shelf = field(repr=False)
    left: IntArray = field(repr=False)
    is_taken: BoolArray = field(repr=False)
    order: list[list[int]] = field(repr=False)

    @classmethod
    def begin(cls, shelf: Shelf, prior: FloatArray, runs: int) -> "ItemRuns":
        """So many runs without a label."""
        alpha = np.repeat(prior[None], runs, axis=0)
        held = np.repeat(shelf.sizes[None], runs, axis=0)
        left = np.repeat(np.diff(shelf.first)[None], runs, axis=0)
        taken = np.zeros((runs, len(shelf.row)), dtype=bool)
        labels = np.zeros(runs, dtype=np.int64)
        return cls(alpha, held, labels, shelf, left, taken, [[] for _ in range(runs)])

    def take(
        self, rows: IntArray, group: IntArray, luck: FloatArray, within: FloatArray | None = None
    ) -> IntArray:
        """Label an item of a group in each of these runs; its outcome.

        Args:
            rows: The runs, each once.
            group: The group of each.
            luck: The rank of the item among those left in its cell, as a share of them.
            within: Which cell of the group, as a share of the items left in the group.
        """
        assert within is not None
        shares = zip(rows, group, luck, within, strict=True)
        place = np.array([self._item(*one) for one in shares], dtype=np.int64)
        outcome = self.shelf.outcome[place]
        self.is_taken[rows, place] = True
        self.held[rows, group] -= 1
        self.alpha[rows, group, outcome] += 1
        self.labels[rows] += 1
        for run, row in zip(rows, self.shelf.row[place], strict=True):
            self.order[run].append(int(row))
        return outcome

    def _item(self, run: int, group: int, luck: float, within: float) -> int:
        """The place of an item on the shelf."""
        start, end = self.shelf.cells[group], self.shelf.cells[group + 1]
        # The very sums by which a policy draws a cell, so that rounding decides alike.
        total = np.cumsum(1 / self.held[run, group] * self.left[run, start:end])
        cell = start + int(np.searchsorted(total, within * total[-1], side="right"))
        first, last = self.shelf.first[cell], self.shelf.first[cell + 1]
        free = np.flatnonzero(~self.is_taken[run, first:last])
        self.left[run, cell] -= 1
        return int(first + free[int(luck * len(free))])
