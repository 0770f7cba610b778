"""Gibbs sampler for labels of items that may lie in several arms, for a Beta per arm.

Such a label is a hit with the chance sum_a P(a | x) theta_a. Counted for each arm in part, it would
say of every arm what is true of their mean: arms would be drawn together, and each would seem to
have been seen. Here the item lies in one arm, and nobody knows in which: by Gibbs' sampler rates
are drawn given where the items lie, and where they lie given the rates and the labels. Averaged
over such ways, intervals are as wide as that leaves them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs import BetaRate
from spotheight.evidence import Counts, Evidence
from spotheight.numerics.regression.alike import kinds_of
from spotheight.types import FloatArray, IntArray

Doubt = Literal["parts", "mixture"]
"""What a label says whose item may lie in several arms: ``parts`` counts it in each by its share,
``mixture`` puts it into one of them, by Gibbs' sampler."""

Prior = Callable[[Counts, Generator], tuple[FloatArray, FloatArray]]
"""Pseudo-counts of hits and misses of every arm, drawn where labels in their arms teach them."""

KEPT = 100
"""Placements that are kept: of independent ones so many tell a tail of 5% within 2 points."""

THINNING = 6
"""Sweeps between two placements that are kept."""

BURN_IN = 25
"""Sweeps left out: a start where all items lie by their chances alone is forgotten by then."""

NEAREST = 1e-9
"""No rate is taken for nearer to 0 or 1, so that some arm is left for every item."""


@dataclass(frozen=True, eq=False)
class Doubtful:
    """Labelled items in doubt, which may lie in several arms; their rows one after another.

    Args:
        known: Hits and trials of the items whose arm is certain.
        arm: Of each row.
        weight: The chance that the row's item lies there.
        hit: How much of a hit the row's item is.
        counted: How much it counts.
        ends: Where each item's rows begin, and where the last ones end.
    """

    known: Counts = field(repr=False)
    arm: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    hit: FloatArray = field(repr=False)
    counted: FloatArray = field(repr=False)
    ends: IntArray = field(repr=False)

    @classmethod
    def of(cls, evidence: Evidence) -> "Doubtful":
        """Of labels that count."""
        doubtful = evidence.doubtful
        rows, hit, counted = doubtful.rows, doubtful.hit, doubtful.counted
        order = np.argsort(rows.item, kind="stable")
        order = order[(rows.weight * counted)[order] > 0]
        _, first = np.unique(rows.item[order], return_index=True)
        parts = rows.weight[order], hit[order], counted[order]
        ends = np.append(first, len(order))
        return cls(evidence.settled.counts, rows.arm[order], *parts, ends)

    @cached_property
    def _line(self) -> tuple[FloatArray, FloatArray]:
        """The chance of each row's arm and of its label there: a line in the arm's rate."""
        hits = self.counted * self.hit
        return self.weight * (1 - hits), self.weight * (2 * hits - self.counted)

    def likelihood(self, rate: FloatArray) -> FloatArray:
        """The chance of each row's arm times that of the label there."""
        level, slope = self._line
        return level + slope * np.clip(rate, NEAREST, 1 - NEAREST)[self.arm]

    @cached_property
    def _kinds(self) -> tuple["Doubtful", IntArray]:
        """One item of each kind, and the kind of each item: those alike have the same chances."""
        one, kind = kinds_of(self.ends, self.arm, self.weight, self.hit, self.counted)
        sizes = np.diff(self.ends)[one]
        ends = np.append(0, np.cumsum(sizes))
        row = np.arange(ends[-1]) + np.repeat(self.ends[one] - ends[:-1], sizes)
        parts = self.arm[row], self.weight[row], self.hit[row], self.counted[row]
        return Doubtful(self.known, *parts, ends), kind

    def drawn(self, rate: FloatArray, rng: Generator) -> Counts:
        """Gibbs step: hits and trials once items are put where they may lie, given all rates."""
        kinds, kind = self._kinds
        below = np.zeros(len(kinds.arm) + 1)
        np.cumsum(kinds.likelihood(rate), out=below[1:])
        start, end = kinds.ends[kind], kinds.ends[kind + 1]
        turn = below[start] + rng.random(len(kind)) * (below[end] - below[start])
        row = np.clip(np.searchsorted(below, turn, side="right") - 1, start, end - 1)
        found = Counts.of(kinds.arm[row], kinds.counted[row], kinds.hit[row], len(rate))
        return self.beside(found.hits, found.trials)

    def beside(self, hits: FloatArray, trials: FloatArray) -> Counts:
        """With what is known for certain."""
        return Counts(self.known.hits + hits, self.known.trials + trials)


@dataclass(frozen=True, eq=False)
class AssignedRate(BetaRate):
    """Mixture of Betas: a component for each of several equally likely ways to place labels.

    Arms of one way belong together: what counts as a miss of one arm is none of another's.
    ``hits`` and ``misses`` are (ways, arms), pseudo-counts of the prior included; the further
    pseudo-counts and the weights of a plain ``BetaRate`` are not used.
    """

    @classmethod
    def of(cls, hits: FloatArray, misses: FloatArray) -> "AssignedRate":
        """Every way counts alike."""
        ways = len(hits)
        return cls(hits, misses, weight=np.full(ways, 1 / ways))

    def distinct(self, *more: FloatArray) -> tuple[FloatArray, IntArray]:
        table = np.column_stack([self.hits.T, self.misses.T, *more])
        rows, where = np.unique(table, axis=0, return_inverse=True)
        return rows, where.ravel()

    def components(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        ways = len(self.weight)
        return rows[:, :ways].T, rows[:, ways : 2 * ways].T

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        at = slice(None) if where is None else where
        way = rng.integers(len(self.weight), size=n)
        return rng.beta(self.hits[way][:, at], self.misses[way][:, at])


def assigned_rate(evidence: Evidence, prior: Prior) -> AssignedRate:
    """Rates of arms by Gibbs' sampler under this prior; the same labels give the same."""
    rng, doubtful = default_rng(0), Doubtful.of(evidence)
    counts = doubtful.drawn(np.full(evidence.cells.arms, 0.5), rng)
    ways = []
    for _ in range(BURN_IN + KEPT):
        hits, misses = prior(counts, rng)
        for _ in range(THINNING):
            a, b = counts.hits + hits, counts.trials - counts.hits + misses
            counts = doubtful.drawn(rng.beta(a, b), rng)
        ways.append((a, b))
    a, b = (np.array(part) for part in zip(*ways[BURN_IN:], strict=True))
    return AssignedRate.of(a, b)
