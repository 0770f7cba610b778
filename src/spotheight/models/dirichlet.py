"""Dirichlet over outcomes, each arm on its own; hits by the surface where it is asked."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from spotheight.arms import PREDICTION
from spotheight.beliefs import DirichletBelief, Surface
from spotheight.beliefs.confusion import ConfusionBelief
from spotheight.beliefs.lumped import Lumped
from spotheight.errors import InputError, require_choice, require_strength
from spotheight.evidence import ClassEvidence
from spotheight.types import FloatArray, IntArray

LEAST = 1e-6
"""Of the prior share of an outcome that the service rules out."""


Prior = Literal["scores", "even"]


@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet per arm over its outcomes.

    Args:
        strength: How many labels the prior is worth in each arm that stands alone.
        prior: How it is spread over the outcomes: by the service's mean class probabilities where
            it gives them (``scores``), or evenly.
        hits: Where it is known from how often answers are right: from the campaign's ``surface``,
            which reckons with labels that were chosen, or from its own labels, as if they were a
            random sample.
    """

    strength: float = 1.0
    prior: Prior = "scores"
    hits: Literal["surface", "own"] = "surface"

    def __post_init__(self) -> None:
        require_strength(self.strength)
        require_choice("The prior", self.prior, get_args(Prior))
        if self.hits not in ("surface", "own"):
            raise InputError(f"Hits are known from surface or own labels, not {self.hits!r}.")

    @property
    def needs_surface(self) -> bool:
        return self.hits == "surface"

    def fit(self, evidence: ClassEvidence, surface: Surface | None = None) -> DirichletBelief:
        cells, counts, outcomes = evidence.cells, evidence.counts, evidence.outcomes
        alpha = counts + self.strength * self._centre(evidence)
        if surface is None:
            return DirichletBelief(cells, alpha, counts, evidence.rest, outcomes)
        arms = (surface.partition, cells.partition, surface.cells.mass)
        return ConfusionBelief(
            cells,
            alpha,
            counts,
            evidence.rest,
            outcomes,
            rate=Lumped.of(surface.rate, *arms),
            pool=Lumped.of(surface.pool, *arms),
            right=_right(evidence),
        )

    def _centre(self, evidence: ClassEvidence) -> FloatArray:
        """The prior mean of each arm, kept off 0 so that a label can still surprise."""
        even = np.full_like(evidence.counts, 1 / len(evidence.outcomes))
        if self.prior == "even" or evidence.prior is None:
            return even
        known = ~np.isnan(evidence.prior).any(axis=1, keepdims=True)
        centre = np.maximum(np.where(known, evidence.prior, even), LEAST)
        return centre / centre.sum(axis=1, keepdims=True)


def _right(evidence: ClassEvidence) -> IntArray:
    """The outcome that makes each arm's answer right, -1 where there is none."""
    place, attribute = evidence.cells.partition.attribute(PREDICTION)
    at = {cls: number for number, cls in enumerate(evidence.outcomes)}
    by_level = np.array([at.get(level, -1) for level in attribute.levels])
    return by_level[evidence.cells.partition.codes[:, place]]
