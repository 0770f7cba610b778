"""Label where the surface is least known."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.policies.turns import Turns, draw_turns
from spotheight.policies.view import Choice, View
from spotheight.types import FloatArray, IntArray


@dataclass(eq=False)
class _Widest:
    """One item of the arm with the highest variance, then of the next; all arms, then once more."""

    arm: IntArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    taken: IntArray = field(repr=False)
    why: str = "its arm is among those least known"
    has_chances: bool = False

    def weights(self, left: IntArray) -> FloatArray:
        is_open = np.bincount(self.arm, weights=left, minlength=len(self.variance)) > 0
        is_open &= self.taken == self.taken[is_open].min()
        worth = np.where(is_open, self.variance, -np.inf)
        # The last bits of a sum must never decide.
        best = worth.max()
        arm = int(np.argmax(worth >= best - 1e-9 * abs(best)))
        return self.within(arm, left)

    def within(self, arm: int, left: IntArray) -> FloatArray:
        """The weight of each cell once the arm is chosen: its items are all alike in it."""
        weight = np.where(self.arm == arm, left, 0).astype(float)
        return weight / weight.sum()

    def reason(self, cell: int, left: IntArray, rng: Generator) -> str:
        return self.why

    def took(self, cell: int) -> None:
        self.taken[self.arm[cell]] += 1


@dataclass(frozen=True)
class Variance:
    """Label one item in each of the arms whose rate is least known (Piratla et al. 2021).

    Which arms these are follows from the belief alone, so no chance is recorded.
    """

    def turns(self, view: View, rng: Generator) -> Turns:
        belief = view.belief
        if not isinstance(belief, Surface):
            raise InputError(
                f"Variance cannot serve the task {type(view.task).__name__}; choose another policy."
            )
        variance = belief.rate.variance
        return _Widest(view.cells.arm, variance, np.zeros(len(variance), dtype=np.int64))

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        return draw_turns(self.turns(view, rng), view.left, n, rng)
