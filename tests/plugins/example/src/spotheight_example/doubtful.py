"""A policy."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.policies import TurnPolicy, View
from spotheight.policies.turns import ArmTurns, Turns


@dataclass(frozen=True)
class Doubtful(TurnPolicy):
    """Draw arms by how unsure their rate is.

    Args:
        power: 0 draws all arms alike; the higher, the more the least sure ones.
    """

    power: float = 1.0

    def turns(self, view: View, rng: Generator) -> Turns:
        doubt = np.sqrt(view.belief.of("rate").belief.variance)
        return ArmTurns(view.cells.arm, doubt**self.power, "its arm is among the least sure")
