"""Belief about listed items one by one: the chance of each to be true."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator

from spotheight.evidence import ItemEvidence
from spotheight.numerics.sums import sum_by
from spotheight.types import BoolArray, FloatArray, IntArray, NarrowArray


class ChanceModel(Protocol):
    """Model of chances that are uncertain themselves: draws of them, and their covariances."""

    def draw(self, n: int, rng: Generator, where: IntArray) -> FloatArray:
        """Plausible chances of some items, (draws, items)."""
        ...

    def spread(self, where: IntArray) -> NarrowArray:
        """Deviations of some items' chances, (draws, items): products add up to covariances."""
        ...


@dataclass(frozen=True, eq=False)
class ItemBelief:
    """The chance that each listed item is truly what it is listed for; vetted items have 0 or 1.

    Args:
        evidence: The items.
        chance: Of each to be true; NaN for items that are left out, as if they were not there.
        model: Draws chances where they are uncertain themselves.
        estimator: What it was estimated by, in words of the API.
    """

    evidence: ItemEvidence = field(repr=False)
    chance: FloatArray = field(repr=False)
    model: ChanceModel | None = field(default=None, repr=False)
    estimator: str = ""

    def draw(self, n: int, rng: Generator) -> FloatArray:
        """True labels, (draws, items)."""
        labels, where = np.tile(self.chance, (n, 1)), np.flatnonzero(self.is_open)
        labels[:, where] = rng.random((n, len(where))) < self._chances(n, rng, where)
        return labels

    def _chances(self, n: int, rng: Generator, where: IntArray) -> FloatArray:
        """Draws of some items' chances; of items told, where people are at odds, as they are."""
        if self.model is None:
            return self.chance[where]
        chance = self.model.draw(n, rng, where)
        told = self.evidence.is_vetted[where]
        chance[:, told] = self.chance[where[told]]
        return chance

    def spread(self, where: IntArray) -> NarrowArray:
        """How some items' chances may be off together, (draws, items).

        Products of two columns add up to a covariance.
        """
        if self.model is None:
            return np.zeros((0, len(where)), dtype=np.float32)
        spread = self.model.spread(where)
        spread[:, self.evidence.is_vetted[where]] = 0.0
        return spread

    @cached_property
    def is_open(self) -> BoolArray:
        """Whether the truth of each item is in doubt."""
        return (self.chance > 0) & (self.chance < 1)

    def positives(self) -> FloatArray:
        """Expected true items of each category's list."""
        known = np.nan_to_num(self.chance)
        return sum_by(self.evidence.category, known, len(self.evidence.categories))

    @cached_property
    def is_in(self) -> BoolArray:
        """Which items are reckoned with."""
        return ~np.isnan(self.chance)
