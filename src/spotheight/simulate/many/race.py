"""Thompson sampling that leaves undrawn what cannot win.

The worth of a label is a straight line in the rate, so "worth more than a mark" is "the rate lies
beyond a limit", whose chance is a Beta's tail. Chances are kept, and computed again only for the
group that got a label; a uniform number says for every group whether it passes the mark. Mostly a
few do, and only those need a rate: from the tail, given that it lies there. Where too few pass, all
are drawn, given who passes. The mark follows from earlier steps alone, so the law of the choice is
that of drawing everything.
"""

from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.random import Generator
from scipy.special import betainc, betaincinv

from spotheight.numerics.ranking import bandits
from spotheight.policies.thompson import MultiplePlay, Thompson
from spotheight.simulate.many.chances import can_be_tabled
from spotheight.simulate.many.goals import FindRate, Goal, LinearGoal
from spotheight.simulate.many.ladder import Ladder
from spotheight.simulate.many.pick import CountPolicy, Drawn, Labels, RunPicker, in_turn
from spotheight.simulate.many.tails import draw_below
from spotheight.simulate.many.world import Runs, RunState
from spotheight.types import FloatArray, IntArray

FEWEST_GROUPS = 30
"""Below, drawing everything takes no longer."""

FEWEST, USUAL, MOST = 1.2, 6.0, 12.0
"""How many groups should pass beyond those looked for, in roots of their number: the mark is set
to the usual and kept between the others. A higher mark fails more often, a lower one means more
draws."""


@dataclass(eq=False)
class Race:
    """The choice of Thompson sampling in many runs.

    In the arrays (runs, groups) a rate is turned round where worth rises with it, so that what
    passes is always the lower tail: worth is ``top - fall * x`` for x of Beta(a, b), which passes
    below ``limit``, with a ``chance``. ``mark`` and ``passing``, the expected number of groups that
    pass, are (runs,).
    """

    goal: LinearGoal
    plays: int
    a: FloatArray = field(repr=False)
    b: FloatArray = field(repr=False)
    top: FloatArray = field(repr=False)
    fall: FloatArray = field(repr=False)
    limit: FloatArray = field(repr=False)
    chance: FloatArray = field(repr=False)
    mark: FloatArray = field(repr=False)
    passing: FloatArray = field(repr=False)

    @classmethod
    def of(cls, goal: LinearGoal, plays: int, runs: RunState) -> "Race":
        """Begin, without a mark."""
        count, groups = runs.held.shape
        every = np.tile(np.arange(groups), count)
        turned = turn(goal, runs.alpha.reshape(-1, 2), every)
        a, b, top, fall = (part.reshape(count, groups) for part in turned)
        limit, chance = np.zeros((2, count, groups))
        mark, passing = np.full(count, np.inf), np.zeros(count)
        return cls(goal, plays, a, b, top, fall, limit, chance, mark, passing)

    def pick(self, runs: RunState, rng: Generator, is_seen: bool) -> list[Drawn]:
        self._follow(runs, rng)
        count, groups = self.chance.shape
        place = np.flatnonzero(rng.random((count, groups)) < self.chance)
        rows = place // groups
        times = np.bincount(rows, minlength=count)
        chosen = np.full((self.plays, count), -1)
        if self.plays == 1:
            chosen[0, rows] = place - rows * groups
        is_tied = (times[rows] >= self.plays) & (times[rows] > 1)
        self._settle(chosen, place[is_tied], rng)
        short = np.flatnonzero((times < self.plays) & (runs.held.max(axis=1) > 0))
        if len(short):
            self._draw_all(chosen, short, place, runs, rng)
        return in_turn(chosen)

    def told(self, runs: RunState, labels: Labels, outcome: IntArray) -> None:
        rows, group = labels
        place = rows * self.chance.shape[1] + group
        new = turn(self.goal, runs.alpha.reshape(-1, 2)[place], group)
        for kept, part in zip((self.a, self.b, self.top, self.fall), new, strict=True):
            kept.reshape(-1)[place] = part
        limit, chance = tail(*new, self.mark[rows])
        chance[runs.held.reshape(-1)[place] == 0] = 0.0
        self.passing[rows] += chance - self.chance.reshape(-1)[place]
        self.limit.reshape(-1)[place] = limit
        self.chance.reshape(-1)[place] = chance

    def _follow(self, runs: RunState, rng: Generator) -> None:
        """Set the mark anew where too few or too many groups pass it."""
        root = self.plays**0.5
        is_off = (self.passing < self.plays + FEWEST * root) & (self.mark > -np.inf)
        is_off |= self.passing > self.plays + MOST * root
        rows = np.flatnonzero(is_off)
        if not len(rows):
            return
        self.mark[rows] = self._marks(rows, runs, rng)
        a, b, top, fall = (part[rows] for part in (self.a, self.b, self.top, self.fall))
        limit, chance = tail(a, b, top, fall, self.mark[rows, None])
        self.limit[rows], self.chance[rows] = limit, np.where(runs.held[rows] > 0, chance, 0.0)
        self.passing[rows] = self.chance[rows].sum(axis=1)

    def _marks(self, rows: IntArray, runs: RunState, rng: Generator) -> FloatArray:
        """About the worth of some rank of a draw; minus infinity where no such rank is open."""
        groups = self.chance.shape[1]
        rank = int(np.ceil(self.plays + USUAL * self.plays**0.5))
        x = rng.beta(self.a[rows], self.b[rows])
        worth = np.where(runs.held[rows] > 0, self.top[rows] - self.fall[rows] * x, -np.inf)
        return np.partition(worth, groups - rank, axis=-1)[:, groups - rank]

    def _settle(self, chosen: IntArray, place: IntArray, rng: Generator) -> None:
        """Draw the rates of several groups that pass, and take the best of each run."""
        if not len(place):
            return
        parts = (self.a, self.b, self.limit, self.chance, self.top, self.fall)
        a, b, limit, chance, top, fall = (part.reshape(-1)[place] for part in parts)
        worth = top - fall * draw_below(a, b, limit, chance, rng)
        rows, group = np.divmod(place, self.chance.shape[1])
        if self.plays > 1:
            self._take(chosen, rows, group, worth)
            return
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        best = np.repeat(np.maximum.reduceat(worth, first), np.diff(first, append=len(rows)))
        chosen[0, rows[worth == best]] = group[worth == best]

    def _take(self, chosen: IntArray, rows: IntArray, group: IntArray, worth: FloatArray) -> None:
        among, row = np.unique(rows, return_inverse=True)
        table = np.full((len(among), self.chance.shape[1]), -np.inf)
        table[row, group] = worth
        chosen[:, among] = bandits.several(table, table > -np.inf, self.plays).T

    def _draw_all(
        self, chosen: IntArray, rows: IntArray, place: IntArray, runs: RunState, rng: Generator
    ) -> None:
        """Draw every group of these runs, given which ones pass."""
        passes = np.zeros(self.chance.size, dtype=bool)
        passes[place] = True
        passes = passes.reshape(self.chance.shape)[rows]
        parts = (self.a, self.b, self.limit, self.chance, self.top, self.fall)
        a, b, limit, chance, top, fall = (part[rows] for part in parts)
        x, is_open = rng.beta(a, b), runs.held[rows] > 0
        wrong = ((x < limit) != passes) & is_open
        luck = rng.random(int(wrong.sum()))
        within = np.where(passes[wrong], luck * chance[wrong], 1 - luck * (1 - chance[wrong]))
        x[wrong] = betaincinv(a[wrong], b[wrong], within)
        worth = top - fall * x
        if self.plays == 1:
            chosen[0, rows] = bandits.best(worth, is_open)
        else:
            chosen[:, rows] = bandits.several(worth, is_open, self.plays).T


