"""Learning the outcome rates around which many groups lie, and how closely."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from spotheight.numerics.priors import STRENGTH_CENTRE, STRENGTH_SPREAD
from spotheight.types import FloatArray

_LOG_STRENGTHS = STRENGTH_CENTRE + STRENGTH_SPREAD * np.linspace(-3, 3, 13)
"""Half a standard deviation of the prior apart: the evidence of groups is wider than that."""


@dataclass(frozen=True, slots=True, eq=False)
class LearnedCentre:
    """Plausible strengths, the probability of each, and what the centre is believed to be there.

    Args:
        strength: How many labels the centre is worth in each group, (strengths,).
        alpha: Dirichlet parameters of the centre, (strengths, outcomes).
        weight: The probability of each strength.
    """

    strength: FloatArray
    alpha: FloatArray
    weight: FloatArray

    @property
    def mean(self) -> FloatArray:
        """The expected centre at each strength, (strengths, outcomes)."""
        return self.alpha / self.alpha.sum(axis=1, keepdims=True)


def learn_centre(counts: FloatArray) -> LearnedCentre:
    """What counts of outcomes, (groups, outcomes), say about the rates that groups share."""
    rows, times = np.unique(counts[counts.sum(axis=1) > 0], axis=0, return_counts=True)
    strength = np.exp(_LOG_STRENGTHS)
    total = rows.sum(axis=1)
    # Labels of one group repeat each other: divide by the design effect (Kish 1965), which is
    # 1 + (n - 1) / (strength + 1).
    worth = (strength[:, None] + 1) / (strength[:, None] + total)
    alpha = (worth * times) @ rows + 1 / counts.shape[1]
    learned = LearnedCentre(strength, alpha, np.ones(len(strength)))
    pull = 0.5 * ((_LOG_STRENGTHS - STRENGTH_CENTRE) / STRENGTH_SPREAD) ** 2
    height = _log_evidence(rows, learned) @ times - pull
    weight = np.exp(height - height.max())
    return LearnedCentre(strength, alpha, weight / weight.sum())


def _log_evidence(rows: FloatArray, centre: LearnedCentre) -> FloatArray:
    """The log-probability of each row of outcomes in a given order, (strengths, rows)."""
    prior = (centre.strength[:, None] * centre.mean)[:, None]
    each = (gammaln(prior + rows) - gammaln(prior)).sum(axis=-1)
    total = centre.strength[:, None] + rows.sum(axis=1)
    return np.asarray(each - gammaln(total) + gammaln(centre.strength)[:, None])
