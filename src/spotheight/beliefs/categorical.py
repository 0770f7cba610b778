"""A belief over outcomes per arm: true classes, or who of two services was right."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DirichletBelief:
    """The rates of the outcomes in each arm are Dirichlet; labelled outcomes are known.

    Args:
        alpha: (arms, outcomes).
        seen: Labelled outcomes, (arms, outcomes).
        rest: Unlabelled items of each arm.
        weight: How much each arm counts in a sum over arms.
        outcomes: What the last axis means.
    """

    alpha: FloatArray = field(repr=False)
    seen: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    outcomes: tuple[str, ...]

    @property
    def mean(self) -> FloatArray:
        """The expected rate of each outcome, (arms, outcomes)."""
        return self.alpha / self.alpha.sum(axis=1, keepdims=True)

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Rates, (draws, arms, outcomes)."""
        alpha = self.alpha if where is None else self.alpha[where]
        parts = rng.gamma(alpha, size=(n, *alpha.shape)) + 1e-300
        return parts / parts.sum(axis=-1, keepdims=True)

    def draw_pool(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Shares among the pool's own items, (draws, arms, outcomes)."""
        at = slice(None) if where is None else where
        rates = self.draw(n, rng, where)
        rest = self.rest[at].astype(np.int64)
        unseen = rng.multinomial(np.broadcast_to(rest, rates.shape[:2]), rates)
        counts = self.seen[at] + unseen
        return counts / counts.sum(axis=-1, keepdims=True)

    def draw_total(self, n: int, rng: Generator, estimand: str) -> FloatArray:
        """Shares of the outcomes over all arms together, (draws, outcomes)."""
        drawn = self.draw_pool(n, rng) if estimand == "pool" else self.draw(n, rng)
        return np.einsum("dao,a->do", drawn, self.weight / self.weight.sum())
