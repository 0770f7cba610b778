"""Bandit policies by one number a group: epsilon-greedy, and an upper bound (Bayes-UCB)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.numerics.ranking import bandits
from spotheight.policies.bandit import Bandit
from spotheight.policies.turns import OneReason, TurnPolicy, Turns
from spotheight.policies.view import View
from spotheight.questions import BoundedTask
from spotheight.types import BoolArray, FloatArray, IntArray

DRAWS = 1000
"""The 2.5% point of so many draws lies between the 1.6% and the 3.5% point, nine times in ten."""


@dataclass(eq=False)
class _Leader(OneReason):
    """The groups with the highest numbers in turn, and any group for a share of the turns.

    Where a task looks for several, so many groups lead once each before the first leads again.
    """

    bandit: Bandit
    number: FloatArray
    share: float
    why: str
    led: list[int] = field(default_factory=list)
    leader: int = 0

    @property
    def has_chances(self) -> bool:
        return self.share > 0

    def weights(self, left: IntArray) -> FloatArray:
        is_open = self.bandit.is_open(left)
        chances = self.share * is_open / max(1, is_open.sum())
        self.leader = self._leader(is_open)
        chances[self.leader] += 1 - self.share
        return self.bandit.cell_weights(chances, left)

    def _leader(self, is_open: BoolArray) -> int:
        """The best group that has not led yet, or of all if each has."""
        rest = is_open.copy()
        rest[self.led] = False
        return int(bandits.best(self.number, rest if rest.any() else is_open))

    def took(self, cell: int) -> None:
        self.bandit.took(cell)
        self.led.append(self.leader)
        if len(self.led) >= self.bandit.task.plays:
            self.led.clear()


@dataclass(frozen=True)
class EpsilonGreedy(TurnPolicy):
    """Label the arm that is expected to be worth most, and any arm for a share of the labels.

    Where several arms are looked for, so many lead in turn.

    Args:
        epsilon: That share, drawn from arms alike.
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise InputError(f"The share of any arm is from 0 to 1, got {self.epsilon:g}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        bandit = Bandit.of(view, "Epsilon-greedy")
        expected = bandit.task.expected(bandit.belief, rng)
        return _Leader(bandit, expected, self.epsilon, "its arm leads, or was drawn, each alike")


@dataclass(frozen=True)
class BayesUCB(TurnPolicy):
    """Label the arm whose worth could still be highest: an upper bound of it, arm by arm.

    Where several arms are looked for, so many are labelled in turn.

    Args:
        share: How much of the belief lies below the bound.
    """

    share: float = 0.975

    def __post_init__(self) -> None:
        if not 0.5 <= self.share < 1:
            raise InputError(f"The bound's share is from .5 to below 1, got {self.share:g}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        bandit = Bandit.of(view, "Bayes-UCB")
        if isinstance(bandit.task, BoundedTask):
            highest = bandit.task.bound(bandit.belief, self.share, rng)
        else:
            highest = np.quantile(bandit.worth(bandit.draw(DRAWS, rng)), self.share, axis=0)
        return _Leader(bandit, highest, 0.0, "its arm could still be the one looked for")
