"""Outcomes per arm, each arm on its own."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import DirichletBelief
from spotheight.errors import InputError
from spotheight.evidence import ClassEvidence


@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet per arm over its outcomes.

    Args:
        strength: How many labels the prior is worth in each arm, spread evenly over the outcomes,
            or by the mean scores where the evidence brings them.
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        if not self.strength > 0:
            raise InputError(f"The strength of a prior must be positive, got {self.strength:g}.")

    def fit(self, evidence: ClassEvidence) -> DirichletBelief:
        even = np.full_like(evidence.counts, 1 / len(evidence.outcomes))
        centre = even if evidence.prior is None else np.maximum(evidence.prior, 1e-3)
        alpha = evidence.counts + self.strength * centre
        weight = evidence.cells.arm_weight
        return DirichletBelief(alpha, evidence.counts, evidence.rest, weight, evidence.outcomes)
