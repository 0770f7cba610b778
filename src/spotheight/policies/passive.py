"""Passive sampling: policies that do not look at what is believed."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.policies.turns import ArmTurns, ItemTurns, TurnPolicy, Turns
from spotheight.policies.view import View


@dataclass(frozen=True)
class Random(TurnPolicy):
    """Draw from all items alike."""

    def turns(self, view: View, rng: Generator) -> Turns:
        return ItemTurns("drawn at random")


@dataclass(frozen=True)
class Uniform(TurnPolicy):
    """Draw an arm, each alike, then one of its items."""

    def turns(self, view: View, rng: Generator) -> Turns:
        return ArmTurns(view.cells.arm, np.ones(view.cells.arms), "its arm was drawn, each alike")


@dataclass(frozen=True)
class Proportional(TurnPolicy):
    """Draw arms by their size, but give every arm at least its share of ``floor``.

    Args:
        floor: The part of the labels that is spread evenly over arms: 0 is ``Random`` in arms,
            1 is ``Uniform``.
    """

    floor: float = 0.3

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= 1:
            raise InputError(f"The floor is a share from 0 to 1, got {self.floor:g}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        size = view.cells.arm_sum(view.cells.count)
        weight = (1 - self.floor) * size / size.sum() + self.floor / len(size)
        return ArmTurns(
            view.cells.arm, weight, "its arm was drawn by size, with a floor for small ones"
        )
