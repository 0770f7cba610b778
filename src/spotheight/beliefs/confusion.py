"""What answers stand for, when the surface says how often they are right."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs.categorical import DRAWN_AT_ONCE, DirichletBelief
from spotheight.beliefs.posterior import Posterior
from spotheight.numerics import dirichlet
from spotheight.types import BoolArray, FloatArray, IntArray

DRAWS = 1000


@dataclass(frozen=True, eq=False)
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
        """Central intervals of each outcome, (arms, outcomes), from draws."""
        tail, size = (1 - level) / 2, max(1, DRAWS * len(self.outcomes))
        together = max(1, DRAWN_AT_ONCE // size)
        arms = np.arange(self.cells.arms) if where is None else where
        ends = []
        for start in range(0, len(arms), together):
            some = arms[start : start + together]
            draws = self.draw(DRAWS, default_rng(0), some)
            ends.append(np.quantile(draws, [tail, 1 - tail], axis=0))
        low, high = np.concatenate(ends, axis=1)
        return low, high

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        at = slice(None) if where is None else where
        alpha = np.where(self._is_right[at], 1e-12, self.alpha[at])
        mistaken = dirichlet.draw(np.broadcast_to(alpha, (n, *alpha.shape)), rng)
        mistaken = np.where(self._is_right[at], 0.0, mistaken)
        mistaken /= np.maximum(mistaken.sum(axis=-1, keepdims=True), 1e-300)
        if self.estimand == "rate":
            hits = self._hits(self.rate.draw(n, rng, where), at)
            return self._joined((1 - hits)[..., None] * mistaken, at)
        hits = self._hits(self.pool.draw(n, rng, where), at)
        known = np.where(self._is_right[at], 0.0, self.seen[at])
        total = (self.labelled + self.rest)[at]
        left = np.rint((1 - hits) * total - known.sum(axis=-1)).astype(np.int64)
        wrong = known + rng.multinomial(np.maximum(left, 0), mistaken)
        return self._joined(wrong / total[:, None], at)
