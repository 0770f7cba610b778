"""The loop of many runs: pick, label, watch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator

from spotheight.campaign.streams import for_asking
from spotheight.simulate.many.goals import Goal
from spotheight.simulate.many.items import ItemRuns
from spotheight.simulate.many.pick import CountPolicy, RunPicker, picker_of
from spotheight.simulate.many.race import racer_of
from spotheight.simulate.many.streams import Stream, Streams, stream_of
from spotheight.simulate.many.world import Runs, RunState
from spotheight.types import FloatArray, IntArray

Many = TypeVar("Many", Runs, ItemRuns)

Watch = Callable[[Any], None]
"""Called after every label; a curve after those of a step where it reads nothing in between."""


@dataclass(frozen=True)
class Luck:
    """Where the luck of runs comes from.

    Args:
        streams: The random numbers of each step.
        is_loop: Whether they are used up number by number as a campaign does. Otherwise groups that
            cannot win are left undrawn where that can be done: the same law in less time.
    """

    streams: Callable[[int], Stream]
    is_loop: bool = False

    @classmethod
    def of(cls, rng: Generator) -> "Luck":
        """One generator for all steps of all runs."""
        return cls(lambda step: rng)

    @classmethod
    def of_campaigns(cls, seeds: Sequence[int]) -> "Luck":
        """Each run's as a campaign of its seed has it, where asking and telling take turns."""

        def streams(step: int) -> Streams:
            return Streams([for_asking(seed, 2 * step) for seed in seeds])

        return cls(streams, is_loop=True)


def run_many(
    runs: Many,
    goal: Goal,
    policy: CountPolicy,
    *,
    luck: Luck,
    until: int | None = None,
    watch: Sequence[Watch] = (),
) -> Many:
    """Go on with many runs of a policy, until so many labels or the end of the pool.

    Args:
        runs: Where they stand; they change.
        goal: What runs are after.
        policy: The policy, as a campaign has it.
        luck: Where it comes from; as a campaign has it, one run equals that campaign.
        until: Labels of each run; all items by default.
        watch: Called after every label.
    """
    picker = _picker(policy, goal, runs, luck)
    most = runs.labels + runs.held.sum(axis=1)
    end, step = most if until is None else np.minimum(most, until), 0
    while (runs.labels < end).any():
        rng = luck.streams(step)
        is_seen = any(_sees_within(look, runs, goal.plays) for look in watch)
        for (rows, group), within in picker.pick(runs, rng, is_seen):
            luck_of_items = stream_of(rng, rows).random(len(rows))
            outcome = runs.take(rows, group, luck_of_items, within)
            picker.told(runs, (rows, group), outcome)
            for look in watch:
                look(runs)
        step += 1
    return runs


def _picker(policy: CountPolicy, goal: Goal, runs: RunState, luck: Luck) -> RunPicker:
    racer = None if luck.is_loop else racer_of(policy, goal, runs)
    return picker_of(policy, goal, luck.is_loop) if racer is None else racer


@dataclass(eq=False)
class Trace:
    """A measure of every run after given numbers of labels.

    Args:
        at: After how many labels, ascending.
        measure: From pseudo-counts (runs, groups, outcomes) to a number for each run.
        runs: How many runs there are.
    """

    at: Sequence[int]
    measure: Callable[[FloatArray], FloatArray]
    runs: int
    values: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.values = np.full((len(self.at), self.runs), np.nan)
        self._place = np.full(max(self.at, default=0) + 2, -1)
        self._place[list(self.at)] = np.arange(len(self.at))
        self._read = np.cumsum(self._place >= 0)

    def __call__(self, runs: RunState) -> None:
        place = self._place[np.minimum(runs.labels, len(self._place) - 1)]
        due = np.flatnonzero(place >= 0)
        if len(due):
            alpha = runs.alpha if len(due) == len(runs) else runs.alpha[due]
            self.values[place[due], due] = self.measure(alpha)

    def reads_within(self, labels: IntArray, more: int) -> bool:
        """Whether it reads a run that has had so many labels before it has had these more."""
        first, last = (np.minimum(at, len(self._read) - 1) for at in (labels, labels + more - 1))
        return bool((self._read[last] > self._read[first]).any())


def _sees_within(look: Watch, runs: RunState, plays: int) -> bool:
    """Whether it looks between two labels of a step."""
    if plays == 1:
        return False
    return not isinstance(look, Trace) or look.reads_within(runs.labels, plays)
