"""Thompson sampling for the group with the lowest rate, without a draw for every group.

The lowest of all rates lies between the two rungs where the hazards of all groups together pass an
exponential number, and a group lies there too with chances that go by its own hazard between them.
Mostly it is the only one and has won; else the rates of those that are there are drawn, given that
they are. A run keeps hazards between a few rungs in sight, and looks further up when it has to:
which ones it keeps decides about time alone, not about the choice.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.simulate.many.hazards import Hazards
from spotheight.simulate.many.tails import draw_between
from spotheight.simulate.many.world import Runs
from spotheight.types import FloatArray, IntArray

SIGHT = 4
"""Spaces between rungs that a run keeps in sight."""

LOWEST, LOW = 0.3, 1.2
"""How much hazard may lie below what is in sight: at first, and before a run looks further down."""

NARROW = 0.4
"""Of the root of the number of groups, in a block: blocks are added up anew, and so cost more."""

BELOW_ONE = 1 - 1e-15
"""So that a share of a sum stays below the sum when it is rounded."""

TOGETHER = 256
"""Runs that look at all rungs at once, to spare memory."""


@dataclass(eq=False)
class Ladder:
    """The choice of Thompson sampling in many runs, for the lowest rate or for the highest.

    Groups lie in blocks, so that one is found in two short steps. In ``hazard`` (runs, spaces,
    groups) the first space is all that lies below the rung ``foot`` (runs,); ``block`` (spaces,
    blocks, runs) and ``total`` (spaces, runs) are its sums. Runs come last where they can: sums
    along the first axis are fastest.

    Args:
        hazards: Of all states; those of misses where the highest rate is looked for.
        is_best: Whether it is.
    """

    hazards: Hazards
    is_best: bool
    state: IntArray = field(repr=False)
    foot: IntArray = field(repr=False)
    hazard: FloatArray = field(repr=False)
    block: FloatArray = field(repr=False)
    total: FloatArray = field(repr=False)

    @classmethod
    def of(cls, runs: Runs, is_best: bool) -> "Ladder":
        """Begin where all runs stand."""
        order = [1, 0] if is_best else [0, 1]
        hazards = Hazards.of(runs.left[0][:, order], runs.alpha[0][:, order])
        count, groups = runs.held.shape
        width = max(1, round(groups**0.5 * NARROW))
        blocks = -(-groups // width)
        state = np.zeros((count, blocks * width), dtype=np.int64)
        state[:, :groups] = hazards.begin
        hazard = np.zeros((count, SIGHT + 1, blocks * width))
        block, total = np.zeros((SIGHT + 1, blocks, count)), np.zeros((SIGHT + 1, count))
        ladder = cls(hazards, is_best, state, np.zeros(count, dtype=int), hazard, block, total)
        ladder._look(np.arange(count), np.zeros(count))
        return ladder

    @property
    def _width(self) -> int:
        """Groups of a block."""
        return self.hazard.shape[2] // self.block.shape[1]

    def pick(self, runs: Runs, rng: Generator) -> IntArray:
        every, mark = np.arange(len(runs)), rng.standard_exponential(len(runs))
        rows = np.flatnonzero((self.total[0] > LOW) | (self.total.sum(axis=0) <= mark))
        self._look(rows, mark[rows])
        reached = np.cumsum(self.total, axis=0)
        space = np.minimum((reached <= mark).sum(axis=0), SIGHT)
        is_last = self.foot + space == len(self.hazards.rungs) - 1
        ahead = np.where(is_last, 0.0, np.maximum(reached[space, every] - mark, 0.0))
        group = self._draw_group(every, space, rng)
        again = np.repeat(every, rng.poisson(ahead))
        pairs = [self._rivals(group, again, space, rng), self._all_open(np.flatnonzero(is_last))]
        self._settle(group, np.concatenate(pairs), space, runs, rng)
        return group[None]

    def told(self, runs: Runs, rows: IntArray, group: IntArray) -> None:
        left = runs.left.reshape(-1, 2)[rows * runs.held.shape[1] + group]
        state = self.hazards.state(left[:, ::-1] if self.is_best else left, group)
        self.state[rows, group] = state
        spaces = np.arange(SIGHT + 1)[:, None]
        first = state * len(self.hazards.rungs) + self.foot[rows]
        reached = self.hazards.table.reshape(-1).take(first + spaces)
        reached[1:] -= reached[:-1].copy()
        place = (rows * (SIGHT + 1) + spaces) * self.hazard.shape[2] + group
        self.hazard.reshape(-1)[place] = reached
        self._add_up(rows, group // self._width)

    def _add_up(self, rows: IntArray, block: IntArray) -> None:
        """Sums anew, of a block of each of these runs."""
        blocks, width = self.block.shape[1], self._width
        spaces, within = np.arange(SIGHT + 1)[:, None], np.arange(width)[:, None, None]
        first = ((rows * (SIGHT + 1) + spaces) * blocks + block) * width
        self.block[spaces, block, rows] = self.hazard.reshape(-1).take(first + within).sum(axis=0)
        self.total = self.block.sum(axis=1)

    def _look(self, rows: IntArray, mark: FloatArray) -> None:
        """Choose anew what is in sight: the mark, and as few rungs as can be above the lowest."""
        for start in range(0, len(rows), TOGETHER):
            part, high = rows[start : start + TOGETHER], mark[start : start + TOGETHER, None]
            reached = self.hazards.table[self.state[part]]
            total = reached.sum(axis=1)
            low, need = (total < LOWEST).sum(axis=1) - 1, (total <= high).sum(axis=1)
            foot = np.clip(np.maximum(low, need - SIGHT), 0, total.shape[1] - 1 - SIGHT)
            self.foot[part] = foot
            at = foot[:, None, None] + np.arange(SIGHT + 1)
            seen = np.diff(np.take_along_axis(reached, at, axis=2), axis=2, prepend=0.0)
            self.hazard[part] = seen.transpose(0, 2, 1)
            blocks = self.hazard[part].reshape(len(part), SIGHT + 1, self.block.shape[1], -1)
            self.block[:, :, part] = blocks.sum(axis=3).transpose(1, 2, 0)
            self.total[:, part] = self.block[:, :, part].sum(axis=1)

    def _draw_group(self, rows: IntArray, space: IntArray, rng: Generator) -> IntArray:
        """A group for each of these runs, by hazards between two rungs."""
        blocks, width = self.block.shape[1], self._width
        block, share = _found(self.block[space, :, rows].T, rng.random(len(rows)))
        first = ((rows * (SIGHT + 1) + space) * blocks + block) * width
        own = self.hazard.reshape(-1).take(first + np.arange(width)[:, None])
        return block * width + _found(own, share)[0]

    def _rivals(
        self, group: IntArray, again: IntArray, space: IntArray, rng: Generator
    ) -> IntArray:
        """All groups between the same rungs, where there are several, as run * groups + group."""
        groups, other = self.state.shape[1], self._draw_group(again, space[again], rng)
        there = np.concatenate([again * groups + group[again], again * groups + other])
        there.sort()
        pairs = there[np.diff(there, prepend=-1) > 0]
        rows = pairs // groups
        return pairs[np.bincount(rows, minlength=len(group))[rows] > 1]

    def _all_open(self, rows: IntArray) -> IntArray:
        """All groups with items: where the lowest rate is above the last rung but one, all are."""
        among, group = np.nonzero(self.state[rows])
        return rows[among] * self.state.shape[1] + group

    def _settle(
        self, group: IntArray, pairs: IntArray, space: IntArray, runs: Runs, rng: Generator
    ) -> None:
        """Draw the rates of rivals and take the lowest of each run."""
        if not len(pairs):
            return
        rows, rivals = np.divmod(pairs, self.state.shape[1])
        high = self.foot[rows] + space[rows]
        low = np.where(space[rows] > 0, high - 1, 0)
        shapes = runs.alpha[rows, rivals]
        a, b = shapes.T[::-1] if self.is_best else shapes.T
        rates = draw_between(a, b, self.hazards.rungs[low], self.hazards.rungs[high], rng)
        start = np.flatnonzero(np.diff(rows, prepend=-1))
        lowest = np.repeat(np.minimum.reduceat(rates, start), np.diff(start, append=len(rows)))
        won = np.flatnonzero(rates == lowest)[::-1]  # of equal rates the first, as in the loop
        group[rows[won]] = rivals[won]


def _found(weight: FloatArray, share: FloatArray) -> tuple[IntArray, FloatArray]:
    """Which of the weights (weights, runs) a share of their sum falls into, and how far into it."""
    reached = np.cumsum(weight, axis=0)
    mark = np.minimum(share, BELOW_ONE) * reached[-1]
    place = (reached <= mark).sum(axis=0)
    every = np.arange(len(share))
    return place, 1 - (reached[place, every] - mark) / weight[place, every]
