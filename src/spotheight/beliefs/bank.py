"""Draws of an additive surface, made once and read often."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs.additive import AdditiveModel
from spotheight.evidence import Counts
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray, IntArray, NarrowArray

DRAWS, FEWEST_DRAWS = 1000, 200
ROOM = 30_000_000
"""Chances that are drawn for one surface, a second or so; with many cells there are fewer draws."""

TOGETHER = 4_000_000
"""Chances in flight at a time."""

NORMAL_FROM = 25.0
"""Hits of an arm whose number has at least this variance are drawn from a normal."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is expected of each arm, and joint draws, (draws, arms)."""

    mean: FloatArray
    draws: NarrowArray


@dataclass(frozen=True, eq=False)
class Bank:
    """Joint draws of both estimands, from the same draws of the model.

    Args:
        model: The fitted model.
        seen: Hits and trials among the labelled.
        rest: Unlabelled items that count, by arm.
        left: Unlabelled items, by cell.
    """

    model: AdditiveModel
    seen: Counts = field(repr=False)
    rest: FloatArray = field(repr=False)
    left: IntArray = field(repr=False)

    @cached_property
    def of(self) -> dict[str, Drawn]:
        """By estimand."""
        places, arms = len(self.model.places[0]), self.model.cells.arms
        n = int(np.clip(ROOM // places, FEWEST_DRAWS, DRAWS))
        rng, block = default_rng(0), max(1, TOGETHER // places)
        expected = {name: np.zeros(arms) for name in ("rate", "pool")}
        drawn = {name: np.empty((n, arms), dtype=np.float32) for name in expected}
        for start in range(0, n, block):
            size = min(block, n - start)
            rate, pool_mean, pool = self._block(size, rng)
            expected["rate"] += rate.sum(axis=1)
            expected["pool"] += pool_mean.sum(axis=1)
            drawn["rate"][start : start + size] = rate.T
            drawn["pool"][start : start + size] = pool.T
        return {name: Drawn(expected[name] / n, drawn[name]) for name in expected}

    def _block(self, n: int, rng: Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The rate, the expected and the drawn number of each arm's items, (arms, draws) each."""
        model = self.model
        arm, _, held = model.places
        chance = model.draw_chances(n, rng)
        rate = model.gather(held) @ chance / sum_by(arm, held, model.cells.arms)[:, None]
        in_rest = np.maximum(model.cells.arm_sum(self.left), 1e-9)[:, None]
        rest_rate = np.where(in_rest >= 1, model.gather(self._left) @ chance / in_rest, rate)
        hits = self._rest_hits(chance, rest_rate, rng)
        known, items = self.seen.hits[:, None], (self.seen.trials + self.rest)[:, None]
        size = np.maximum(items, 1e-9)
        expected = np.where(items > 0, (known + self.rest[:, None] * rest_rate) / size, rate)
        return rate, expected, np.where(items > 0, (known + hits) / size, rate)

    @property
    def _left(self) -> IntArray:
        """Unlabelled items by place."""
        more = len(self.model.places[0]) - len(self.left)
        return np.concatenate([self.left, np.zeros(more, dtype=np.int64)])

    def _rest_hits(self, chance: NarrowArray, rate: FloatArray, rng: Generator) -> FloatArray:
        """Hits among the unlabelled items that count.

        Item by item where every item counts and lies in one arm; otherwise only an arm's expected
        number of counting items is known, and they are drawn at the arm's rate.
        """
        if not np.array_equal(self.model.cells.arm_sum(self.left), self.rest):
            clipped = np.clip(rate, 0, 1)
            return rng.binomial(self.rest.astype(np.int64)[:, None], clipped).astype(float)
        return _sums_of_draws(self.model, self._left, chance, rng)


def _sums_of_draws(
    model: AdditiveModel, left: IntArray, chance: NarrowArray, rng: Generator
) -> FloatArray:
    """Sums over each arm of draws for its items: one by one in small arms, else by a normal."""
    arm, arms = model.places[0], model.cells.arms
    gather = model.gather(left)
    mean = gather @ chance
    variance = np.maximum(mean - gather @ chance**2, 0.0)
    noise = rng.standard_normal(mean.shape, dtype=np.float32)
    most = sum_by(arm, left, arms)[:, None]
    total = np.rint(np.clip(mean + np.sqrt(variance) * noise, 0, most))
    small = variance.mean(axis=1) < NORMAL_FROM
    alone = np.flatnonzero(small[arm] & (left == 1))
    some = np.flatnonzero(small[arm] & (left > 1))
    drawn = rng.random((len(alone), chance.shape[1]), dtype=np.float32) < chance[alone]
    hits = model.gather(np.ones_like(left))
    one_by_one = hits[:, alone] @ drawn.astype(np.float32)
    together = hits[:, some] @ rng.binomial(left[some, None], chance[some].astype(float))
    return np.where(small[:, None], one_by_one + together, total)


@dataclass(frozen=True, eq=False)
class AdditivePosterior:
    """A number per arm: the mean chance of its items, or the share of hits among these items."""

    bank: Bank
    estimand: Literal["rate", "pool"]

    @property
    def model(self) -> AdditiveModel:
        """The fitted model."""
        return self.bank.model

    @property
    def mean(self) -> FloatArray:
        return self.bank.of[self.estimand].mean

    @cached_property
    def variance(self) -> FloatArray:
        return self.bank.of[self.estimand].draws.var(axis=0, dtype=float)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        tail = (1 - level) / 2
        draws = self.bank.of[self.estimand].draws.astype(float)
        low, high = np.quantile(draws, [tail, 1 - tail], axis=0, method="inverted_cdf")
        return low, high

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Draws from the bank in random order; more than it holds come again."""
        kept = self.bank.of[self.estimand].draws
        rounds = -(-n // len(kept))
        order = np.concatenate([rng.permutation(len(kept)) for _ in range(rounds)])[:n]
        chosen = kept[order] if where is None else kept[order[:, None], where]
        return chosen.astype(float)
