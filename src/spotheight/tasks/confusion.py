"""What is mistaken for what?"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import DirichletBelief
from spotheight.evidence import ClassEvidence, Source
from spotheight.types import FloatArray

DRAWS = 1000


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """For each answer (rows) the rates of the true classes (columns), with intervals."""

    classes: tuple[str, ...]
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    level: float = 0.9


@dataclass(frozen=True)
class Confusion:
    """Estimate how often each answer stands for each true class."""

    service: str = ""
    level: float = 0.9

    def evidence(self, source: Source) -> ClassEvidence:
        return source.class_evidence(self.service or None)

    def answer(self, belief: DirichletBelief, rng: Generator) -> ConfusionMatrix:
        tail = (1 - self.level) / 2
        low, high = np.quantile(belief.draw(DRAWS, rng), [tail, 1 - tail], axis=0)
        return ConfusionMatrix(belief.outcomes, belief.mean, low, high, self.level)
