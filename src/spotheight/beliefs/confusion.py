"""Confusion matrix whose diagonal is the surface's: how often answers are right, by arms."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs.categorical import DRAWN_AT_ONCE, DirichletBelief
from spotheight.beliefs.posterior import Posterior
from spotheight.numerics.distributions import dirichlet
from spotheight.types import BoolArray, FloatArray, IntArray

DRAWS = 1000

FINE = 1e9
"""A mistake that happens less often than once in so many items is read as never."""


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionBelief(DirichletBelief):
    """How often an answer is right is the surface's; what it is mistaken for, the Dirichlet's.

    Labels that were chosen because they look doubtful are no random sample of an answer's items.
    A surface reckons with that, by arms and scores; the Dirichlet alone would call the service
    worse than it is.

    Args:
        rate: Belief about how often each arm's answer is right on such inputs.
        pool: Belief about these items.
        right: The outcome that makes each arm's answer right, -1 where there is none.
    """

    rate: Posterior = field(kw_only=True, repr=False)
    pool: Posterior = field(kw_only=True, repr=False)
    right: IntArray = field(kw_only=True, repr=False)

    @property
    def mean(self) -> FloatArray:
        if self.estimand == "rate":
            return self._rate_mean
        counts = self.seen * ~self._is_right
        total = self.labelled + self.rest
        wrong = total * (1 - self._hits(self.pool.mean, slice(None)))
        counts = counts + np.maximum(wrong - counts.sum(axis=1), 0)[:, None] * self._mistaken
        return self._joined(counts / total[:, None], slice(None))

    @cached_property
    def _rate_mean(self) -> FloatArray:
        hits = self._hits(self.rate.mean, slice(None))
        return self._joined((1 - hits)[:, None] * self._mistaken, slice(None))

    @cached_property
    def _is_right(self) -> BoolArray:
        """(arms, outcomes)."""
        return self.right[:, None] == np.arange(len(self.outcomes))

    @cached_property
    def _mistaken(self) -> FloatArray:
        """What each arm's mistakes are expected to be, (arms, outcomes)."""
        alpha = np.where(self._is_right, 0.0, self.alpha)
        return alpha / np.maximum(alpha.sum(axis=1, keepdims=True), 1e-300)

    def _hits(self, share: FloatArray, at: slice | IntArray) -> FloatArray:
        """How often answers are right: never, where no outcome makes them so."""
        return np.where(self.right[at] >= 0, share, 0.0)

    def _joined(self, wrong: FloatArray, at: slice | IntArray) -> FloatArray:
        """Shares of mistakes with the share of right answers put in its place."""
        rest = 1 - wrong.sum(axis=-1, keepdims=True)
        return np.where(self._is_right[at], np.maximum(rest, 0.0), wrong)

    def interval(
        self, level: float, where: IntArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Central intervals of each outcome, (arms, outcomes), from draws.

        Mistakes of one arm with the same parameter are believed to be equally frequent, so every
        parameter is drawn for once, and not at all where it is too small to matter.
        """
        arms = np.arange(self.cells.arms) if where is None else where
        together = max(1, DRAWN_AT_ONCE // max(DRAWS, len(self.outcomes)))
        starts = range(0, len(arms), together)
        ends = [self._ends(level, arms[start : start + together]) for start in starts]
        low, high = np.concatenate(ends, axis=1)
        return low, high

    def _ends(self, level: float, arms: IntArray) -> FloatArray:
        """The lower and the upper end of each outcome, (2, arms, outcomes)."""
        rng, tails = default_rng(0), np.array([0.5 - level / 2, 0.5 + level / 2])
        alpha = np.where(self._is_right[arms], 0.0, self.alpha[arms])
        unsure = self._draw_unsure(DRAWS, rng, arms) * (alpha.sum(axis=1) > 0)
        ends = self._mistake_ends(tails, alpha, unsure, rng)
        known, total = np.zeros_like(alpha), np.ones(len(arms))
        if self.estimand == "pool":
            known, total = self._mistakes_seen(arms), (self.labelled + self.rest)[arms]
        hits = 1 - (known.sum(axis=1) + unsure) / total
        has = np.flatnonzero(self.right[arms] >= 0)
        ends = (known + ends) / total[:, None]
        ends[:, has, self.right[arms][has]] = _quantiles(hits[:, has], tails)
        return np.maximum(ends, 0.0)

    def _mistake_ends(
        self, tails: FloatArray, alpha: FloatArray, unsure: FloatArray, rng: Generator
    ) -> FloatArray:
        """Quantiles of each mistake's part of what is unsure, (tails, arms, outcomes)."""
        arm, each, place = dirichlet.distinct(alpha)
        others = np.maximum(alpha.sum(axis=1)[arm] - each, 1e-12)
        items = FINE if self.estimand == "rate" else unsure.max(axis=0)[arm]
        has_any = dirichlet.chance_of_any(each, others, items) >= 1 - tails[-1]
        rows = np.flatnonzero(has_any & (each > 0))
        ends, together = np.zeros((len(tails), len(each))), max(1, DRAWN_AT_ONCE // DRAWS)
        for start in range(0, len(rows), together):
            some = rows[start : start + together]
            share = rng.beta(each[some], others[some], (DRAWS, len(some)))
            ends[:, some] = _quantiles(self._split(unsure[:, arm[some]], share, rng), tails)
        return ends[:, place]

    def _split(self, unsure: FloatArray, share: FloatArray, rng: Generator) -> FloatArray:
        """A mistake's part of what is unsure: of a rate a share, of items whole ones."""
        if self.estimand == "rate":
            return unsure * share
        return rng.binomial(unsure.astype(np.int64), share).astype(float)

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        at = slice(None) if where is None else where
        alpha = np.where(self._is_right[at], 1e-12, self.alpha[at])
        mistaken = dirichlet.draw(np.broadcast_to(alpha, (n, *alpha.shape)), rng)
        mistaken = np.where(self._is_right[at], 0.0, mistaken)
        mistaken /= np.maximum(mistaken.sum(axis=-1, keepdims=True), 1e-300)
        unsure = self._draw_unsure(n, rng, where)
        if self.estimand == "rate":
            return self._joined(unsure[..., None] * mistaken, at)
        wrong = self._mistakes_seen(at) + rng.multinomial(unsure.astype(np.int64), mistaken)
        return self._joined(wrong / (self.labelled + self.rest)[at][:, None], at)

    def draw_along(self, direction: FloatArray, n: int, rng: Generator) -> FloatArray:
        unsure = self._draw_unsure(n, rng, None)
        alpha = np.where(self._is_right, 0.0, self.alpha)
        seen = self._mistakes_seen(slice(None))
        wrong = self._along(direction, alpha, seen, unsure, rng)
        known, total = np.zeros(len(seen)), np.ones(len(seen))
        if self.estimand == "pool":
            known, total = seen.sum(axis=1), self.labelled + self.rest
        hits = np.maximum(1 - (known + unsure) / total, 0)
        return wrong + hits * (direction * self._is_right).sum(axis=1)

    def _draw_unsure(self, n: int, rng: Generator, where: IntArray | None) -> FloatArray:
        """How often answers are wrong, or how many unlabelled ones are: (draws, arms)."""
        at = slice(None) if where is None else where
        if self.estimand == "rate":
            return 1 - self._hits(self.rate.draw(n, rng, where), at)
        hits = self._hits(self.pool.draw(n, rng, where), at)
        total = (self.labelled + self.rest)[at]
        return np.maximum(np.rint((1 - hits) * total - self._mistakes_seen(at).sum(axis=-1)), 0)

    def _mistakes_seen(self, at: slice | IntArray) -> FloatArray:
        """Labelled mistakes, (arms, outcomes)."""
        return np.where(self._is_right[at], 0.0, self.seen[at])


def _quantiles(draws: FloatArray, shares: FloatArray) -> FloatArray:
    """Of each column, (shares, columns); one of the draws each, for no count lies between two."""
    return np.asarray(np.quantile(draws, shares, axis=0, method="inverted_cdf"))
