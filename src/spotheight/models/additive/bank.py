"""Posterior draws of an additive surface, made once and read often."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.evidence import Counts
from spotheight.models.additive.model import AdditiveModel
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.numerics.distributions.nullmodel import averaged
from spotheight.numerics.sums import sum_by
from spotheight.numerics.threads import one_thread
from spotheight.types import FloatArray, IntArray, NarrowArray

DRAWS, FEWEST_DRAWS = 1000, 200
ROOM = 30_000_000
"""Chances that are drawn for one surface, a second or so; with many cells there are fewer draws."""

TOGETHER = 4_000_000
"""Chances in flight at a time."""

NEGLIGIBLE = np.log(0.001)
"""Of the odds that nothing matters: beyond, no interval would be a hundredth wider."""

HARDEST, FARTHEST = 1e-9, 3.0
"""How little a draw's overall number gives way at least, and how far its log odds go at most."""

NORMAL_FROM = 25.0
"""Hits of an arm whose number has at least this variance are drawn from a normal."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is expected of each arm, and joint draws of its number: (known + draw) / size.

    Hits are whole and kept as such. A share of them must not lose its last digits: 7 hits of 10 are
    compared with .7.

    Args:
        mean: Of each arm.
        draws: (draws, arms).
        known: What every draw of an arm has in common.
        size: What an arm's sum is divided by.
    """

    mean: FloatArray
    draws: NarrowArray
    known: FloatArray
    size: FloatArray

    def __len__(self) -> int:
        return len(self.draws)

    def values(self, rows: IntArray, where: IntArray | None = None) -> FloatArray:
        """Some of the draws, of all arms or of some."""
        if where is None:
            return (self.draws[rows] + self.known) / self.size
        return (self.draws[rows[:, None], where] + self.known[where]) / self.size[where]


@dataclass(frozen=True, eq=False)
class Bank:
    """Joint draws of both estimands, from the same draws of the model.

    Args:
        model: The fitted model.
        seen: Hits and trials among the labelled.
        rest: Unlabelled items that count, by arm.
        left: Unlabelled items, by cell; expected ones where attributes are only guessed.
        most: How many draws there are, unless arms are too many for that.
        has_rival: Whether the overall number is averaged with a model in which nothing matters.
    """

    model: AdditiveModel
    seen: Counts = field(repr=False)
    rest: FloatArray = field(repr=False)
    left: FloatArray = field(repr=False)
    most: int = DRAWS
    has_rival: bool = True

    @cached_property
    @one_thread()
    def of(self) -> dict[str, Drawn]:
        """By estimand."""
        places, arms = len(self.model.places[0]), self.model.cells.arms
        n = int(np.clip(ROOM // places, min(FEWEST_DRAWS, self.most), self.most))
        rng, block = default_rng(0), max(1, TOGETHER // places)
        expected = {name: np.zeros(arms) for name in ("rate", "pool")}
        drawn = {name: np.empty((n, arms), dtype=np.float32) for name in expected}
        for start in range(0, n, block):
            size = min(block, n - start)
            rate, pool, hits = self._block(size, rng)
            expected["rate"] += rate.sum(axis=1)
            expected["pool"] += pool.sum(axis=1)
            drawn["rate"][start : start + size] = rate.T
            drawn["pool"][start : start + size] = hits.T
        has_items, none, one = self._items > 0, np.zeros(arms), np.ones(arms)
        known = np.where(has_items, self.seen.hits, none)
        items = np.where(has_items, self._items, one)
        return {
            "rate": Drawn(expected["rate"] / n, drawn["rate"], none, one),
            "pool": Drawn(expected["pool"] / n, drawn["pool"], known, items),
        }

    @property
    def _items(self) -> FloatArray:
        """Items of each arm that count, labelled or not."""
        return self.seen.trials + self.rest

    def _block(self, n: int, rng: Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The rate, what is expected of these items, and hits of the rest, (arms, draws) each.

        Without any items the rate stands for all of them.
        """
        model = self.model
        arm, _, held = model.places
        chance = self._averaged(model.draw_chances(n, rng))
        rate = model.gather(held) @ chance / sum_by(arm, held, model.cells.arms)[:, None]
        in_rest = model.cells.arm_sum(self.left)[:, None]
        some = np.maximum(in_rest, 1e-9)
        rest_rate = np.where(in_rest > 0, model.gather(self._left) @ chance / some, rate)
        hits = self._rest_hits(chance, rest_rate, rng)
        known, items = self.seen.hits[:, None], self._items[:, None]
        size = np.maximum(items, 1e-9)
        expected = np.where(items > 0, (known + self.rest[:, None] * rest_rate) / size, rate)
        return rate, expected, np.where(items > 0, hits, rate)

    def _averaged(self, chance: NarrowArray) -> NarrowArray:
        """Chances averaged with the null model: moved draw by draw, all log odds alike.

        Then the overall number is what labels make of it, and how arms differ is as it was.
        """
        if not self.has_rival:
            return chance
        odds, hits, misses = self.model.null_model
        if odds < NEGLIGIBLE:
            return chance
        arm, _, held = self.model.places
        of_arm = sum_by(arm, held, self.model.cells.arms)
        items = self._items if self._items.any() else of_arm
        weight = (held * (items / of_arm)[arm] / items.sum()).astype(np.float32)
        overall = (weight @ chance).astype(float)
        yields = np.maximum(overall - weight @ chance**2, HARDEST)
        move = (averaged(overall, odds, hits, misses) - overall) / yields
        if not move.any():
            return chance
        hit = chance * np.exp(np.clip(move, -FARTHEST, FARTHEST)).astype(np.float32)
        return hit / (1 - chance + hit)

    @property
    def _left(self) -> FloatArray:
        """Unlabelled items by place."""
        more = len(self.model.places[0]) - len(self.left)
        return np.concatenate([self.left, np.zeros(more)])

    def _rest_hits(self, chance: NarrowArray, rate: FloatArray, rng: Generator) -> FloatArray:
        """Hits among the unlabelled items that count.

        Item by item where every item counts and lies in one arm; otherwise only an arm's expected
        number of counting items is known, and they are drawn at the arm's rate.
        """
        left = np.rint(self._left).astype(np.int64)
        are_whole = np.array_equal(self._left, left)
        if not are_whole or not np.array_equal(self.model.cells.arm_sum(self.left), self.rest):
            clipped = np.clip(rate, 0, 1)
            return rng.binomial(self.rest.astype(np.int64)[:, None], clipped).astype(float)
        return _sums_of_draws(self.model, left, chance, rng)


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
        drawn = self.bank.of[self.estimand]
        return drawn.draws.var(axis=0, dtype=float) / drawn.size**2

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        drawn = self.bank.of[self.estimand]
        return attained_interval(drawn.values(np.arange(len(drawn))), level)

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Draws from the bank in random order; more than it holds come again."""
        drawn = self.bank.of[self.estimand]
        rounds = -(-n // len(drawn))
        order = np.concatenate([rng.permutation(len(drawn)) for _ in range(rounds)])[:n]
        return drawn.values(order, where)
