"""Thompson sampling for the groups with the lowest rates, without a draw for every group.

A random byte for each group says whether its rate may lie below a rung, the roof of its run. Mostly
those looked for do, and only groups that may lie there get more of their random number, which a
table turns into the rungs that their rate lies between. Where more groups meet between the last two
rungs than are looked for, their rates are drawn, given that they lie there. Where the roof is
decides about time alone, not about the choice.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import betaincinv

from spotheight.simulate.many.chances import BYTE, CELLS, LAST_BASE, PARTS, RUNGS, Chances
from spotheight.simulate.many.pick import Drawn, Labels
from spotheight.simulate.many.tails import draw_between
from spotheight.simulate.many.world import Runs, RunState
from spotheight.types import FloatArray, IntArray

PATIENCE = 16
"""Steps until roofs are looked at again; each moves by one rung at most."""

FEWEST, MOST = 2.0, 4.0
"""How many groups should lie below a roof beyond those looked for, in roots of their number."""


@dataclass(eq=False)
class Ladder:
    """The choice of Thompson sampling in many runs, for the lowest rates or for the highest.

    Args:
        chances: Of all states; those of misses where the highest rates are looked for.
        plays: How many groups are looked for.
        is_best: Whether those with the highest rates.
        groups: Those that are open in some run, the columns of what follows.
        state: Of each group, (runs, columns).
        top: The rung that is the roof, (runs,).
        roof: The first byte of the chance to lie below it, (runs, columns).
        steps: So far.
    """

    chances: Chances
    plays: int
    is_best: bool
    groups: IntArray = field(repr=False)
    state: IntArray = field(repr=False)
    top: IntArray = field(repr=False)
    roof: NDArray[np.uint8] = field(repr=False)
    steps: int = 0
    _column: IntArray = field(init=False, repr=False)

    @classmethod
    def of(cls, runs: Runs, plays: int, is_best: bool) -> "Ladder":
        """Begin where all runs stand."""
        order = [1, 0] if is_best else [0, 1]
        chances = Chances.of(runs.left[0][:, order], runs.alpha[0][:, order])
        state = np.repeat(chances.begin[None], len(runs), axis=0)
        below = chances.table[chances.begin].sum(axis=0) / PARTS
        first = int(np.searchsorted(below, plays + FEWEST * plays**0.5))
        top = np.full(len(runs), min(first, RUNGS))
        roof = chances.first_bytes(state, top[:, None])
        return cls(chances, plays, is_best, np.arange(state.shape[1]), state, top, roof)

    def pick(self, runs: RunState, rng: Generator, is_seen: bool) -> list[Drawn]:
        if self.steps % PATIENCE == 0:
            self._follow(runs)
        self.steps += 1
        if is_seen:
            return self._in_turn(runs, rng)
        place, luck, base = self._below_roof(rng)
        cell = self._cells(runs, place, luck, base, rng)
        return [(self._labels(self._lowest(place, cell, base, runs, rng)), None)]

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        rows, group = labels
        place = rows * len(self.groups) + self._column.take(group)
        side = 1 - outcome if self.is_best else outcome
        stride = self.chances.stride.take(side * runs.held.shape[1] + group)
        state = self.state.take(place) + stride
        self.state.reshape(-1)[place] = state
        self.roof.reshape(-1)[place] = self.chances.first_bytes(state, self.top.take(rows))

    def _below_roof(self, rng: Generator) -> tuple[IntArray, NDArray[np.uint16], IntArray]:
        """Groups that may lie below the roof, their random numbers, and the base of each run.

        Where fewer do for sure than are looked for, all open groups of the run are there, and its
        cells begin at the roof.
        """
        words = rng.integers(0, 1 << 64, -(-self.roof.size // 8), dtype=np.uint64)
        luck = words.view(np.uint8)[: self.roof.size]
        roof, columns = self.roof.reshape(-1), len(self.groups)
        place = np.flatnonzero(luck <= roof)
        is_sure = luck.take(place) < roof.take(place)
        sure = place.compress(is_sure)
        few = np.flatnonzero(np.bincount(sure // columns, minlength=len(self.top)) < self.plays)
        more = (few[:, None] * columns + np.arange(columns)).reshape(-1)
        more = more.compress(luck.take(more) > roof.take(more))
        more = np.concatenate([place.compress(~is_sure), more])
        place = np.concatenate([sure, more.compress(self.chances.is_open(self.state.take(more)))])
        base = self.top - CELLS + 1
        base[few] = self.top[few] - 1
        second = rng.integers(0, BYTE, len(place), dtype=np.uint8)
        return place, luck.take(place) * BYTE + second, np.clip(base, 0, LAST_BASE)

    def _lowest(
        self, place: IntArray, cell: IntArray, base: IntArray, runs: RunState, rng: Generator
    ) -> IntArray:
        """Those of some groups that are looked for."""
        count, rows = len(runs), place // len(self.groups)
        among = np.bincount(cell * count + rows, minlength=CELLS * count)
        reached = among.reshape(CELLS, count).copy()
        for below, here in pairwise(reached):  # np.cumsum goes through runs one by one
            here += below
        last = (reached[:-1] < self.plays).sum(axis=0)
        at_last = last * count + np.arange(count)
        there = among.take(at_last)
        need = self.plays - reached.take(at_last) + there
        beyond = cell - last.take(rows)
        is_tied = (there > need).take(rows) & (beyond == 0)
        won = place.compress((beyond <= 0) & ~is_tied)
        tied = place.take(np.flatnonzero(is_tied))
        return np.concatenate([won, self._settle(runs, tied, (base, last), need, rng)])

    def _cells(
        self,
        runs: RunState,
        place: IntArray,
        luck: NDArray[np.uint16],
        base: IntArray,
        rng: Generator,
    ) -> IntArray:
        """In which cells rates lie; where two bytes do not tell, by the rest of the number."""
        base = base.take(place // len(self.groups))
        cell, is_close = self.chances.cells(self.state.take(place), base, luck)
        at = np.flatnonzero(is_close)
        a, b = self._shapes(runs, *self._labels(place[at]))
        rate = np.asarray(betaincinv(a, b, (luck[at] + rng.random(len(at))) / PARTS), float)
        cell[at] = self.chances.cells_of(rate, base[at])
        return cell

    def _settle(
        self,
        runs: RunState,
        place: IntArray,
        cells: tuple[IntArray, IntArray],
        need: IntArray,
        rng: Generator,
    ) -> IntArray:
        """Draw the rates of groups that lie in the same cell of their run, and take the lowest."""
        place = np.sort(place)  # of equal rates the first, as in the loop
        rows, group = self._labels(place)
        a, b = self._shapes(runs, rows, group)
        low, high = self.chances.limits(*(part.take(rows) for part in cells))
        order, rank = _ranked(rows, draw_between(a, b, low, high, rng), len(runs))
        return place.take(order.compress(rank < need.take(rows.take(order))))

    def _in_turn(self, runs: RunState, rng: Generator) -> list[Drawn]:
        """One after another, the lowest rate first; for that all are drawn."""
        rows, group = np.divmod(np.flatnonzero(runs.held > 0), runs.held.shape[1])
        order, rank = _ranked(rows, rng.beta(*self._shapes(runs, rows, group)), len(runs))
        turns = (order.compress(rank == turn) for turn in range(self.plays))
        return [((rows.take(turn), group.take(turn)), None) for turn in turns if len(turn)]

    def _follow(self, runs: RunState) -> None:
        """Move roofs that lie too low or too high, and leave out groups exhausted everywhere."""
        is_open = runs.held.max(axis=0)[self.groups] > 0
        self.groups = self.groups[is_open]
        self._column = np.zeros(runs.held.shape[1], dtype=np.int64)
        self._column[self.groups] = np.arange(len(self.groups))
        self.state, self.roof = (part.compress(is_open, axis=1) for part in (self.state, self.roof))
        below, root = self.roof.sum(axis=1) / BYTE, self.plays**0.5
        step = (below < self.plays + FEWEST * root) * 1 - (below > self.plays + MOST * root)
        top = np.clip(self.top + step, 1, RUNGS)
        rows = np.flatnonzero(top != self.top)
        self.top = top
        self.roof[rows] = self.chances.first_bytes(self.state[rows], top[rows, None])

    def _labels(self, place: IntArray) -> Labels:
        """The run and the group behind each place of ``state``."""
        rows = place // len(self.groups)
        return rows, self.groups.take(place - rows * len(self.groups))

    def _shapes(
        self, runs: RunState, rows: IntArray, group: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """The Betas of groups, turned round where the highest rates are looked for."""
        shapes = runs.alpha.reshape(-1, 2).take(rows * runs.held.shape[1] + group, axis=0)
        a, b = shapes[..., 0], shapes[..., 1]
        return (b, a) if self.is_best else (a, b)


def _ranked(rows: IntArray, rates: FloatArray, runs: int) -> tuple[IntArray, IntArray]:
    """The order by run and rate, and of each in that order how many of its run come before it."""
    order = np.argsort(rows + 1j * rates, kind="stable")  # quicker than np.lexsort by both
    count = np.bincount(rows, minlength=runs)
    return order, np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
