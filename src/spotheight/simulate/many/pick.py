"""How policies choose in many runs at once; with one run they use a stream as the loop does."""

from dataclasses import dataclass, field
from typing import Protocol, cast

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.numerics.ranking import bandits
from spotheight.policies import BayesUCB, EpsilonGreedy, MultiplePlay, Random, Thompson, TopTwo
from spotheight.policies.thompson import REDRAWS
from spotheight.simulate.many.goals import BoundedGoal, Goal
from spotheight.simulate.many.world import Runs
from spotheight.types import FloatArray, IntArray

CountPolicy = Random | Thompson | TopTwo | MultiplePlay | EpsilonGreedy | BayesUCB

Labels = tuple[IntArray, IntArray]
"""Runs that get a label, and the group it is from."""


class Picker(Protocol):
    """A policy at work in many runs."""

    def pick(self, runs: Runs, rng: Generator, is_seen: bool) -> list[Labels]:
        """The labels of a step, one after another; those of one place in the list all at once.

        Where it is not seen what lies between two labels of a step, they may come at once.
        """
        ...

    def told(self, runs: Runs, labels: Labels, outcome: IntArray) -> None:
        """Reckon with new labels."""
        ...


@dataclass(frozen=True, eq=False)
class PickRandom:
    """Every item left alike."""

    def pick(self, runs: Runs, rng: Generator, is_seen: bool) -> list[Labels]:
        left = runs.held.sum(axis=1, keepdims=True)
        return in_turn(draw_indices(runs.held / np.maximum(left, 1), rng)[None])

    def told(self, runs: Runs, labels: Labels, outcome: IntArray) -> None:
        """Chances depend on what is left alone."""


@dataclass(frozen=True, eq=False)
class PickDrawn:
    """The groups worth most in one draw of what is believed."""

    goal: Goal
    plays: int = 1
    is_loop: bool = False

    def pick(self, runs: Runs, rng: Generator, is_seen: bool) -> list[Labels]:
        chosen = _drawn(self.goal, runs.alpha, runs, rng, self.plays)
        if self.is_loop:
            _keep_step(self.goal, runs, rng, self.plays)
        return in_turn(chosen)

    def told(self, runs: Runs, labels: Labels, outcome: IntArray) -> None:
        """Everything is drawn anew."""


@dataclass(frozen=True, eq=False)
class PickTopTwo:
    """The group worth most in one draw, or the first other one that further draws name."""

    goal: Goal
    first: float
    is_loop: bool = False

    def pick(self, runs: Runs, rng: Generator, is_seen: bool) -> list[Labels]:
        leader = _drawn(self.goal, runs.alpha, runs, rng, 1)[0]
        has_rival = runs.is_open.sum(axis=1) > 1
        rows = np.flatnonzero((rng.random(len(runs)) >= self.first) & has_rival)
        chosen = leader.copy()
        for _ in range(REDRAWS):
            if not len(rows):
                break
            chosen[rows] = _drawn(self.goal, runs.alpha[rows], runs, rng, 1, rows)[0]
            rows = rows[chosen[rows] == leader[rows]]
        if len(rows):
            chosen[rows] = _drawn(self.goal, runs.alpha[rows], runs, rng, 2, rows)[1]
        if self.is_loop:
            _keep_step(self.goal, runs, rng, 1)
        return in_turn(chosen[None])

    def told(self, runs: Runs, labels: Labels, outcome: IntArray) -> None:
        """Everything is drawn anew."""


def _keep_step(goal: Goal, runs: Runs, rng: Generator, turns: int) -> None:
    """Use the stream as the loop does: a cell is drawn each turn, then values for a next turn."""
    rng.random((turns, len(runs)))
    goal.draw(runs.alpha, rng)


