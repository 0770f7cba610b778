"""Support vector machine that says which detections are right (Nguyen et al. 2018, section 4.2)."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from spotheight.beliefs import ItemBelief, SceneBelief
from spotheight.errors import InputError
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.models.objects.overlaps import STEPS, known_passing
from spotheight.models.protocol import ItemEstimator
from spotheight.numerics.ranking.matching import levels
from spotheight.types import FloatArray, IntArray

FOLDS = 3
"""Of the calibration; a threshold with fewer vetted pairs on one side gets their share."""


@dataclass(frozen=True)
class KernelVectors(ItemEstimator):
    """Learn whether detections pass each threshold, by an additive chi-square kernel.

    A linear machine on the kernel's feature map, calibrated by a sigmoid, from category, noisy
    overlap and both boxes' sizes (Nguyen et al. 2018). Of objects in images only; it draws nothing
    of its own uncertainty, and takes rough boxes for the truth until some object is vetted.

    Args:
        cost: Of a vetted pair on the wrong side.
    """

    cost: float = 1.0

    def __post_init__(self) -> None:
        if not self.cost > 0:
            raise InputError(f"The cost of a vector machine must be positive, got {self.cost:g}.")

    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        raise InputError("The kernel is for objects in images; of tags use learned.")

    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        pairs, passing = evidence.pairs, known_passing(evidence)
        rows = np.flatnonzero(pairs.noisy > 0)
        is_vetted = evidence.is_vetted[pairs.item]
        is_there = ~evidence.is_absent[pairs.item]
        taught, asked = rows[(is_vetted & is_there)[rows]], rows[~is_vetted[rows]]
        if len(taught) and len(asked):
            passing[~is_vetted] = 0.0
            passing[asked] = self._passing(evidence, taught, asked)
        return SceneBelief(evidence, passing, np.ones(len(evidence), dtype=bool))

    def _passing(self, evidence: SceneEvidence, taught: IntArray, asked: IntArray) -> FloatArray:
        columns = _columns(evidence)
        mapped = _library("kernel_approximation").AdditiveChi2Sampler().fit(columns)
        known, new = (mapped.transform(columns[rows]) for rows in (taught, asked))
        level = levels(evidence.pairs.true[taught])
        steps = [self._chance(known, level > step, new) for step in range(STEPS)]
        return np.minimum.accumulate(np.stack(steps, axis=1), axis=1)

    def _chance(self, known: Any, is_hit: Any, new: Any) -> FloatArray:
        hits = int(is_hit.sum())
        if min(hits, len(is_hit) - hits) < FOLDS:
            return np.full(new.shape[0], (hits + 0.5) / (len(is_hit) + 1))
        machine = _library("svm").LinearSVC(C=self.cost, dual=False)
        sure = _library("calibration").CalibratedClassifierCV(machine, cv=FOLDS)
        return np.asarray(sure.fit(known, is_hit).predict_proba(new)[:, 1], dtype=float)


def _columns(evidence: SceneEvidence) -> FloatArray:
    """Numbers from 0 to 1: the overlap, both boxes' sides as shares of the image, the category."""
    pairs = evidence.pairs
    sizes = np.array([evidence.scenes.sizes[name][::-1] for name in evidence.images], dtype=float)
    image = sizes[evidence.unit[pairs.item]]
    boxes = (evidence.detections.sides[pairs.detection], evidence.boxes[pairs.item])
    kind = evidence.category[pairs.item][:, None] == np.arange(len(evidence.categories))
    return np.column_stack([pairs.noisy, *(np.minimum(b / image, 1.0) for b in boxes), kind])


def _library(part: str) -> Any:
    """A part of scikit-learn; an extra, so that it is loaded when it is needed."""
    try:
        return import_module(f"sklearn.{part}")
    except ImportError:
        raise InputError(
            "The estimator `kernel` needs scikit-learn; run pip install 'spotheight[coco]'."
        ) from None
