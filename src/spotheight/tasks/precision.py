"""How many of the best-ranked items are right?"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief, Reading
from spotheight.errors import InputError
from spotheight.evidence import ItemEvidence, Source
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

    def evidence(self, source: Source) -> ItemEvidence:
        return source.item_evidence(self.service or None, self.k)

    def answer(self, belief: ItemBelief, rng: Generator) -> PrecisionAnswer:
        draws = self._precision(belief, belief.draw(DRAWS, rng))
        readings = tuple(Reading.of(column, self.level, "pool") for column in draws.T)
        mean = Reading.of(draws.mean(axis=1), self.level, "pool")
        return PrecisionAnswer(self.k, belief.evidence.categories, readings, mean)

    def _precision(self, belief: ItemBelief, truth: FloatArray) -> FloatArray:
        """(draws, categories); a list shorter than K is read at its own length."""
        category, categories = belief.evidence.category, len(belief.evidence.categories)
        inside = np.eye(categories)[category]
        length = np.maximum(np.minimum(inside.sum(axis=0), self.k), 1)
        return truth @ inside / length

    def item_reward(self, belief: ItemBelief) -> FloatArray:
        """Expected change of the estimate, (2/K) p (1-p), for items that are not vetted yet."""
        return 2 / self.k * belief.chance * (1 - belief.chance)
