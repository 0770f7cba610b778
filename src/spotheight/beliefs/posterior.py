"""Posteriors of a number per arm: Beta rates, and shares of hits in a finite pool."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.random import Generator

from spotheight.evidence import Counts
from spotheight.numerics.distributions import beta, betabinomial
from spotheight.types import BoolArray, FloatArray, IntArray


class Posterior(Protocol):
    """What we believe a metric is at every arm."""

    @property
    def mean(self) -> FloatArray:
        """What is expected at each arm."""
        ...

    @property
    def variance(self) -> FloatArray:
        """Of the belief at each arm."""
        ...

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Central intervals, each holding ``level`` of the belief."""
        ...

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Joint draws, (draws, arms), of all arms or of those named."""
        ...


@dataclass(frozen=True, eq=False)
class BetaRate:
    """The rate of hits per arm is Beta; where the prior is only known roughly, a mixture of Betas.

    Args:
        hits: Hits of each arm, with pseudo-counts that are its own.
        misses: Misses likewise.
        prior_hits: Further pseudo-counts, the same for all arms, one for each plausible prior.
        prior_misses: Likewise.
        weight: The probability of each plausible prior.
        is_shared: Whether all arms have one and the same rate.
    """

    hits: FloatArray = field(repr=False)
    misses: FloatArray = field(repr=False)
    prior_hits: FloatArray = field(repr=False, default_factory=lambda: np.zeros(1))
    prior_misses: FloatArray = field(repr=False, default_factory=lambda: np.zeros(1))
    weight: FloatArray = field(repr=False, default_factory=lambda: np.ones(1))
    is_shared: bool = False

    @property
    def mean(self) -> FloatArray:
        return self.moments[0]

    @property
    def variance(self) -> FloatArray:
        return self.moments[1]

    @property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the Betas."""
        rows, where = self.distinct()
        centre, spread = beta.mixture_moments(*self.components(rows), self.weight)
        return centre[where], spread[where]

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        rows, where = self.distinct()
        low, high = beta.mixture_interval(*self.components(rows), self.weight, level)
        return low[where], high[where]

    def distinct(self, *more: FloatArray) -> tuple[FloatArray, IntArray]:
        """Different rows of (hits, misses, ...), and which one each arm has.

        Most arms of a large space have no label and share one row, so work goes by rows.
        """
        table = np.column_stack([self.hits, self.misses, *more])
        rows, where = np.unique(table, axis=0, return_inverse=True)
        return rows, where.ravel()

    def components(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The Betas of rows, (plausible priors, rows)."""
        return (
            rows[:, 0] + self.prior_hits[:, None],
            rows[:, 1] + self.prior_misses[:, None],
        )

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        at = slice(None) if where is None else where
        hits, misses = self.hits[at], self.misses[at]
        # One plausible prior needs no luck, so that a run of counts alone can follow the stream.
        many = len(self.weight) > 1
        prior = rng.choice(len(self.weight), n, p=self.weight) if many else np.zeros(n, np.int64)
        arms = slice(0, 1) if self.is_shared else slice(None)
        a = hits[None, arms] + self.prior_hits[prior, None]
        b = misses[None, arms] + self.prior_misses[prior, None]
        return np.broadcast_to(rng.beta(a, b), (n, len(hits)))


@dataclass(frozen=True, eq=False)
class FinitePool:
    """The share of hits among these very items: what was labelled is known, the rest is drawn.

    Args:
        rate: What is believed of the rate at which unlabelled items are hits.
        seen: Hits and trials among the labelled.
        rest: How many unlabelled items count.
    """

    rate: BetaRate = field(repr=False)
    seen: Counts = field(repr=False)
    rest: FloatArray = field(repr=False)

    @property
    def size(self) -> FloatArray:
        """Items that count, labelled or not."""
        return np.maximum(self.seen.trials + self.rest, 1e-9)

    @property
    def _is_empty(self) -> BoolArray:
        """Where nothing counts there is no share; the rate speaks for it."""
        return self.seen.trials + self.rest <= 0

    @property
    def mean(self) -> FloatArray:
        rate = self.rate.mean
        return np.where(self._is_empty, rate, (self.seen.hits + self.rest * rate) / self.size)

    @property
    def variance(self) -> FloatArray:
        centre, spread = self.rate.moments
        sampling = self.rest * (centre * (1 - centre) - spread)
        return np.where(self._is_empty, spread, (self.rest**2 * spread + sampling) / self.size**2)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        rows, where = self.rate.distinct(self.rest)
        below, above = betabinomial.mixture_interval(
            rows[:, -1].astype(np.int64), *self.rate.components(rows), self.rate.weight, level
        )
        low, high = ((self.seen.hits + hits[where]) / self.size for hits in (below, above))
        if not self._is_empty.any():
            return low, high
        rate_low, rate_high = self.rate.interval(level)
        return np.where(self._is_empty, rate_low, low), np.where(self._is_empty, rate_high, high)

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        at = slice(None) if where is None else where
        rates = self.rate.draw(n, rng, where)
        hits = rng.binomial(self.rest[at].astype(np.int64), rates)
        drawn = (self.seen.hits[at] + hits) / self.size[at]
        return np.where(self._is_empty[at], rates, drawn)
