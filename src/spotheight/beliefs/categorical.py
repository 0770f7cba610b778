"""Dirichlet belief over outcomes per arm: true classes, or who of two services was right."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from spotheight.arms import Partition
from spotheight.beliefs.posterior import BetaRate, FinitePool, Posterior
from spotheight.beliefs.reading import Estimand, read_estimand
from spotheight.evidence import Counts
from spotheight.numerics.distributions import dirichlet
from spotheight.numerics.portions import portions
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray, IntArray

DRAWN_AT_ONCE = 4_000_000
"""Numbers held in memory at a time: 32 MB."""

MOST_DRAWN, FEWEST_DRAWS = 40_000_000, 200
"""A few seconds' worth; over so many arms a total is close to normal, and 200 draws tell it."""


@dataclass(frozen=True, eq=False)
class DirichletBelief:
    """The rates of the outcomes in each arm are Dirichlet; labelled outcomes are known.

    Args:
        cells: What the pool holds.
        alpha: Parameters that are each arm's own, (arms, outcomes).
        seen: Labelled outcomes, (arms, outcomes).
        rest: Unlabelled items of each arm.
        outcomes: What the last axis means.
        estimand: What is read: the ``pool``, whose labelled items are known, or the ``rate``.
        estimator: What it was estimated by, in words of the API.
    """

    cells: Cells
    alpha: FloatArray = field(repr=False)
    seen: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)
    outcomes: tuple[str, ...]
    estimand: Estimand = "pool"
    estimator: str = ""

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of the {self.estimand}: {self.cells.arms:,} arms, "
            f"{len(self.outcomes):,} outcomes, {self.labelled.sum():,.0f} of "
            f"{self.cells.size:,} items labelled, estimated by {self.estimator or 'Dirichlet'}>"
        )

    @property
    def partition(self) -> Partition:
        """The arms."""
        return self.cells.partition

    @property
    def weight(self) -> FloatArray:
        """How much each arm counts in a sum over arms."""
        return self.cells.arm_weight

    @property
    def labelled(self) -> FloatArray:
        """Labelled items of each arm."""
        return self.seen.sum(axis=1)

    def of(self, estimand: str) -> "DirichletBelief":
        """The same belief, read for the other estimand."""
        return replace(self, estimand=read_estimand(estimand))

    @property
    def mean(self) -> FloatArray:
        """Posterior mean of each outcome, (arms, outcomes)."""
        if self.estimand == "rate":
            return self._rate_mean
        counts = self.seen + self.rest[:, None] * self._rate_mean
        return counts / counts.sum(axis=1, keepdims=True)

    @cached_property
    def _rate_mean(self) -> FloatArray:
        return self.alpha / self.alpha.sum(axis=1, keepdims=True)

    def interval(
        self, level: float, where: IntArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Central intervals of each outcome, (arms, outcomes): each alone is Beta, or its count."""
        at = slice(None) if where is None else where
        alpha = self.alpha[at]
        rate = BetaRate(alpha.ravel(), self._others(alpha).ravel())
        belief: Posterior = rate
        if self.estimand == "pool":
            times = len(self.outcomes)
            seen = Counts(self.seen[at].ravel(), np.repeat(self.labelled[at], times))
            belief = FinitePool(rate, seen, np.repeat(self.rest[at], times))
        low, high = belief.interval(level)
        return low.reshape(alpha.shape), high.reshape(alpha.shape)

    @staticmethod
    def _others(alpha: FloatArray) -> FloatArray:
        """The parameters of all other outcomes together, above 0 whatever was rounded away."""
        return np.maximum(alpha.sum(axis=1, keepdims=True) - alpha, 1e-12)

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Rates, or shares among the pool's own items: (draws, arms, outcomes)."""
        rates = self._draw_rates(n, rng, where)
        if self.estimand == "rate":
            return rates
        at = slice(None) if where is None else where
        rest = self.rest[at].astype(np.int64)
        counts = self.seen[at] + rng.multinomial(np.broadcast_to(rest, rates.shape[:2]), rates)
        return counts / counts.sum(axis=-1, keepdims=True)

    def _draw_rates(self, n: int, rng: Generator, where: IntArray | None) -> FloatArray:
        alpha = (self.alpha if where is None else self.alpha[where])[None]
        return dirichlet.draw(np.broadcast_to(alpha, (n, *alpha.shape[1:])), rng)

    def draw_along(self, direction: FloatArray, n: int, rng: Generator) -> FloatArray:
        """Sums over the outcomes, each times its factor in its arm, (draws, arms).

        What ``draw`` would give, without a number for every one of many outcomes.
        """
        unsure = np.ones(self.cells.arms) if self.estimand == "rate" else self.rest
        unsure = np.broadcast_to(unsure, (n, len(unsure)))
        return self._along(direction, self.alpha, self.seen, unsure, rng)

    def _along(
        self,
        direction: FloatArray,
        alpha: FloatArray,
        seen: FloatArray,
        unsure: FloatArray,
        rng: Generator,
    ) -> FloatArray:
        """Known part plus sampled remainder, from sparse Dirichlet draws."""
        sums = np.empty(unsure.shape)
        for arm, factor in enumerate(direction):
            outcome, share = dirichlet.draw_parts(alpha[arm], len(unsure), rng)
            part = unsure[:, arm, None] * share
            if self.estimand == "pool" and share.size:
                part = rng.multinomial(unsure[:, arm].astype(np.int64), share).astype(float)
            sums[:, arm] = (part * factor[outcome]).sum(axis=1)
        if self.estimand == "rate":
            return sums
        return (sums + (seen * direction).sum(axis=1)) / (self.labelled + self.rest)

    def foreseen(self, more: FloatArray | float) -> FloatArray:
        """The parameters after ``more`` labels in each arm that say what is expected."""
        return self.alpha + np.asarray(more)[..., None] * self._rate_mean

    def draw_total(self, n: int, rng: Generator) -> FloatArray:
        """Shares of the outcomes over all arms together, (draws, outcomes).

        With thousands of arms there are fewer than ``n`` draws, at least ``FEWEST_DRAWS``.
        """
        share = self.weight / self.weight.sum()
        n = min(n, max(FEWEST_DRAWS, MOST_DRAWN // self.alpha.size))
        sizes = portions(n, DRAWN_AT_ONCE // self.alpha.size)
        return np.concatenate(
            [np.einsum("dao,a->do", self.draw(size, rng), share) for size in sizes]
        )
