"""A belief over outcomes per arm: true classes, or who of two services was right."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.numerics.centres import LearnedCentre
from spotheight.types import FloatArray, IntArray

DRAWN_AT_ONCE = 4_000_000
"""Numbers held in memory at a time: 32 MB."""

MOST_DRAWN, FEWEST_DRAWS = 40_000_000, 200
"""A few seconds' worth; over so many arms a total is close to normal, and 200 draws tell it."""


@dataclass(frozen=True, eq=False)
class DirichletBelief:
    """The rates of the outcomes in each arm are Dirichlet; labelled outcomes are known.

    Args:
        alpha: Parameters that are each arm's own, (arms, outcomes).
        seen: Labelled outcomes, (arms, outcomes).
        rest: Unlabelled items of each arm.
        weight: How much each arm counts in a sum over arms.
        outcomes: What the last axis means.
        centre: The rates around which all arms lie, as far as they are known.
    """

    alpha: FloatArray = field(repr=False)
    seen: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    outcomes: tuple[str, ...]
    centre: LearnedCentre | None = field(default=None, repr=False)

    @property
    def mean(self) -> FloatArray:
        """The expected rate of each outcome, (arms, outcomes)."""
        total = self.alpha.sum(axis=1, keepdims=True)
        if self.centre is None:
            return self.alpha / total
        plausible = zip(self.centre.weight, self.centre.strength, self.centre.mean, strict=True)
        mean = np.zeros_like(self.alpha)
        for weight, strength, middle in plausible:
            mean += weight * (self.alpha + strength * middle) / (total + strength)
        return mean

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Rates, (draws, arms, outcomes); all arms of one draw lie around the same centre."""
        alpha = (self.alpha if where is None else self.alpha[where])[None]
        if self.centre is not None:
            at = rng.choice(len(self.centre.weight), size=n, p=self.centre.weight)
            middle = _dirichlet(self.centre.alpha[at], rng)
            alpha = alpha + (self.centre.strength[at, None] * middle)[:, None]
        return _dirichlet(np.broadcast_to(alpha, (n, *alpha.shape[1:])), rng)

    def draw_pool(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Shares among the pool's own items, (draws, arms, outcomes)."""
        at = slice(None) if where is None else where
        rates = self.draw(n, rng, where)
        rest = self.rest[at].astype(np.int64)
        unseen = rng.multinomial(np.broadcast_to(rest, rates.shape[:2]), rates)
        counts = self.seen[at] + unseen
        return counts / counts.sum(axis=-1, keepdims=True)

    def draw_total(self, n: int, rng: Generator, estimand: str) -> FloatArray:
        """Shares of the outcomes over all arms together, (draws, outcomes).

        With thousands of arms there are fewer than ``n`` draws, at least ``FEWEST_DRAWS``.
        """
        draw = self.draw_pool if estimand == "pool" else self.draw
        share = self.weight / self.weight.sum()
        n = min(n, max(FEWEST_DRAWS, MOST_DRAWN // self.alpha.size))
        together = max(1, DRAWN_AT_ONCE // self.alpha.size)
        sizes = [min(together, n - done) for done in range(0, n, together)]
        return np.concatenate([np.einsum("dao,a->do", draw(size, rng), share) for size in sizes])


def _dirichlet(alpha: FloatArray, rng: Generator) -> FloatArray:
    """A draw for each set of parameters on the last axis."""
    parts = rng.gamma(alpha) + 1e-300
    return parts / parts.sum(axis=-1, keepdims=True)
