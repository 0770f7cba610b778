"""From the places that a policy chose to the items in them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.policies import Choice, View
from spotheight.pool.cells import Cells
from spotheight.pool.protocol import Pool
from spotheight.records import Records
from spotheight.types import FloatArray

LOOKED_AT = 2000
"""Items among which the one is found that most probably lies in an arm, from the cells where such
items are most frequent."""


@dataclass(frozen=True, eq=False)
class Picker:
    """The items of a pool, by the cells they are drawn from.

    Args:
        population: The items that may be asked.
        cells: Where they are drawn from.
        records: The evidence of this moment, which knows where items probably belong.
    """

    population: Pool
    cells: Cells
    records: Callable[[], Records] = field(repr=False)

    def items(
        self, choices: Sequence[Choice], view: View, without: Collection[str], rng: Generator
    ) -> list[str]:
        """An item for each choice, none of ``without`` and none twice."""
        if choices and all(choice.toward is not None for choice in choices):
            return self._nearest(choices, view, without)
        ranks = _ranks([choice.cell for choice in choices], view, rng)
        picked = self.population.pick(self.cells, ranks, without)
        waiting = {cell: list(found) for cell, found in ranks.items()}
        return [picked[choice.cell, waiting[choice.cell].pop(0)] for choice in choices]

    def _nearest(
        self, choices: Sequence[Choice], view: View, without: Collection[str]
    ) -> list[str]:
        """For each choice the item that most probably lies in the arm it is after."""
        gone, found = set(without), list[str]()
        for choice in choices:
            assert choice.toward is not None
            items = self._candidates(view, choice.toward, gone)
            chance = self._chance(items, view, choice.toward)
            found.append(items[int(np.argmax(chance))])
            gone.add(found[-1])
        return found

    def _candidates(self, view: View, arm: int, gone: Collection[str]) -> list[str]:
        """Free items of the cells where this arm is most frequent."""
        assert view.share is not None
        share = np.asarray(view.share[:, [arm]].todense()).ravel()
        order = np.argsort(-share, kind="stable")
        order = order[(view.left[order] > 0)]
        last = int(np.searchsorted(np.cumsum(view.left[order]), LOOKED_AT)) + 1
        items: list[str] = []
        for cell in map(int, order[:last]):
            # Some of these may have gone to an earlier choice of the same batch.
            ranks = {cell: range(int(view.left[cell]))}
            free = self.population.pick(self.cells, ranks, list(view.taken))
            items += [item for item in free.values() if item not in gone]
        return items

    def _chance(self, items: Sequence[str], view: View, arm: int) -> FloatArray:
        """How probably each item lies in an arm of the belief."""
        partition = view.belief.cells.partition  # type: ignore[union-attr]
        columns = self.population.rows(items)
        spread = self.records().affiliation.spread(
            columns, partition.attributes, self.cells.service
        )
        is_there = partition.find(spread.codes) == arm
        chance = np.zeros(len(items))
        chance[spread.row[is_there]] = spread.weight[is_there]
        return chance


def _ranks(cells: Sequence[int], view: View, rng: Generator) -> dict[int, list[int]]:
    """A rank for each of some cells, none twice in a cell, in their order.

    The first of a cell is the uniform rank of one random number; the last free rank then takes the
    place of one that is gone (Fisher and Yates).
    """
    ranks: dict[int, list[int]] = {}
    moved: dict[tuple[int, int], int] = {}
    for cell in cells:
        last = int(view.left[cell]) - len(ranks.setdefault(cell, [])) - 1
        rank = int(rng.random() * (last + 1))
        ranks[cell].append(moved.get((cell, rank), rank))
        moved[cell, rank] = moved.get((cell, last), last)
    return ranks
