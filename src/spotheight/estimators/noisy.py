"""What a noisy label says about the true one."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import ItemBelief
from spotheight.evidence import ItemEvidence
from spotheight.types import FloatArray


@dataclass(frozen=True)
class Naive:
    """Take the noisy label for the truth until an item is vetted."""

    def fit(self, evidence: ItemEvidence) -> ItemBelief:
        guess = np.where(np.isnan(evidence.noisy), 0.5, evidence.noisy)
        return ItemBelief(evidence, _vetted_or(evidence, guess))


@dataclass(frozen=True)
class NoisyCounts:
    """Count how often vetted items of each noisy label were true, all categories together.

    Args:
        strength: How many vetted items the prior is worth, which trusts the noisy label.
        trust: How often the prior believes a noisy label.
    """

    strength: float = 2.0
    trust: float = 0.8

    def fit(self, evidence: ItemEvidence) -> ItemBelief:
        tagged = np.where(np.isnan(evidence.noisy), 0.5, evidence.noisy)
        vetted = ~np.isnan(evidence.truth)
        truth = np.where(vetted, evidence.truth, 0.0)
        # Chances of the truth for a tagged and for an untagged item, mixed by how tagged it is.
        yes, no = (
            (float((w * vetted) @ truth) + self.strength * prior)
            / (float((w * vetted).sum()) + self.strength)
            for w, prior in ((tagged, self.trust), (1 - tagged, 1 - self.trust))
        )
        return ItemBelief(evidence, _vetted_or(evidence, tagged * yes + (1 - tagged) * no))


def _vetted_or(evidence: ItemEvidence, guess: FloatArray) -> FloatArray:
    return np.where(np.isnan(evidence.truth), guess, evidence.truth)