def turn(
    goal: LinearGoal, alpha: FloatArray, group: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The Beta whose lower tail is worth most, the worth at its 0, and the fall up to 1."""
    base, rise = goal.line(alpha, group)
    does_rise = rise > 0
    a = np.where(does_rise, alpha[:, 1], alpha[:, 0])
    b = np.where(does_rise, alpha[:, 0], alpha[:, 1])
    return a, b, np.where(does_rise, base + rise, base), np.abs(rise)


def tail(
    a: FloatArray, b: FloatArray, top: FloatArray, fall: FloatArray, mark: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Below which x worth passes the mark, and the chance of that."""
    gap = top - mark
    flat = np.where(gap > 0, 1.0, 0.0)  # what a label is worth may hang on no rate
    limit = np.divide(gap, fall, out=flat, where=(fall > 0) & np.isfinite(gap))
    limit = np.clip(limit, 0.0, 1.0)
    return limit, np.asarray(betainc(a, b, limit), float)


def racer_of(policy: CountPolicy, goal: Goal, runs: RunState) -> RunPicker | None:
    """The policy as a race; none where it is no such policy, or the pool has few groups."""
    groups = runs.held.shape[1]
    is_one = isinstance(policy, Thompson) and policy.draws == 1 and goal.plays == 1
    is_several = isinstance(policy, MultiplePlay) and goal.plays < groups
    if not hasattr(goal, "line") or groups < FEWEST_GROUPS or not (is_one or is_several):
        return None
    if isinstance(goal, FindRate) and isinstance(runs, Runs) and can_be_tabled(runs):
        return Ladder.of(runs, goal.plays, goal.is_best)
    if goal.plays**2 >= groups:
        return None
    return Race.of(cast(LinearGoal, goal), goal.plays, runs)
