"""View and choice: what a policy gets to see, and what it gives back."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import DirichletBelief, ItemBelief, SceneBelief, Surface
from spotheight.errors import InputError
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.regression.design import Sparse
from spotheight.pool.cells import Cells
from spotheight.questions import Belief, Task, is_about_items
from spotheight.questions.lists import Listed
from spotheight.questions.quantities import ArmBelief
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
        """What is believed by now; fitted when a policy first looks at it."""
        return self.think()

    @property
    def arm_belief(self) -> ArmBelief:
        """The belief of a task that is not about items."""
        assert isinstance(self.belief, Surface | DirichletBelief)
        return self.belief

    @property
    def surface(self) -> Surface | None:
        """The belief where it is one of hits; none where it is one of outcomes, or of items."""
        return self.belief if isinstance(self.belief, Surface) else None

    def items(self, policy: str) -> Listed:
        """The belief about listed items; raise for this policy where the task has none."""
        belief = self.belief if is_about_items(self.task) else None
        if not isinstance(belief, ItemBelief | SceneBelief):
            raise InputError(
                f"{policy} cannot serve the task {type(self.task).__name__}; "
                f"it is for ranked lists, such as Precision@K."
            )
        return belief

    @cached_property
    def landing(self) -> Sparse | None:
        """(cells, cells of the belief), sparse: where an item of a cell probably belongs.

        Nothing where attributes are certain: the cells are the same then. A bare guess is believed,
        but true levels that were told have moved items to other cells.
        """
        if self.find_landing is None:
            return None
        return self.find_landing(self.arm_belief.cells)

    @cached_property
    def share(self) -> Sparse | None:
        """(cells, arms of the belief), sparse: how probably an item of a cell lies in each arm."""
        if self.landing is None:
            return None
        cells = self.arm_belief.cells
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
