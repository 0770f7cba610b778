"""Thompson sampling and its kin: label where the answer plausibly hinges."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError, require_at_most
from spotheight.numerics.ranking import bandits
from spotheight.policies.bandit import Bandit
from spotheight.policies.turns import OneReason, TurnPolicy, Turns
from spotheight.policies.view import View
from spotheight.types import FloatArray, IntArray

REDRAWS = 100
"""After so many draws with one and the same best arm, the second best of the last one will do."""


@dataclass(eq=False)
class _Votes(OneReason):
    """Each draw votes for the groups where a label is worth most, reckoning with the batch so far.

    With a single draw every turn has a draw of its own, as published.
    """

    bandit: Bandit
    draws: int
    rng: Generator
    values: FloatArray = field(init=False, repr=False)
    now: FloatArray | None = field(init=False, repr=False, default=None)
    why: str = "one more label helps most in its arm"

    def __post_init__(self) -> None:
        self.values = self.bandit.draw(self.draws, self.rng)

    @property
    def has_chances(self) -> bool:
        return self.draws > 1

    def weights(self, left: IntArray) -> FloatArray:
        # A turn may be looked at more than once, and must not change by that.
        if self.now is None:
            self.now = self.chances(self.votes(left), left)
        return self.bandit.cell_weights(self.now, left)

    def votes(self, left: IntArray) -> FloatArray:
        """How often each group is among the best."""
        bandit = self.bandit
        is_open, plays = bandit.is_open(left), bandit.task.plays
        if plays == 1:
            found = bandits.best(self.worth(), is_open) if is_open.any() else np.zeros(0, np.int64)
        else:
            chosen = bandits.several(self.worth(), is_open, plays)
            found = chosen[chosen >= 0]
        return np.bincount(found, minlength=len(bandit.groups)) / max(1, len(found))

    def chances(self, votes: FloatArray, left: IntArray) -> FloatArray:
        """The chance of each group at the next turn."""
        return votes

    def worth(self) -> FloatArray:
        """Of a label in each group, (draws, groups)."""
        return self.bandit.worth(self.values)

    def redraw(self) -> None:
        """Forget the draws and make others."""
        self.values = self.bandit.draw(self.draws, self.rng)

    def took(self, cell: int) -> None:
        self.now = None
        self.bandit.took(cell)
        if self.draws == 1:
            self.redraw()


@dataclass(eq=False)
class _TopTwo(_Votes):
    """Half of the labels go to the best group of a draw, the others to its closest rival."""

    first: float = 0.5
    why: str = "its arm is plausibly the one looked for, or its closest rival"

    def chances(self, votes: FloatArray, left: IntArray) -> FloatArray:
        if self.draws > 1:
            return bandits.top_two_chances(votes, self.first)
        others = self.bandit.is_open(left) & (votes == 0)
        if self.rng.random() < self.first or not others.any():
            return votes
        for _ in range(REDRAWS):
            self.redraw()
            rivals = np.where(others, self.votes(left), 0.0)
            if rivals.any():
                return rivals / rivals.sum()
        return _only(int(bandits.best(self.worth()[0], others)), len(votes))


def _only(place: int, size: int) -> FloatArray:
    weight = np.zeros(size)
    weight[place] = 1.0
    return weight


@dataclass(eq=False)
class _Plays(_Votes):
    """All groups of one draw's set in turn, then another draw."""

    queue: list[int] = field(default_factory=list)
    why: str = "its arm is plausibly among those looked for"

    def votes(self, left: IntArray) -> FloatArray:
        is_open = self.bandit.is_open(left)
        self.queue = [group for group in self.queue if is_open[group]]
        if not self.queue:
            found = bandits.several(self.worth()[0], is_open, self.bandit.task.plays)
            self.queue = [int(group) for group in found if group >= 0]
        return _only(self.queue[0] if self.queue else 0, len(is_open))

    def took(self, cell: int) -> None:
        self.now = None
        self.bandit.took(cell)
        # In a mix the label may have come from elsewhere.
        self.queue = [group for group in self.queue if group != self.bandit.place[cell]]
        if not self.queue:
            self.redraw()


MOST_DRAWS = 100_000
"""Votes of more draws hardly differ, and take all memory there is."""


@dataclass(frozen=True)
class Thompson(TurnPolicy):
    """Label an arm as often as it is the most worth labelling, over draws of the belief.

    Args:
        draws: How many draws vote; with one draw this is the published policy, whose chances
            nobody knows, so that none is recorded.
    """

    draws: int = 256

    def __post_init__(self) -> None:
        _check_draws(self.draws)

    def turns(self, view: View, rng: Generator) -> Turns:
        return _Votes(Bandit.of(view, "Thompson sampling"), self.draws, rng)


@dataclass(frozen=True)
class TopTwo(TurnPolicy):
    """Thompson sampling that spends part of the labels on the closest rival of the leading arm.

    Args:
        first: The share that goes to the leading arm of a draw.
        draws: How many draws vote; with one draw this is the published policy (Russo 2016), whose
            chances nobody knows.
    """

    first: float = 0.5
    draws: int = 256

    def __post_init__(self) -> None:
        _check_draws(self.draws)
        if not 0 < self.first <= 1:
            raise InputError(f"The first arm's share is above 0 and at most 1, got {self.first:g}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        bandit = Bandit.of(view, "Top-two Thompson sampling")
        return _TopTwo(bandit, self.draws, rng, first=self.first)


@dataclass(frozen=True)
class MultiplePlay(TurnPolicy):
    """Thompson sampling for several arms: one label for each arm of a draw's set, then a new draw.

    As published (Komiyama et al. 2015); nobody knows its chances.
    """

    def turns(self, view: View, rng: Generator) -> Turns:
        return _Plays(Bandit.of(view, "Multiple-play Thompson sampling"), 1, rng)


def _check_draws(draws: int) -> None:
    if draws < 1:
        raise InputError(f"Thompson sampling needs at least 1 draw, got {draws}.")
    require_at_most("The number of draws of Thompson sampling", draws, MOST_DRAWS)
