"""Thompson sampling for the groups with the lowest rates, without a draw for every group.

A random number of 16 bits for each group says whether its rate lies below a rung, the roof. Mostly
those looked for do, and only groups that lie there get the rest of their random number. Then they
are sifted from rung to rung: with enough groups below one, those above are out; with too few, those
below are in. Where groups meet between two rungs their rates are drawn, given that they lie there.
Which rungs are looked at decides about time alone, not about the choice.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from spotheight.simulate.many.chances import PARTS, RUNGS, Chances
from spotheight.simulate.many.pick import Labels
from spotheight.simulate.many.search import BETWEEN, IN, Search, halves
from spotheight.simulate.many.tails import draw_between
from spotheight.simulate.many.world import Runs
from spotheight.types import FloatArray, IntArray

PATIENCE = 64
"""Steps until the roof is moved to where the last of those looked for lies by now."""

SAMPLE = 64
"""Runs that are asked where that is."""

EVEN = 0.3
"""How much weight all other rungs get together when the next one to look at is chosen."""

ROUNDS = 4
"""Rungs that are looked at before rates are drawn."""


@dataclass(eq=False)
class Ladder:
    """The choice of Thompson sampling in many runs, for the lowest rates or for the highest.

    Args:
        chances: Of all states; those of misses where the highest rates are looked for.
        plays: How many groups are looked for.
        is_best: Whether those with the highest rates.
        groups: Those that are open in some run, the columns of what follows.
        state: Of each group, (runs, columns).
        roof: The whole parts of its chance to lie below the roof, (runs, columns).
        top: The rung that is the roof.
        steps: So far.
    """

    chances: Chances
    plays: int
    is_best: bool
    groups: IntArray = field(repr=False)
    state: IntArray = field(repr=False)
    roof: NDArray[np.uint16] = field(repr=False)
    top: int = RUNGS
    steps: int = 0
    _half: IntArray = field(init=False, repr=False)
    _column: IntArray = field(init=False, repr=False)
    _roof_of: NDArray[np.uint16] = field(init=False, repr=False)

    @classmethod
    def of(cls, runs: Runs, plays: int, is_best: bool) -> "Ladder":
        """Begin where all runs stand."""
        order = [1, 0] if is_best else [0, 1]
        chances = Chances.of(runs.left[0][:, order], runs.alpha[0][:, order])
        state = np.repeat(chances.begin[None], len(runs), axis=0)
        roof = np.zeros(state.shape, dtype=np.uint16)
        return cls(chances, plays, is_best, np.arange(state.shape[1]), state, roof)

    def pick(self, runs: Runs, rng: Generator, is_seen: bool) -> list[Labels]:
        if self.steps % PATIENCE == 0:
            self._follow(runs, rng)
        self.steps += 1
        if is_seen:
            return self._in_turn(runs, rng)
        place, luck, high = self._below_roof(runs, rng)
        rows, column = np.divmod(self._sift(runs, place, luck, high, rng), len(self.groups))
        return [(rows, self.groups.take(column))]

    def told(self, runs: Runs, labels: Labels, outcome: IntArray) -> None:
        rows, group = labels
        place = rows * len(self.groups) + self._column.take(group)
        stride = self.chances.stride[1 - outcome if self.is_best else outcome, group]
        state = self.state.take(place) + stride
        self.state.reshape(-1)[place] = state
        self.roof.reshape(-1)[place] = self._roof_of.take(state)

    def _below_roof(self, runs: Runs, rng: Generator) -> tuple[IntArray, FloatArray, IntArray]:
        """Groups that lie below the roof, their random numbers, and the highest rung of each run.

        Where the roof is below those looked for, or 16 bits do not say on which side of it a group
        lies, all open groups of the run are there and the highest rung is 1.
        """
        luck = rng.integers(0, PARTS, self.roof.shape, dtype=np.uint16)
        place = np.flatnonzero(luck <= self.roof)
        edge = place.compress(luck.take(place) == self.roof.take(place))
        closed = edge.compress(self.chances.table[self.state.take(edge), -1] == 0)
        if len(closed):
            place = np.delete(place, np.searchsorted(place, closed))
        count = np.bincount(place // len(self.groups), minlength=len(runs))
        count[edge // len(self.groups)] = 0
        few = np.flatnonzero(count < self.plays)
        high = np.full(len(runs), self.top)
        high[few] = RUNGS
        is_more = (luck[few] > self.roof[few]) & (runs.held[few][:, self.groups] > 0)
        among, column = np.nonzero(is_more)
        place = np.concatenate([place, few[among] * len(self.groups) + column])
        return place, luck.take(place) + rng.random(len(place)), high

    def _sift(
        self, runs: Runs, place: IntArray, luck: FloatArray, high: IntArray, rng: Generator
    ) -> IntArray:
        """Those of some groups that are looked for."""
        rows, first = place // len(self.groups), self.state.take(place) * (RUNGS + 1)
        count = np.bincount(rows, minlength=len(runs))
        search = Search(np.zeros_like(high), high, np.full_like(high, self.plays), count)
        won = []
        for _ in range(ROUNDS):
            rung = self._half.take(search.low * (RUNGS + 1) + search.high)
            is_below = luck < self.chances.below(first, rung.take(rows))
            below = np.bincount(rows.compress(is_below), minlength=len(runs))
            fate = search.look(rung, below).take(is_below * len(runs) + rows)
            won.append(place.take(np.flatnonzero(fate == IN)))
            stay = np.flatnonzero(fate == BETWEEN)
            place, rows, first = place.take(stay), rows.take(stay), first.take(stay)
            luck = luck.take(stay)
        won.append(self._settle(runs, place, search, rng))
        return np.concatenate(won)

    def _settle(self, runs: Runs, place: IntArray, search: Search, rng: Generator) -> IntArray:
        """Draw the rates of groups between the same rungs, and take the lowest."""
        place = np.sort(place)  # of equal rates the first, as in the loop
        rows, column = np.divmod(place, len(self.groups))
        a, b = self._shapes(runs, rows, self.groups.take(column))
        low, high = (self.chances.rungs[rung].take(rows) for rung in (search.low, search.high))
        order, rank = _ranked(rows, draw_between(a, b, low, high, rng), len(runs))
        return place.take(order.compress(rank < search.need.take(rows.take(order))))

    def _in_turn(self, runs: Runs, rng: Generator) -> list[Labels]:
        """One after another, the lowest rate first; for that all are drawn."""
        rows, group = np.divmod(np.flatnonzero(runs.held > 0), runs.held.shape[1])
        order, rank = _ranked(rows, rng.beta(*self._shapes(runs, rows, group)), len(runs))
        turns = (order.compress(rank == turn) for turn in range(self.plays))
        return [(rows.take(turn), group.take(turn)) for turn in turns if len(turn)]

    def _follow(self, runs: Runs, rng: Generator) -> None:
        """Move the roof, and leave out groups that are exhausted everywhere."""
        is_open = runs.held.max(axis=0)[self.groups] > 0
        self.groups, self.state = self.groups[is_open], self.state.compress(is_open, axis=1)
        self._column = np.zeros(runs.held.shape[1], dtype=np.int64)
        self._column[self.groups] = np.arange(len(self.groups))
        asked = np.arange(0, len(runs), max(1, len(runs) // SAMPLE))[:, None]
        rates = rng.beta(*self._shapes(runs, asked, np.arange(runs.held.shape[1])))
        rates = np.where(runs.held[asked[:, 0]] > 0, rates, 1.0)
        last = np.partition(rates, self.plays - 1, axis=1)[:, self.plays - 1]
        cell = np.searchsorted(self.chances.rungs[1:-1], last)
        self.top = int(cell.max()) + 1
        self._half = halves(np.bincount(cell, minlength=RUNGS) / len(cell) + EVEN / RUNGS)
        below = np.clip(self.chances.table[:, self.top], 0, PARTS - 1)
        self._roof_of = below.astype(np.uint16)
        self.roof = self._roof_of.take(self.state)

    def _shapes(self, runs: Runs, rows: IntArray, group: IntArray) -> tuple[FloatArray, FloatArray]:
        """The Betas of groups, turned round where the highest rates are looked for."""
        shapes = runs.alpha.reshape(-1, 2).take(rows * runs.held.shape[1] + group, axis=0)
        a, b = shapes[..., 0], shapes[..., 1]
        return (b, a) if self.is_best else (a, b)


def _ranked(rows: IntArray, rates: FloatArray, runs: int) -> tuple[IntArray, IntArray]:
    """The order by run and rate, and of each in that order how many of its run come before it."""
    order = np.lexsort((rates, rows))
    count = np.bincount(rows, minlength=runs)
    return order, np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
