"""Outcomes per arm, each arm on its own."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import DirichletBelief
from spotheight.errors import InputError
from spotheight.evidence import ClassEvidence
from spotheight.numerics.centres import learn_centre


@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet per arm over its outcomes.

    Where arms are alike in their outcomes, they teach each other their prior.

    Args:
        strength: How many labels the prior is worth in each arm that stands alone, spread evenly
            over the outcomes, or by the mean scores where the evidence brings them.
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        if not self.strength > 0:
            raise InputError(f"The strength of a prior must be positive, got {self.strength:g}.")

    def fit(self, evidence: ClassEvidence) -> DirichletBelief:
        counts, weight = evidence.counts, evidence.cells.arm_weight
        if evidence.is_alike:
            centre = learn_centre(counts)
            return DirichletBelief(counts, counts, evidence.rest, weight, evidence.outcomes, centre)
        even = np.full_like(counts, 1 / len(evidence.outcomes))
        prior = even if evidence.prior is None else np.maximum(evidence.prior, 1e-3)
        alpha = counts + self.strength * prior
        return DirichletBelief(alpha, counts, evidence.rest, weight, evidence.outcomes)
