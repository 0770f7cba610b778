"""A Beta for every arm, under a prior that all arms teach."""

from dataclasses import dataclass

from spotheight.beliefs import BetaRate, Surface
from spotheight.estimators.conjugate import conjugate_surface
from spotheight.evidence import Evidence
from spotheight.numerics.priors import learn_prior


@dataclass(frozen=True)
class EmpiricalBeta:
    """Let all arms say how much arms differ, and pull each towards the others by that much."""

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        counts = evidence.counts
        prior = learn_prior(counts.hits, counts.trials)
        misses = counts.trials - counts.hits
        rate = BetaRate(counts.hits, misses, prior.hits, prior.misses, prior.weight)
        return conjugate_surface(evidence, rate)
