"""Independent Beta per arm, under a fixed prior."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from spotheight.beliefs import BetaRate, Surface
from spotheight.errors import InputError, require_choice, require_strength
from spotheight.evidence import Evidence
from spotheight.models.conjugate import conjugate_surface
from spotheight.models.mixture import Doubt, assigned_rate
from spotheight.models.protocol import Estimator
from spotheight.types import FloatArray

Prior = Literal["uninformed", "jeffreys", "informed", "overall"]

STRENGTH = {"uninformed": 2.0, "jeffreys": 1.0, "informed": 2.0, "overall": 0.1}
"""How many labels each prior is worth: Beta(1,1), Beta(.5,.5), and the choices of the papers."""


@dataclass(frozen=True)
class Beta(Estimator):
    """Judge every arm on its own labels alone: exact, instant, blind to likeness of arms.

    Args:
        prior: Where the prior mean comes from: one half (``uninformed``, ``jeffreys``), the mean
            score of the arm's items (``informed``), or the overall accuracy (``overall``).
        strength: How many labels the prior is worth; 0 takes the usual one of each prior.
        doubt: What a label says whose item may lie in several arms: in part the same of each
            (``parts``), or something of one of them, and it is open of which (``mixture``).
    """

    prior: Prior = "uninformed"
    strength: float = 0.0
    doubt: Doubt = "parts"

    def __post_init__(self) -> None:
        require_choice("The prior", self.prior, get_args(Prior))
        require_choice("The doubt", self.doubt, get_args(Doubt))
        if not self.strength >= 0:
            raise InputError(
                f"The strength of a prior must not be negative, got {self.strength:g}."
            )
        if self.strength != 0:
            require_strength(self.strength)

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        strength = self.strength or STRENGTH[self.prior]
        centre = self._centre(evidence)
        prior = strength * centre, strength * (1 - centre)
        if evidence.is_guessed and self.doubt == "mixture":
            return conjugate_surface(evidence, assigned_rate(evidence, lambda *_: prior))
        counts = evidence.counts
        rate = BetaRate(counts.hits + prior[0], counts.trials - counts.hits + prior[1])
        return conjugate_surface(evidence, rate)

    def _centre(self, evidence: Evidence) -> FloatArray:
        """The prior mean of each arm, kept off 0 and 1 so that a label can still surprise."""
        if self.prior == "informed":
            return np.clip(_mean_scores(evidence), 1e-3, 1 - 1e-3)
        if self.prior == "overall":
            counts = evidence.counts
            overall = (counts.hits.sum() + 0.5) / (counts.trials.sum() + 1)
            return np.full(evidence.cells.arms, overall)
        return np.full(evidence.cells.arms, 0.5)


def _mean_scores(evidence: Evidence) -> FloatArray:
    evidence.cells.require_probabilities("An informed prior")
    scores = evidence.cells.arm_score
    return np.where(np.isnan(scores), 0.5, scores)
