"""Turns of a batch, drawn one after another, each with the chances it had at its turn."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator

from spotheight.policies.view import Choice, Policy, View
from spotheight.types import BoolArray, FloatArray, IntArray

SAME = 1e-9
"""What differs by no more than this share of itself is equal: the last bits of a sum must never
decide."""


class Turns(Protocol):
    """A batch in the making: the chances of each turn, given what was taken before."""

    @property
    def has_chances(self) -> bool:
        """Whether the weights are chances, or a deterministic pick in disguise."""
        ...

    def weights(self, left: IntArray) -> FloatArray:
        """The chance of each cell at the next turn, adding up to one over cells with items left."""
        ...

    def reason(self, cell: int, rng: Generator) -> str:
        """Why a cell was taken at this turn, whose weights were just looked at, in words."""
        ...

    def took(self, cell: int) -> None:
        """Reckon with a label in this cell at the next turn."""
        ...


class TurnPolicy(Policy, Protocol):
    """A policy that can say the chance of every cell before each turn; ``Mix`` needs that."""

    def turns(self, view: View, rng: Generator) -> Turns:
        """Begin a batch."""
        ...

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        return draw_turns(self.turns(view, rng), view.left, n, rng)


class OneReason:
    """What turns have that take every cell for the same reason."""

    why: str

    def reason(self, cell: int, rng: Generator) -> str:
        return self.why

    def took(self, cell: int) -> None:
        """Nothing to reckon with: what is left tells enough."""


@dataclass(frozen=True, eq=False)
class ArmTurns(OneReason):
    """Arms by weight, and inside an arm every item left alike; an exhausted arm is passed over.

    Args:
        arm: The arm of each cell.
        weight: The weight of each arm; where all with items left have none, items count alike.
        why: The reason in words.
        has_chances: Whether the weights are chances.
    """

    arm: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    why: str
    has_chances: bool = True

    def weights(self, left: IntArray) -> FloatArray:
        in_arm = np.bincount(self.arm, weights=left, minlength=len(self.weight))
        chance = np.where(in_arm > 0, self.weight, 0.0)
        total = chance.sum()
        if total <= 0:
            return left / left.sum()
        per_item = np.divide(chance / total, in_arm, out=np.zeros(len(in_arm)), where=in_arm > 0)
        return per_item[self.arm] * left


@dataclass(frozen=True, eq=False)
class ItemTurns(OneReason):
    """Every item left alike, or by the weight of its cell.

    Args:
        why: The reason in words.
        weight: Of an item in each cell; where all items left have none, they count alike.
        has_chances: Whether the weights are chances.
    """

    why: str
    weight: FloatArray | float = field(repr=False, default=1.0)
    has_chances: bool = True

    def weights(self, left: IntArray) -> FloatArray:
        weight = self.weight * left
        return weight / weight.sum() if weight.any() else left / left.sum()


def draw_turns(turns: Turns, left: IntArray, n: int, rng: Generator) -> tuple[Choice, ...]:
    """Draw ``n`` cells, never more often than items are left, each with its chance per item."""
    left, choices = left.copy(), []
    for _ in range(min(n, int(left.sum()))):
        weight = turns.weights(left)
        cell = draw_index(weight, rng)
        chance = float(weight[cell] / left[cell]) if turns.has_chances else None
        choices.append(Choice(cell, chance, turns.reason(cell, rng)))
        left[cell] -= 1
        turns.took(cell)
    return tuple(choices)


def draw_index(weight: FloatArray, rng: Generator) -> int:
    """An index with probability proportional to its weight; never one of weight zero."""
    total = np.cumsum(weight)
    return int(np.searchsorted(total, rng.random() * total[-1], side="right"))


def are_best(worth: FloatArray) -> BoolArray:
    """Which have the highest worth.

    >>> are_best(np.array([0.1, 0.3, 0.1 + 0.2]))
    array([False,  True,  True])
    """
    best = worth.max()
    return np.asarray(worth >= best - SAME * abs(best))
