"""Outcomes per arm, each arm on its own."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from spotheight.beliefs import DirichletBelief
from spotheight.errors import InputError
from spotheight.evidence import ClassEvidence
from spotheight.numerics.centres import learn_centre
from spotheight.types import FloatArray

LEAST = 1e-6
"""Of the prior share of an outcome that the service rules out."""


Prior = Literal["scores", "even"]


@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet per arm over its outcomes.

    Where arms are alike in their outcomes, they teach each other their prior.

    Args:
        strength: How many labels the prior is worth in each arm that stands alone.
        prior: How it is spread over the outcomes: by the service's mean class probabilities where
            it gives them (``scores``), or evenly.
    """

    strength: float = 1.0
    prior: Prior = "scores"

    def __post_init__(self) -> None:
        if not self.strength > 0:
            raise InputError(f"The strength of a prior must be positive, got {self.strength:g}.")
        if self.prior not in get_args(Prior):
            raise InputError(
                f"The prior is one of {', '.join(get_args(Prior))}, not {self.prior!r}."
            )

    def fit(self, evidence: ClassEvidence) -> DirichletBelief:
        cells, counts, outcomes = evidence.cells, evidence.counts, evidence.outcomes
        if evidence.is_alike:
            centre = learn_centre(counts)
            return DirichletBelief(cells, counts, counts, evidence.rest, outcomes, centre)
        alpha = counts + self.strength * self._centre(evidence)
        return DirichletBelief(cells, alpha, counts, evidence.rest, outcomes)

    def _centre(self, evidence: ClassEvidence) -> FloatArray:
        """The prior mean of each arm, kept off 0 so that a label can still surprise."""
        even = np.full_like(evidence.counts, 1 / len(evidence.outcomes))
        if self.prior == "even" or evidence.prior is None:
            return even
        known = ~np.isnan(evidence.prior).any(axis=1, keepdims=True)
        centre = np.maximum(np.where(known, evidence.prior, even), LEAST)
        return centre / centre.sum(axis=1, keepdims=True)
