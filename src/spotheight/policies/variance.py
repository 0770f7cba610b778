"""Uncertainty sampling: label where the surface is least known."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.numerics.regression.design import Sparse
from spotheight.policies.turns import OneReason, TurnPolicy, are_best, draw_turns
from spotheight.policies.view import Choice, View
from spotheight.types import FloatArray, IntArray


@dataclass(eq=False)
class _Widest(OneReason):
    """One item of the arm with the highest variance, then of the next; all arms, then once more."""

    arm: IntArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    taken: IntArray = field(repr=False)
    share: Sparse | None = field(repr=False, default=None)
    chosen: list[int] = field(default_factory=list, repr=False)
    now: int = 0
    why: str = "its arm is among those least known"
    has_chances: bool = False

    def weights(self, left: IntArray) -> FloatArray:
        if self.share is None:
            is_open = np.bincount(self.arm, weights=left, minlength=len(self.variance)) > 0
        else:
            is_open = np.asarray(left @ self.share).ravel() > 0
        is_open &= self.taken == self.taken[is_open].min()
        worth = np.where(is_open, self.variance, -np.inf)
        self.now = int(np.argmax(are_best(worth)))
        return self.within(self.now, left)

    def within(self, arm: int, left: IntArray) -> FloatArray:
        """The weight of each cell once the arm is chosen.

        Its items are all alike in it; where that is only guessed, the cell where they most probably
        lie there is taken.
        """
        if self.share is None:
            weight = np.where(self.arm == arm, left, 0).astype(float)
            return weight / weight.sum()
        chance = np.where(left > 0, np.asarray(self.share[:, [arm]].todense()).ravel(), -1.0)
        weight = np.zeros(len(left))
        weight[int(np.argmax(chance))] = 1.0
        return weight

    def took(self, cell: int) -> None:
        self.taken[self.now] += 1
        self.chosen.append(self.now)


@dataclass(frozen=True)
class Variance(TurnPolicy):
    """Label one item in each of the arms whose rate is least known (Piratla et al. 2021).

    Where attributes are only guessed, the item that most probably lies in the arm.

    Which arms these are follows from the belief alone, so no chance is recorded.
    """

    def turns(self, view: View, rng: Generator) -> _Widest:
        if view.surface is None:
            raise InputError(
                f"Variance cannot serve the task {type(view.task).__name__}; choose another policy."
            )
        variance = view.surface.rate.variance
        taken = np.zeros(len(variance), dtype=np.int64)
        return _Widest(view.likeliest, variance, taken, view.share)

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        turns = self.turns(view, rng)
        choices = draw_turns(turns, view.left, n, rng)
        if view.share is None:
            return choices
        pairs = zip(choices, turns.chosen, strict=True)
        return tuple(replace(choice, toward=arm) for choice, arm in pairs)
