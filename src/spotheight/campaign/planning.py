"""Ask planner: which items come next, from what is known at one moment."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator

from spotheight.campaign.picking import ItemPicker
from spotheight.campaign.spec import Spec
from spotheight.evidence import ItemEvidence
from spotheight.evidence.gather import EvidenceBuilder
from spotheight.evidence.objects import SceneEvidence
from spotheight.history.events import Query
from spotheight.history.ledger import Ledger
from spotheight.policies import Choice, View
from spotheight.pool.protocol import Pool
from spotheight.pool.strata import Strata
from spotheight.questions import Belief, is_about_items


@dataclass(frozen=True, eq=False)
class AskPlanner:
    """Plans an ask; what is drawn follows from the generator alone.

    Args:
        pool: The items.
        spec: All decisions.
        ledger: Where the campaign stands.
        records: Makes the evidence of this moment.
        placed: Cells of items that were looked up before; grows.
    """

    pool: Pool
    spec: Spec
    ledger: Ledger
    records: Callable[[], EvidenceBuilder] = field(repr=False)
    placed: dict[str, int] = field(repr=False)

    def queries(
        self, n: int, now: str | None, think: Callable[[], Belief], rng: Generator
    ) -> tuple[Query, ...]:
        """The next ``n`` items, or fewer where the pool or the budget ends.

        Args:
            n: How many.
            now: The time, as ISO text; without it nothing that is out has expired.
            think: What is believed, for policies that want to know.
            rng: Of the ask.
        """
        view = self.view(self.ledger.taken(now), think)
        wanted = min(n, self._affordable(now))
        choices = self.spec.policy.choose(view, wanted, rng) if wanted else ()
        return self._resolve(choices, view, rng)

    def view(self, taken: set[str], think: Callable[[], Belief]) -> View:
        """What a policy gets to see: cells, or items each on its own where the task lists them."""
        task = self.spec.task
        if is_about_items(task):
            places = task.evidence(self.records())
            assert isinstance(places, (ItemEvidence, SceneEvidence))
            free = np.array([item not in taken for item in places.ids], dtype=np.int64)
            return View(places.cells(), free, task, think, taken, places)
        records, strata = self.records(), self._drawn_from()
        left = strata.cells.count - self._taken_cells(taken, strata)
        return View(strata.cells, left, task, think, taken, find_landing=records.landing(strata))

    def _drawn_from(self) -> Strata:
        """What a policy chooses from: its task may cut arms of its own."""
        return self.records().strata(self.spec.task.cut)

    def _affordable(self, now: str | None) -> int:
        """How many labels the budget still allows, counting those that are out."""
        if self.spec.budget is None:
            return int(1e12)
        done = self.ledger.told.keys() | self.ledger.skipped
        out = sum(self.ledger.is_out(item, now) for item in self.ledger.out.keys() - done)
        return max(0, self.spec.budget - len(self.ledger.told) - out)

    def _taken_cells(self, taken: Iterable[str], strata: Strata) -> Any:
        """How many taken items lie in each cell; items are placed once and remembered."""
        fresh = [item for item in taken if item not in self.placed]
        if fresh:
            place = strata.place(self.pool.rows(fresh))
            self.placed.update(zip(fresh, map(int, place), strict=True))
        place = np.array([self.placed[item] for item in taken], dtype=np.int64)
        return np.bincount(place[place >= 0], minlength=len(strata.cells))

    def _resolve(self, choices: Sequence[Choice], view: View, rng: Generator) -> tuple[Query, ...]:
        """From places to items: inside a cell the pool's order and a uniform rank decide."""
        items = self._items_of(choices, view, rng)
        name, arm = view.cells.partition.name, view.cells.arm
        return tuple(
            Query(item, choice.why, choice.chance, name(int(arm[cell])))
            for (item, cell), choice in zip(items, choices, strict=True)
        )

    def _items_of(
        self, choices: Sequence[Choice], view: View, rng: Generator
    ) -> list[tuple[str, int]]:
        """An item for each choice, and the cell it lies in."""
        if view.places is not None:
            return [(str(view.places.ids[choice.cell]), choice.cell) for choice in choices]
        picker = ItemPicker(self._drawn_from(), self.records)
        chosen = {choice.cell for choice in choices}
        without = [item for item in view.taken if self.placed[item] in chosen]
        return picker.items(choices, view, without, rng)