def _drawn(
    goal: Goal,
    alpha: FloatArray,
    runs: Runs,
    rng: Generator,
    most: int,
    rows: IntArray | None = None,
) -> IntArray:
    """The best groups of one draw, (most, runs)."""
    is_open = runs.is_open if rows is None else runs.held[rows] > 0
    worth = goal.worth(alpha, goal.draw(alpha, rng))
    if most > 1:
        return bandits.several(worth, is_open, most).T
    return np.where(is_open.any(axis=1), bandits.best(worth, is_open), -1)[None]


@dataclass(eq=False)
class PickLeader:
    """The groups with the highest numbers in turn, and any group for a share of the turns.

    Numbers are kept. Quantiles are dear, so only those of groups with new labels are computed
    again; what is expected is cheap and computed for all groups of a run.
    """

    goal: Goal
    share: float
    quantile: float | None
    number: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)

    def pick(self, runs: Runs, rng: Generator, is_seen: bool) -> list[Labels]:
        if not self.number.size:
            self.number = self._numbers(runs.alpha)
        held, rest = runs.held.copy(), runs.is_open
        every = np.arange(len(runs))
        chosen = np.full((self.goal.plays, len(runs)), -1)
        for turn in range(self.goal.plays):
            leader = bandits.best(self.number, rest & (held > 0))
            group = self._draw(held, leader, rng)
            group[~(rest & (held > 0)).any(axis=1)] = -1
            rest[every, leader] = False
            took = np.flatnonzero(group >= 0)
            held[took, group[took]] -= 1
            chosen[turn] = group
        return in_turn(chosen)

    def _draw(self, held: IntArray, leader: IntArray, rng: Generator) -> IntArray:
        """The leader, or any group with items left."""
        is_open = held > 0
        chances = self.share * is_open / np.maximum(is_open.sum(axis=1, keepdims=True), 1)
        chances[np.arange(len(held)), leader] += 1 - self.share
        chances = np.where(is_open, chances, 0.0)
        total = np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return draw_indices(chances / total / np.maximum(held, 1) * held, rng)

    def told(self, runs: Runs, labels: Labels, outcome: IntArray) -> None:
        rows, group = labels
        if self.quantile is None:
            self.number[rows] = self._numbers(runs.alpha[rows])
        else:
            self.number[rows, group] = self._numbers(runs.alpha[rows, group])

    def _numbers(self, alpha: FloatArray) -> FloatArray:
        if self.quantile is None:
            return self.goal.expected(alpha)
        return cast(BoundedGoal, self.goal).bound(alpha, self.quantile)


def in_turn(chosen: IntArray) -> list[Labels]:
    """The labels of each turn, from the group of each run or -1 for none: (turns, runs)."""
    found = ((np.flatnonzero(group >= 0), group) for group in chosen)
    return [(rows, group[rows]) for rows, group in found if len(rows)]


def draw_indices(weight: FloatArray, rng: Generator) -> IntArray:
    """For each run an index with probability proportional to its weight; -1 where all are 0."""
    total = np.cumsum(weight, axis=1)
    mark = rng.random(len(weight)) * total[:, -1]
    return np.where(total[:, -1] > 0, (total <= mark[:, None]).sum(axis=1), -1)


def picker_of(policy: CountPolicy, goal: Goal, is_loop: bool = False) -> Picker:
    """The policy at work, if wanted as the loop draws; raise where it has no batched form."""
    match policy:
        case Random():
            return PickRandom()
        case Thompson(draws=1):
            return PickDrawn(goal, 1, is_loop)
        case MultiplePlay():
            return PickDrawn(goal, goal.plays, is_loop)
        case TopTwo(draws=1):
            return PickTopTwo(goal, policy.first, is_loop)
        case EpsilonGreedy():
            return PickLeader(goal, policy.epsilon, None)
        case BayesUCB() if hasattr(goal, "bound"):
            return PickLeader(goal, 0.0, policy.share)
    raise InputError(
        f"{policy} has no batched form for {type(goal).__name__}; "
        f"Thompson sampling and top-two need draws=1, Bayes-UCB a rate."
    )
