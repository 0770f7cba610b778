"""What a policy gets to see, and what it gives back."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import DirichletBelief, Surface
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.regression.design import Sparse
from spotheight.pool.cells import Cells
from spotheight.questions import Belief, Task
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
        find_landing: Says where items of cells probably count, by the cells of the belief; called
            only if a policy asks for it.
    """

    cells: Cells
    left: IntArray
    task: Task
    think: Callable[[], Belief] = field(repr=False)
    taken: Collection[str] = field(repr=False, default=frozenset())
    places: ItemEvidence | SceneEvidence | None = field(repr=False, default=None)
    find_landing: Callable[[Cells], Sparse | None] | None = field(repr=False, default=None)

    @cached_property
    def belief(self) -> Belief:
        """What is believed by now."""
        return self.think()

    @cached_property
    def landing(self) -> Sparse | None:
        """(cells, cells of the belief), sparse: where an item of a cell probably belongs.

        Nothing where attributes are certain: the cells are the same then. A bare guess is believed,
        but true levels that were told have moved items to other cells.
        """
        if self.find_landing is None:
            return None
        assert isinstance(self.belief, (Surface, DirichletBelief))  # other beliefs know items
        return self.find_landing(self.belief.cells)

    @cached_property
    def share(self) -> Sparse | None:
        """(cells, arms of the belief), sparse: how probably an item of a cell lies in each arm."""
        if self.landing is None:
            return None
        assert isinstance(self.belief, (Surface, DirichletBelief))
        cells = self.belief.cells
        ones = np.ones(len(cells))
        shape = (len(cells), cells.arms)
        return self.landing @ sparse.csr_matrix((ones, (np.arange(len(cells)), cells.arm)), shape)

    @cached_property
    def likeliest(self) -> IntArray:
        """The arm of the belief that an item of each cell most probably lies in."""
        if self.share is None:
            return self.cells.arm
        return np.asarray(self.share.argmax(axis=1), dtype=np.int64).ravel()


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell to take the next item from.

    Args:
        cell: The cell, in which the pool draws.
        chance: The chance the item had at its turn; ``None`` when the choice was deterministic.
        why: The reason in words.
        toward: The arm of the belief that the item is to lie in, where attributes are only guessed:
            the item that most probably does is taken, wherever it is drawn from.
    """

    cell: int
    chance: float | None
    why: str
    toward: int | None = None


class Policy(Protocol):
    """A pure map from what is known to choices; it neither touches the pool nor remembers."""

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        """At most ``n`` choices, never more from a cell than are left there."""
        ...
