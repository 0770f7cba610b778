"""Surface of a service; a belief without numbers while no label counts."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.campaign import Campaign, fitted
from spotheight.campaign.fitting import sourced
from spotheight.campaign.spec import Spec
from spotheight.evidence.gather import EvidenceBuilder
from spotheight.questions.estimate import Estimate
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True)
class Nothing:
    """Posterior without numbers: a prior alone would read like a finding."""

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


def surface_now(campaign: Campaign, estimand: str, service: str | None = None) -> Surface:
    """The campaign's own belief, the one that ``status`` and ``surface`` read; else nothing."""
    records = campaign.records()
    if records.evidence(service=service).counts.trials.sum() > 0:
        return campaign.surface(estimand, service=service)
    return surface_of(records, campaign.spec, estimand, service)


def surface_of(
    records: EvidenceBuilder, spec: Spec, estimand: str, service: str | None = None
) -> Surface:
    """What the estimator makes of the labels; without one that counts, nothing."""
    evidence = records.evidence(service=service)
    if evidence.counts.trials.sum() > 0:
        surface = fitted(Estimate(service=service or ""), records, spec)
        assert isinstance(surface, Surface)
        return surface.of(estimand)
    nothing = Nothing(evidence.cells.arms)
    surface = Surface(evidence.cells, evidence.labelled, nothing, nothing)
    return sourced(surface, evidence, spec).of(estimand)
