"""Which of two is better?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import DirichletBelief, Reading, Surface
from spotheight.evidence import ClassEvidence, Evidence, Source
from spotheight.numerics.design import Sparse
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
        draws = belief.combined(self._contrast(belief))
        return Compared.of(draws, self.rope, self.level, belief.estimand)

    def targets(self, surface: Surface) -> Sparse:
        """The difference, and nothing else."""
        return sparse.csr_matrix(self._contrast(surface)[None, :])

    def _contrast(self, surface: Surface) -> FloatArray:
        """The factor of every arm in the difference."""
        first, second = surface.factors(self.first, self.second).T
        return first - second


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
