"""Empirical Bayes: a Beta for every arm, under a prior that all arms teach."""

from dataclasses import dataclass

from numpy.random import Generator

from spotheight.beliefs import BetaRate, Surface
from spotheight.evidence import Counts, Evidence
from spotheight.models.conjugate import conjugate_surface
from spotheight.models.mixture import assigned_rate
from spotheight.models.protocol import Estimator
from spotheight.numerics.distributions.priors import learn_prior
from spotheight.types import FloatArray


@dataclass(frozen=True)
class EmpiricalBeta(Estimator):
    """Let all arms say how much arms differ, and pull each towards the others by that much."""

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        if evidence.is_guessed:
            return conjugate_surface(evidence, assigned_rate(evidence, _drawn))
        counts = evidence.counts
        prior = learn_prior(counts.hits, counts.trials)
        misses = counts.trials - counts.hits
        rate = BetaRate(counts.hits, misses, prior.hits, prior.misses, prior.weight)
        return conjugate_surface(evidence, rate)


def _drawn(counts: Counts, rng: Generator) -> tuple[FloatArray, FloatArray]:
    """One of the priors that are plausible after these counts."""
    prior = learn_prior(counts.hits, counts.trials)
    one = rng.choice(len(prior.weight), p=prior.weight)
    return prior.hits[one], prior.misses[one]
