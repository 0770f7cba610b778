"""Estimators of noisy labels: learned, counted, taken as they are, or left out."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import ItemBelief, SceneBelief
from spotheight.errors import InputError, require_strength
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.models.lists.features import Features
from spotheight.models.objects.overlaps import learned_overlaps, naive_overlaps, vetted_images
from spotheight.models.protocol import ItemEstimator
from spotheight.numerics.regression.blocks import fit_blocks
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray


@dataclass(frozen=True)
class VettedOnly(ItemEstimator):
    """Look at vetted items alone, as if there were no others; of images, at whole ones."""

    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        return vetted_images(evidence)

    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        return ItemBelief(evidence, evidence.truth)


@dataclass(frozen=True)
class Naive(ItemEstimator):
    """Take the noisy label for the truth until an item is vetted."""

    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        return naive_overlaps(evidence)

    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        return ItemBelief(evidence, _vetted_or(evidence, evidence.guess))


@dataclass(frozen=True)
class Counted(ItemEstimator):
    """Count how often vetted labels were flipped, category by category.

    Nguyen et al. 2018, eq. 13. Counts are biased where a policy prefers doubtful items;
    ``learned`` is not.

    Args:
        strength: How many vetted items of each kind every category is given beforehand, shared out
            as in all categories together.
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        require_strength(self.strength)

    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        raise InputError(
            "Flips are counted of tags, and there are none of objects in images; use learned."
        )

    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        features = Features.of(evidence, has_noisy=False)
        by_score = fit_blocks(features.problem(shared_only=True)).chance(*features.at_items)
        seen, unseen = self._flips(evidence, 1.0), self._flips(evidence, 0.0)
        tagged = evidence.guess
        # The likelihood of the noisy label if the item is true, and if it is not.
        if_true = seen * tagged + (1 - seen) * (1 - tagged)
        if_false = unseen * tagged + (1 - unseen) * (1 - tagged)
        true = if_true * by_score
        return ItemBelief(evidence, _vetted_or(evidence, true / (true + if_false * (1 - by_score))))

    def _flips(self, evidence: ItemEvidence, truth: float) -> FloatArray:
        """How often vetted items of this truth are tagged, for every item's category."""
        kind = np.where(evidence.is_vetted, 1 - np.abs(evidence.truth - truth), 0.0)
        categories = len(evidence.categories)
        tagged = sum_by(evidence.category, kind * evidence.guess, categories)
        seen = sum_by(evidence.category, kind, categories)
        overall = (tagged.sum() + 0.5) / (seen.sum() + 1)
        rate = (tagged + self.strength * overall) / (seen + self.strength)
        return rate[evidence.category]


@dataclass(frozen=True)
class Learned(ItemEstimator):
    """Learn from vetted items how doubtful labels and all services' scores tell the truth.

    A logistic model whose intercept and slopes vary by category, as much as the vetted items say.
    Where odds are long each category may leave the line that its doubtful items follow.
    It asks what is true given all that is seen, so it may be fitted to items chosen by what is
    seen: a greedy policy does not bias it. Its own uncertainty is drawn too. Of objects in images
    it learns how far detections overlap them, threshold after threshold.
    """

    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        return learned_overlaps(evidence)

    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        model = Features.of(evidence).model()
        return ItemBelief(evidence, _vetted_or(evidence, model.chance), model)


def _vetted_or(evidence: ItemEvidence, guess: FloatArray) -> FloatArray:
    return np.where(evidence.is_vetted, evidence.truth, guess)
