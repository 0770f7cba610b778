"""How many of the best-ranked items are right?"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief, Reading
from spotheight.errors import InputError
from spotheight.evidence import Cut, ItemEvidence, Source
from spotheight.types import FloatArray

DRAWS = 2000


@dataclass(frozen=True)
class PrecisionAnswer:
    """Precision among the first ``k`` of each category's list, and their mean."""

    k: int
    categories: tuple[str, ...]
    readings: tuple[Reading, ...]
    mean: Reading


@dataclass(frozen=True)
class PrecisionAt:
    """Precision@K: the share of true ones among a service's ``k`` surest items, by category."""

    k: int
    service: str = ""
    level: float = 0.9

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"Precision@K needs K of at least 1, got {self.k}.")

    @property
    def cut(self) -> Cut:
        return Cut()

    def evidence(self, source: Source) -> ItemEvidence:
        return source.item_evidence(self.service or None, self.k)

    def answer(self, belief: ItemBelief, rng: Generator) -> PrecisionAnswer:
        draws = self._precision(belief, belief.draw(DRAWS, rng))
        expected = self._precision(belief, belief.chance[None])[0]
        pairs = zip(draws.T, expected, strict=True)
        readings = tuple(self._reading(column, mean) for column, mean in pairs)
        overall = self._reading(draws.mean(axis=1), expected.mean())
        return PrecisionAnswer(self.k, belief.evidence.categories, readings, overall)

    def _reading(self, draws: FloatArray, mean: float) -> Reading:
        """The interval from draws, the mean without their noise."""
        return replace(Reading.of(draws, self.level, "pool"), mean=float(mean))

    def _lengths(self, belief: ItemBelief) -> FloatArray:
        """How long each list is; one shorter than K is read at its own length."""
        found = np.bincount(belief.evidence.category, minlength=len(belief.evidence.categories))
        return np.maximum(np.minimum(found, self.k), 1).astype(float)

    def _precision(self, belief: ItemBelief, truth: FloatArray) -> FloatArray:
        """(draws, categories)."""
        inside = np.eye(len(belief.evidence.categories))[belief.evidence.category]
        return truth @ inside / self._lengths(belief)

    def item_reward(self, belief: ItemBelief) -> FloatArray:
        """Expected change of the list's estimate, (2/K) p (1-p)."""
        length = self._lengths(belief)[belief.evidence.category]
        return 2 / length * belief.chance * (1 - belief.chance)
