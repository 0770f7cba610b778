"""Plain frequencies: no prior, and no estimate without labels."""

from dataclasses import dataclass, replace

import numpy as np

from spotheight.beliefs import BetaRate, Surface
from spotheight.evidence import Evidence
from spotheight.models.conjugate import conjugate_surface
from spotheight.models.protocol import Estimator


@dataclass(frozen=True)
class Frequencies(Estimator):
    """The share of hits among each arm's labels, and no estimate where there is no label.

    Intervals and draws are those of Jeffreys' prior, the usual companion of a frequency.
    """

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        hits, trials = evidence.counts.hits, evidence.counts.trials
        half = np.full(1, 0.5)
        rate = BetaRate(hits, trials - hits, half, half)
        nothing = np.full(len(trials), np.nan)
        shares = np.divide(hits, trials, out=nothing, where=trials > 0)
        return replace(conjugate_surface(evidence, rate), shares=shares)
