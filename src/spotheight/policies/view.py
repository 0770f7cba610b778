"""What a policy gets to see, and what it gives back."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from numpy.random import Generator

from spotheight.evidence import ItemEvidence
from spotheight.pool.cells import Cells
from spotheight.tasks import Belief, Task
from spotheight.types import IntArray


@dataclass(frozen=True, eq=False)
class View:
    """What is known at the time of an ask.

    Args:
        cells: What the pool holds.
        left: How many items of each cell may still be asked.
        task: The question.
        think: Fits the belief; called only if a policy looks at it.
        taken: Items that may not be asked; the belief may be older than the last ask.
        places: The items themselves, where each is a cell of its own.
    """

    cells: Cells
    left: IntArray
    task: Task
    think: Callable[[], Belief] = field(repr=False)
    taken: Collection[str] = field(repr=False, default=frozenset())
    places: ItemEvidence | None = field(repr=False, default=None)

    @cached_property
    def belief(self) -> Belief:
        """What is believed by now."""
        return self.think()


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell to take the next item from.

    Args:
        cell: The cell, in which the pool draws.
        chance: The chance the item had at its turn; ``None`` when the choice was deterministic.
        why: The reason in words.
    """

    cell: int
    chance: float | None
    why: str


class Policy(Protocol):
    """A pure map from what is known to choices; it neither touches the pool nor remembers."""

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        """At most ``n`` choices, never more from a cell than are left there."""
        ...
