"""The surface of a service, and what stands in for it while nothing is known."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.estimators import Estimator
from spotheight.evidence import Evidence
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True)
class Nothing:
    """No belief at all: a prior alone would read like a finding."""

    arms: int

    @property
    def mean(self) -> FloatArray:
        return np.full(self.arms, np.nan)

    @property
    def variance(self) -> FloatArray:
        return np.full(self.arms, np.nan)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        return self.mean, self.mean

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        return np.full((n, self.arms if where is None else len(where)), np.nan)


def surface_of(evidence: Evidence, estimator: Estimator, estimand: str) -> Surface:
    """What the estimator makes of the evidence; without a label that counts, nothing."""
    if evidence.counts.trials.sum() > 0:
        return estimator.fit(evidence).of(estimand)
    nothing = Nothing(evidence.cells.arms)
    return Surface(evidence.cells, evidence.labelled, nothing, nothing).of(estimand)
