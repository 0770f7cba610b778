"""Which of two is better?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import DirichletBelief, Reading, Surface
from spotheight.evidence import ClassEvidence, Evidence, Source
from spotheight.types import FloatArray

DRAWS = 4000

Levels = Mapping[str, str | Iterable[str]]


@dataclass(frozen=True, slots=True)
class Compared:
    """The difference first minus second, and how probable each of three verdicts is."""

    difference: Reading
    first_better: float
    equivalent: float
    second_better: float
    rope: float

    @classmethod
    def of(cls, draws: FloatArray, rope: float, level: float, estimand: str) -> "Compared":
        """Summarise draws of the difference."""
        better, worse = float(np.mean(draws > rope)), float(np.mean(draws < -rope))
        reading = Reading.of(draws, level, estimand)
        return cls(reading, better, 1 - better - worse, worse, rope)

    @property
    def decision(self) -> str:
        """The most probable verdict in words."""
        verdicts = {
            "the first is better": self.first_better,
            "practically equivalent": self.equivalent,
            "the second is better": self.second_better,
        }
        return max(verdicts, key=lambda verdict: verdicts[verdict])


@dataclass(frozen=True)
class Compare:
    """Compare two slices, calling differences within ``rope`` practically equivalent."""

    first: Levels
    second: Levels
    rope: float = 0.05
    level: float = 0.9

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(None, None, None)

    def answer(self, belief: Surface, rng: Generator) -> Compared:
        weights = [
            np.where(belief.partition.where(levels), belief.weight, 0.0)
            for levels in (self.first, self.second)
        ]
        first, second = (weight / weight.sum() for weight in weights)
        draws = belief.combined(first - second)
        return Compared.of(draws, self.rope, self.level, belief.estimand)


@dataclass(frozen=True)
class CompareServices:
    """Compare two services on the same labels: paired, so that what both find hard cancels."""

    first: str
    second: str
    rope: float = 0.0
    level: float = 0.9
    estimand: Literal["pool", "rate"] = "pool"

    def evidence(self, source: Source) -> ClassEvidence:
        return source.paired_evidence(self.first, self.second)

    def answer(self, belief: DirichletBelief, rng: Generator) -> Compared:
        shares = belief.draw_total(DRAWS, rng, self.estimand)
        _, first, second, _ = shares.T
        return Compared.of(first - second, self.rope, self.level, self.estimand)
