"""How policies choose in many runs at once; with one run they use a stream as the loop does."""

from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np

from spotheight.errors import InputError
from spotheight.numerics.ranking import bandits
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Random
from spotheight.policies.thompson import REDRAWS, MultiplePlay, Thompson, TopTwo
from spotheight.simulate.many.goals import BoundedGoal, Goal
from spotheight.simulate.many.streams import Stream, stream_of
from spotheight.simulate.many.world import RunState
from spotheight.types import FloatArray, IntArray

CountPolicy = Random | Thompson | TopTwo | MultiplePlay | EpsilonGreedy | BayesUCB

Labels = tuple[IntArray, IntArray]
"""Runs that get a label, and the group it is from."""

Drawn = tuple[Labels, FloatArray | None]
"""Labels of one turn; and for each how far into its group the number fell that drew the group,
where a campaign goes by that: its groups may lie in several cells."""


class RunPicker(Protocol):
    """A policy at work in many runs."""

    def pick(self, runs: RunState, rng: Any, is_seen: bool) -> list[Drawn]:
        """The labels of a step, one after another; those of one place in the list all at once.

        Where it is not seen what lies between two labels of a step, they may come at once.
        """
        ...

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        """Reckon with new labels."""
        ...


@dataclass(frozen=True, eq=False)
class PickRandom:
    """Every item left alike."""

    def pick(self, runs: RunState, rng: Stream, is_seen: bool) -> list[Drawn]:
        left = runs.held.sum(axis=1, keepdims=True)
        group, within = draw_within(runs.held / np.maximum(left, 1), rng)
        return in_turn(group[None], within[None])

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        """Chances depend on what is left alone."""


@dataclass(frozen=True, eq=False)
class PickDrawn:
    """The groups worth most in one draw of what is believed."""

    goal: Goal
    plays: int = 1
    is_loop: bool = False

    def pick(self, runs: RunState, rng: Stream, is_seen: bool) -> list[Drawn]:
        chosen = _drawn(self.goal, runs.alpha, runs, rng, self.plays)
        return in_turn(chosen, _rest_of_step(self, runs, rng) if self.is_loop else None)

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        """Everything is drawn anew."""


@dataclass(frozen=True, eq=False)
class PickTopTwo:
    """The group worth most in one draw, or the first other one that further draws name."""

    goal: Goal
    first: float
    is_loop: bool = False
    plays = 1

    def pick(self, runs: RunState, rng: Stream, is_seen: bool) -> list[Drawn]:
        leader = _drawn(self.goal, runs.alpha, runs, rng, 1)[0]
        has_rival = runs.is_open.sum(axis=1) > 1
        rows = np.flatnonzero((rng.random(len(runs)) >= self.first) & has_rival)
        chosen = leader.copy()
        for turn in range(REDRAWS):
            if not len(rows):
                break
            own = stream_of(rng, rows)
            best, second = _drawn(self.goal, runs.alpha[rows], runs, own, 2, rows)
            is_leader = best == leader[rows]
            chosen[rows] = np.where(is_leader & (turn == REDRAWS - 1), second, best)
            rows = rows[is_leader]
        return in_turn(chosen[None], _rest_of_step(self, runs, rng) if self.is_loop else None)

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        """Everything is drawn anew."""


def _rest_of_step(picker: "PickDrawn | PickTopTwo", runs: RunState, rng: Stream) -> FloatArray:
    """Use the stream as the loop does: a cell is drawn each turn, then values for a next turn.

    Where in its group each cell is drawn, (turns, runs).
    """
    within = rng.random((picker.plays, len(runs)))
    picker.goal.draw(runs.alpha, rng)
    return within


def _drawn(
    goal: Goal,
    alpha: FloatArray,
    runs: RunState,
    rng: Stream,
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

    def pick(self, runs: RunState, rng: Stream, is_seen: bool) -> list[Drawn]:
        if not self.number.size:
            self.number = self._numbers(runs.alpha)
        held, rest = runs.held.copy(), runs.is_open
        every = np.arange(len(runs))
        chosen = np.full((self.goal.plays, len(runs)), -1)
        within = np.zeros(chosen.shape)
        for turn in range(self.goal.plays):
            leader = bandits.best(self.number, rest & (held > 0))
            group, within[turn] = self._draw(held, leader, rng)
            group[~(rest & (held > 0)).any(axis=1)] = -1
            rest[every, leader] = False
            took = np.flatnonzero(group >= 0)
            held[took, group[took]] -= 1
            chosen[turn] = group
        return in_turn(chosen, within)

    def _draw(self, held: IntArray, leader: IntArray, rng: Stream) -> tuple[IntArray, FloatArray]:
        """The leader, or any group with items left."""
        is_open = held > 0
        chances = self.share * is_open / np.maximum(is_open.sum(axis=1, keepdims=True), 1)
        chances[np.arange(len(held)), leader] += 1 - self.share
        chances = np.where(is_open, chances, 0.0)
        total = np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return draw_within(chances / total / np.maximum(held, 1) * held, rng)

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        rows, group = labels
        if self.quantile is None:
            self.number[rows] = self._numbers(runs.alpha[rows])
        else:
            self.number[rows, group] = self._numbers(runs.alpha[rows, group])

    def _numbers(self, alpha: FloatArray) -> FloatArray:
        if self.quantile is None:
            return self.goal.expected(alpha)
        return cast(BoundedGoal, self.goal).bound(alpha, self.quantile)


def in_turn(chosen: IntArray, within: FloatArray | None = None) -> list[Drawn]:
    """The labels of each turn, from the group of each run or -1 for none: (turns, runs)."""
    found: list[Drawn] = []
    for turn, group in enumerate(chosen):
        rows = np.flatnonzero(group >= 0)
        if len(rows):
            found.append(((rows, group[rows]), None if within is None else within[turn, rows]))
    return found


def draw_indices(weight: FloatArray, rng: Stream) -> IntArray:
    """For each run an index with probability proportional to its weight; -1 where all are 0."""
    return draw_within(weight, rng)[0]


def draw_within(weight: FloatArray, rng: Stream) -> tuple[IntArray, FloatArray]:
    """The same, and how far into the weight of its index each number fell, as a share of it."""
    total = np.cumsum(weight, axis=1)
    mark = rng.random(len(weight)) * total[:, -1]
    index = np.where(total[:, -1] > 0, (total <= mark[:, None]).sum(axis=1), -1)
    own = np.take_along_axis(weight, np.maximum(index, 0)[:, None], 1)[:, 0]
    before = np.take_along_axis(total, np.maximum(index, 0)[:, None], 1)[:, 0] - own
    return index, np.divide(mark - before, own, out=np.zeros(len(own)), where=own > 0)


def picker_of(policy: CountPolicy, goal: Goal, is_loop: bool = False) -> RunPicker:
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
