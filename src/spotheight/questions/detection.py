"""COCO average precision: how well do detectors find objects in images?"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs.listgains import SingleGains
from spotheight.beliefs.objects import SceneBelief
from spotheight.evidence import Cut, Source
from spotheight.evidence.objects import SceneEvidence
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.lists import gaps_between, list_answer
from spotheight.questions.values import require_level
from spotheight.types import BoolArray, FloatArray

WORLDS = 100
"""Drawn to see which object's outline matters most; errors of a tenth do not change a batch."""


@dataclass(frozen=True)
class Detection:
    """Average precision of every detector, as COCO measures it, and its mean over categories (mAP).

    Mean over overlaps (IoU) from .5 to .95, interpolated at 101 recalls, one-to-one matching, at
    most 100 detections an image. Objects have a rough box until their outline is vetted, and are
    taken to be there until someone says that they are not.

    Args:
        services: Whose detections; empty means all.
        level: Of the intervals.
    """

    services: tuple[str, ...] = ()
    level: float = 0.9
    name = "average precision (IoU .5 to .95)"

    def __post_init__(self) -> None:
        require_level(self.level)

    @property
    def cut(self) -> Cut:
        return Cut()

    def evidence(self, source: Source) -> SceneEvidence:
        return source.scene_evidence(self.services)

    def answer(self, belief: SceneBelief, rng: Generator) -> ListAnswer:
        return list_answer(self, belief, rng)

    def inside(self, evidence: SceneEvidence) -> BoolArray:
        """All objects are to be found."""
        return np.ones((len(evidence), len(evidence.services)), dtype=bool)

    def positives(self, evidence: SceneEvidence) -> FloatArray:
        size = len(evidence.categories)
        return np.bincount(evidence.category[~evidence.is_absent], minlength=size).astype(float)

    def item_reward(self, belief: SceneBelief) -> FloatArray:
        """Expected change of the services' means when an outline becomes known."""
        return np.abs(outline_steps(belief)).mean(axis=0).sum(axis=0)

    def item_gains(self, belief: SceneBelief) -> SingleGains:
        """Expected drop of the variance of the services' means."""
        return SingleGains(outline_steps(belief).var(axis=0).sum(axis=0))


def outline_steps(belief: SceneBelief) -> FloatArray:
    """How far each object's outline may move each service's mean, (draws, services, objects).

    All detections that may find it count, at all thresholds, matched one to one. The draws are
    always the same ones, so that an ask can be recomputed.
    """
    credit = belief.worlds(WORLDS, default_rng(0)).credit
    return credit - credit.mean(axis=0)


def gap_steps(belief: SceneBelief) -> FloatArray:
    """Likewise for the gaps between every two services, (draws, pairs of services, objects)."""
    return gaps_between(outline_steps(belief), axis=1)
