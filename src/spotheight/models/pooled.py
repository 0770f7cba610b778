"""Complete pooling: one number for all arms."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import BetaRate, Surface
from spotheight.evidence import Evidence
from spotheight.models.conjugate import conjugate_surface
from spotheight.models.protocol import Estimator


@dataclass(frozen=True)
class Pooled(Estimator):
    """Believe that the service is equally good everywhere: what a surface has to beat."""

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        hits, trials = evidence.counts.hits.sum(), evidence.counts.trials.sum()
        same = np.ones(evidence.cells.arms)
        return conjugate_surface(
            evidence, BetaRate(same * (hits + 0.5), same * (trials - hits + 0.5), is_shared=True)
        )
