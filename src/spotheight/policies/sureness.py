"""Expected certainty of a verdict: label where a comparison is expected to get surest."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.numerics.ranking.verdicts import expected_sureness, expected_variance, verdicts
from spotheight.policies.bandit import Bandit
from spotheight.policies.turns import OneReason, TurnPolicy, Turns
from spotheight.policies.view import View
from spotheight.questions.compare import Compare
from spotheight.questions.values import draws_for
from spotheight.types import FloatArray, IntArray

DRAWS, MOST_DRAWN = 4000, 10_000_000
"""Wanted, and numbers held in memory: 80 MB, a few times over."""

TIE = 1e-9
"""A label that cannot turn the verdict leaves the expected sureness as it is, exactly."""


@dataclass(eq=False)
class _Surest(OneReason):
    """The arm whose next label is expected to make the likeliest verdict likeliest.

    Where no single label can turn the verdict, as is usual, all arms tie; then the label counts
    that lowers the variance of the difference most. Inside a batch the label is imagined: drawn
    from what is believed, and the draws are weighted by it.
    """

    bandit: Bandit
    difference: FloatArray = field(repr=False)
    outcomes: FloatArray = field(repr=False)
    rope: float
    rng: Generator
    arm: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    why: str = "its label is expected to make the comparison surest"
    has_chances: bool = False

    def weights(self, left: IntArray) -> FloatArray:
        arms = self.outcomes.shape[1]
        is_open = np.bincount(self.arm, weights=left, minlength=arms) > 0
        is_open &= self.bandit.groups.group >= 0
        if not is_open.any():
            return left / left.sum()
        at = np.flatnonzero(is_open)
        outcomes = self.outcomes[:, at] * self.weight[:, None, None]
        sure = expected_sureness(verdicts(self.difference, self.rope), outcomes)
        tied = np.flatnonzero(sure >= sure.max() - TIE)
        spread = expected_variance(self.difference, outcomes[:, tied])
        inside = left * (self.arm == at[tied[int(np.argmin(spread))]])
        return inside / inside.sum()

    def took(self, cell: int) -> None:
        said = self.outcomes[:, self.arm[cell]]
        chances = self.weight @ said
        outcome = self.rng.choice(len(chances), p=chances / chances.sum())
        weight = self.weight * said[:, outcome]
        self.weight = weight / weight.sum()


@dataclass(frozen=True)
class ExpectedLambda(TurnPolicy):
    """For comparisons: label the arm that is expected to make the verdict surest (Ji et al. 2021).

    Deterministic, so no item has a chance.
    """

    def turns(self, view: View, rng: Generator) -> Turns:
        if not isinstance(view.task, Compare):
            raise InputError(
                f"Expected lambda cannot serve the task {type(view.task).__name__}; "
                f"it is for comparing two slices."
            )
        bandit = Bandit.of(view, "Expected lambda")
        n = draws_for(bandit.belief, DRAWS, MOST_DRAWN)
        parts = bandit.draw(n, rng)
        first, second = view.task.values(bandit.belief, parts).T
        outcomes = parts if parts.ndim == 3 else np.stack([parts, 1 - parts], axis=2)
        even = np.full(n, 1 / n)
        arm = view.likeliest
        return _Surest(bandit, first - second, outcomes, view.task.rope, rng, arm, even)
