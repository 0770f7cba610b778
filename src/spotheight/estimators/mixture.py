"""Labels of items that may lie in several arms, for a Beta per arm.

Such a label is a hit with the chance sum_a P(a | x) theta_a. Counted for each arm in part, it would
say of every arm what is true of their mean: arms would be drawn together, and each would seem to
have been seen. Here the item lies in one arm, and nobody knows in which: by Gibbs' sampler rates
are drawn given where the items lie, and where they lie given the rates and the labels. Averaged
over such ways, intervals are as wide as that leaves them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs import AssignedRate
from spotheight.evidence import Counts, Evidence
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray, IntArray

Prior = Callable[[Counts, Generator], tuple[FloatArray, FloatArray]]
"""Pseudo-counts of hits and misses of every arm, drawn where labels in their arms teach them."""

WAYS = 100
"""A tail of 5% is then known to 2 points, and chance adds a hundredth to a squared error."""

APART = 6
"""Sweeps between two ways that are kept."""

FIRST_WAYS = 25
"""Left out: a start where all items lie by their chances alone is forgotten by then."""

NEAREST = 1e-9
"""No rate is taken for nearer to 0 or 1, so that some arm is left for every item."""


@dataclass(frozen=True, eq=False)
class Doubt:
    """Labelled items that may lie in several arms, their rows one after another.

    Args:
        known: Hits and trials of the items whose arm is certain.
        arm: Of each row.
        chance: That the row's item lies there, times the chance of its label at a rate of 0.
        slope: By how much that grows up to a rate of 1.
        hits: Of the row's item.
        trials: How much it counts.
        ends: Where each item's rows begin, and where the last ones end.
    """

    known: Counts = field(repr=False)
    arm: IntArray = field(repr=False)
    chance: FloatArray = field(repr=False)
    slope: FloatArray = field(repr=False)
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)
    ends: IntArray = field(repr=False)

    @classmethod
    def of(cls, evidence: Evidence) -> "Doubt":
        """Of labels that count."""
        doubtful = evidence.doubtful
        rows, trials = doubtful.rows, doubtful.counted
        order = np.argsort(rows.item, kind="stable")
        order = order[(rows.weight * trials)[order] > 0]
        _, first = np.unique(rows.item[order], return_index=True)
        weight, trials, hit = rows.weight[order], trials[order], doubtful.hit[order]
        hits, ends = trials * hit, np.append(first, len(order))
        chance, slope = weight * (1 - hits), weight * (2 * hits - trials)
        return cls(evidence.settled.counts, rows.arm[order], chance, slope, hits, trials, ends)

    def counts(self, rate: FloatArray, rng: Generator) -> Counts:
        """Hits and trials once every item is put where it may lie, given the rates of all arms."""
        rate = np.clip(rate, NEAREST, 1 - NEAREST)
        below = np.zeros(len(self.arm) + 1)
        np.cumsum(self.chance + self.slope * rate[self.arm], out=below[1:])
        start, end = below[self.ends[:-1]], below[self.ends[1:]]
        turn = start + rng.random(len(start)) * (end - start)
        row = np.searchsorted(below, turn, side="right") - 1
        row = np.clip(row, self.ends[:-1], self.ends[1:] - 1)
        arm, arms = self.arm[row], len(rate)
        hits = self.known.hits + sum_by(arm, self.hits[row], arms)
        return Counts(hits, self.known.trials + sum_by(arm, self.trials[row], arms))


def assigned_rate(evidence: Evidence, prior: Prior) -> AssignedRate:
    """Rates of arms under this prior; the same labels give the same."""
    rng, doubt = default_rng(0), Doubt.of(evidence)
    counts = doubt.counts(np.full(evidence.cells.arms, 0.5), rng)
    ways = []
    for _ in range(FIRST_WAYS + WAYS):
        hits, misses = prior(counts, rng)
        for _ in range(APART):
            a, b = counts.hits + hits, counts.trials - counts.hits + misses
            counts = doubt.counts(rng.beta(a, b), rng)
        ways.append((a, b))
    a, b = (np.array(part) for part in zip(*ways[FIRST_WAYS:], strict=True))
    return AssignedRate.of(a, b)
