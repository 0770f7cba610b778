"""Label where the answer plausibly hinges."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.policies.turns import ArmTurns, Turns, draw_turns
from spotheight.policies.view import Choice, View


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
        worth = view.task.reward(surface, rates)
        # An exhausted arm is passed over for the next best of the same draw.
        open_arms = view.cells.arm_sum(view.left) > 0
        target = np.argmax(np.where(open_arms, worth, -np.inf), axis=1)
        votes = np.bincount(target, minlength=view.cells.arms) / self.draws
        why = "one more label helps most in its arm"
        return ArmTurns(view.cells.arm, votes, why, has_chances=self.draws > 1)

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        return draw_turns(self.turns(view, rng), view.left, n, rng)
