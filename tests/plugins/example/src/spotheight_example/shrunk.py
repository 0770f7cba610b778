"""An estimator."""

from dataclasses import dataclass

from spotheight.beliefs import BetaRate, Surface
from spotheight.errors import InputError
from spotheight.evidence import Evidence
from spotheight.models import Estimator
from spotheight.models.conjugate import conjugate_surface


@dataclass(frozen=True)
class Shrunk(Estimator):
    """Pull every arm toward the overall rate by so many labels.

    Args:
        labels: How many labels the overall rate is worth in each arm.
    """

    labels: float = 3.0

    def __post_init__(self) -> None:
        if not self.labels > 0:
            raise InputError(f"The overall rate is worth some labels, got {self.labels:g}.")

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        hits, misses = evidence.counts.hits, evidence.counts.trials - evidence.counts.hits
        overall = (hits.sum() + 0.5) / (hits.sum() + misses.sum() + 1)
        a, b = self.labels * overall, self.labels * (1 - overall)
        return conjugate_surface(evidence, BetaRate(hits + a, misses + b))
