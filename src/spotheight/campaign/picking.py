"""Item picker: from the cells that a policy chose to the items in them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.evidence.gather import EvidenceBuilder
from spotheight.policies import Choice, View
from spotheight.pool.strata import Strata
from spotheight.types import FloatArray

LOOKED_AT = 2000
"""Items among which the one is found that most probably lies in an arm, from the cells where such
items are most frequent."""


@dataclass(frozen=True, eq=False)
class ItemPicker:
    """The items of a pool, by the cells they are drawn from.

    Args:
        strata: What they are drawn from.
        records: The evidence of this moment, which knows where items probably belong.
    """

    strata: Strata
    records: Callable[[], EvidenceBuilder] = field(repr=False)

    def items(
        self, choices: Sequence[Choice], view: View, without: Collection[str], rng: Generator
    ) -> list[tuple[str, int]]:
        """An item for each choice and its cell, none of ``without`` and none twice."""
        if choices and all(choice.toward is not None for choice in choices):
            return self._nearest(choices, view)
        ranks = _ranks([choice.cell for choice in choices], view, rng)
        picked = self.strata.pool.pick(self.strata.cells, ranks, without)
        waiting = {cell: list(found) for cell, found in ranks.items()}
        cells = [choice.cell for choice in choices]
        return [(picked[cell, waiting[cell].pop(0)], cell) for cell in cells]

    def _nearest(self, choices: Sequence[Choice], view: View) -> list[tuple[str, int]]:
        """For each choice the item that most probably lies in the arm it is after."""
        arms = [choice.toward for choice in choices if choice.toward is not None]
        cell_of = self._candidates(view, arms)
        items = sorted(cell_of)
        chance = self._chances(items, view, arms)
        is_free, found = np.ones(len(items), dtype=bool), list[tuple[str, int]]()
        for arm in arms:
            place = int(np.argmax(np.where(is_free, chance[arm], -1.0)))
            is_free[place] = False
            found.append((items[place], cell_of[items[place]]))
        return found

    def _candidates(self, view: View, arms: Sequence[int]) -> dict[str, int]:
        """Free items of the cells where these arms are most frequent, with their cells.

        Enough for each arm, whatever the others of the batch take.
        """
        assert view.share is not None
        cells, columns = set[int](), view.share.tocsc()
        for arm in set(arms):
            share = columns[:, [arm]].toarray().ravel()
            order = np.argsort(-share, kind="stable")
            order = order[view.left[order] > 0]
            enough = LOOKED_AT + len(arms)
            last = int(np.searchsorted(np.cumsum(view.left[order]), enough)) + 1
            cells.update(map(int, order[:last]))
        ranks = {cell: range(int(view.left[cell])) for cell in sorted(cells)}
        picked = self.strata.pool.pick(self.strata.cells, ranks, list(view.taken))
        return {item: cell for (cell, _), item in picked.items()}

    def _chances(
        self, items: Sequence[str], view: View, arms: Sequence[int]
    ) -> dict[int, FloatArray]:
        """How probably each item lies in some arms of the belief."""
        partition = view.belief.cells.partition  # type: ignore[union-attr]
        columns = self.strata.pool.rows(items)
        placement = self.records().placement(self.strata.cells.partition.attributes)
        kind, spread = placement.kinds(columns, self.strata)
        arm, chances = partition.find(spread.codes), dict[int, FloatArray]()
        for wanted in set(arms):
            is_there = arm == wanted
            chance = np.zeros(kind.max() + 1)
            # The last bits of a sum must never decide.
            chance[spread.row[is_there]] = np.round(spread.weight[is_there], 9)
            chances[wanted] = chance[kind]
        return chances


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
