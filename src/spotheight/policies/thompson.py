"""Label where the answer plausibly hinges."""

from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.policies.turns import ArmTurns, Turns, draw_turns
from spotheight.policies.view import Choice, View
from spotheight.tasks import ArmTask
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class _Votes:
    """Each draw votes for the arm where a label is worth most, reckoning with the batch so far."""

    view: View = field(repr=False)
    task: ArmTask = field(repr=False)
    surface: Surface = field(repr=False)
    rates: FloatArray = field(repr=False)
    taken: FloatArray = field(repr=False)

    @property
    def has_chances(self) -> bool:
        return len(self.rates) > 1

    def weights(self, left: IntArray) -> FloatArray:
        cells = self.view.cells
        worth = self.task.reward(self.surface, self.rates, self.taken)
        # An exhausted arm is passed over for the next best of the same draw.
        best = np.argmax(np.where(cells.arm_sum(left) > 0, worth, -np.inf), axis=1)
        votes = np.bincount(best, minlength=cells.arms) / len(self.rates)
        return ArmTurns(cells.arm, votes, "").weights(left)

    def reason(self, cell: int, left: IntArray, rng: Generator) -> str:
        return "one more label helps most in its arm"

    def took(self, cell: int) -> None:
        self.taken[self.view.cells.arm[cell]] += 1


@dataclass(frozen=True)
class Thompson:
    """Label an arm as often as it is the most worth labelling, over draws of the belief.

    Args:
        draws: How many draws vote; with one draw this is the published policy, whose chances
            nobody knows, so that none is recorded.
    """

    draws: int = 256

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise InputError(f"Thompson sampling needs at least 1 draw, got {self.draws}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        surface = view.belief
        if not isinstance(surface, Surface) or not hasattr(view.task, "reward"):
            raise InputError(
                f"Thompson sampling cannot serve the task {type(view.task).__name__}; "
                f"choose another policy."
            )
        rates = surface.rate.draw(self.draws, rng)
        task = cast(ArmTask, view.task)  # it has a reward, as was just seen
        return _Votes(view, task, surface, rates, np.zeros(view.cells.arms))

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        return draw_turns(self.turns(view, rng), view.left, n, rng)
