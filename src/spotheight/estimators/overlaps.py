"""Will a detection overlap an object enough, once its true outline is known?"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.special import expit, logit, ndtri

from spotheight.beliefs.scenes import SceneBelief
from spotheight.numerics.blocks import BlockFit, BlockProblem, fit_blocks
from spotheight.numerics.matching import THRESHOLDS, levels
from spotheight.scenes import SceneEvidence
from spotheight.types import FloatArray, IntArray

OFTEN = 2.0
"""The prior deviation of weights that all categories share, on the logit scale."""

VARYING = 0.5
"""By how much weights of categories may differ: the scale of a half-t prior."""

EDGE = 0.02
"""An overlap nearer to 0 or 1 than this tells no more than this."""

IMAGINED = 4.0
"""Vetted pairs that the prior is worth in all: it trusts the noisy overlap a little."""

STEPS = len(THRESHOLDS)


def vetted_images(evidence: SceneEvidence) -> SceneBelief:
    """Look at images alone in which every object is vetted."""
    is_in = np.ones(len(evidence), dtype=bool)
    open_units = np.unique(evidence.unit[~evidence.is_vetted])
    is_in[np.isin(evidence.unit, open_units)] = False
    return SceneBelief(evidence, known_passing(evidence), is_in)


def naive_overlaps(evidence: SceneEvidence) -> SceneBelief:
    """Take the rough box for the outline until an object is vetted."""
    return SceneBelief(evidence, known_passing(evidence), np.ones(len(evidence), dtype=bool))


def known_passing(evidence: SceneEvidence) -> FloatArray:
    """Which thresholds each pair passes, by the vetted outline or else by the noisy one."""
    pairs = evidence.pairs
    overlap = np.where(evidence.is_vetted[pairs.item], pairs.true, pairs.noisy)
    return (levels(overlap)[:, None] > np.arange(STEPS)).astype(float)


def learned_overlaps(evidence: SceneEvidence) -> SceneBelief:
    """Learn from vetted objects how overlaps change.

    A pair climbs threshold after threshold until it fails: the chance of every step is a logistic
    regression on what is seen of the pair, with weights that vary by category. Steps of one pair
    are independent given that they are tried, so this is the likelihood of the overlap, cut at the
    thresholds; chances to pass never rise with the threshold.
    """
    features = PairFeatures.of(evidence)
    fitted = fit_blocks(features.problem())
    passing = known_passing(evidence)
    unsure = features.pairs[~evidence.is_vetted[evidence.pairs.item[features.pairs]]]
    everywhere = features.chances(fitted)
    passing[~evidence.is_vetted[evidence.pairs.item]] = 0.0
    place = np.searchsorted(features.pairs, unsure)
    passing[unsure] = everywhere[place]
    everyone = np.ones(len(evidence), dtype=bool)
    link = features.link(everywhere)
    return SceneBelief(evidence, passing, everyone, PassingDraws(features, fitted), link)


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """What is seen of every pair that overlaps at all, and of a step that it may climb.

    Args:
        evidence: Objects and detections.
        pairs: Pairs whose boxes overlap, by number.
        columns: What does not depend on the step, (pairs, columns).
    """

    evidence: SceneEvidence = field(repr=False)
    pairs: IntArray = field(repr=False)
    columns: FloatArray = field(repr=False)

    @classmethod
    def of(cls, evidence: SceneEvidence) -> "PairFeatures":
        """All pairs with any overlap."""
        pairs = evidence.pairs
        chosen = np.flatnonzero(pairs.noisy > 0)
        detections = evidence.detections
        seen, item = pairs.detection[chosen], pairs.item[chosen]
        sides = np.array([shape.box[2:] for shape in detections.shapes], dtype=float).reshape(-1, 2)
        object_size = np.log(np.maximum(evidence.boxes.prod(axis=1), 1.0))
        detection_size = np.log(np.maximum(sides.prod(axis=1), 1.0))
        columns = [
            _standard(object_size[item]),
            _standard(np.abs(detection_size[seen] - object_size[item])),
            _standard(_of_scores(detections.score)[seen]),
        ]
        if evidence.scenes.is_masked:
            area = np.array([shape.area for shape in detections.shapes], dtype=float)
            columns.append(_standard(_logit(area / np.maximum(sides.prod(axis=1), 1.0))[seen]))
            columns.append(_logit(pairs.boxed[chosen]) / 2)
        if len(evidence.services) > 1:
            # A service whose outlines are too wide has them everywhere; gaps would hide that.
            who = evidence.pair_service[chosen][:, None] == np.arange(len(evidence.services))
            columns += list((who - who.mean(axis=0)).T)
        agreed = pairs.agreed[chosen]
        if not np.isnan(agreed).all():
            is_alone = np.isnan(agreed)
            columns.append(np.where(is_alone, 0.0, _logit(np.nan_to_num(agreed)) / 2))
            columns.append(_standard(is_alone.astype(float)))
        return cls(evidence, chosen, np.column_stack(columns))

    @property
    def category(self) -> IntArray:
        """Of each pair."""
        return self.evidence.category[self.evidence.pairs.item[self.pairs]]

    def at(self, step: int, rows: IntArray | slice = slice(None)) -> FloatArray:
        """Columns of a step: how far above the threshold, the threshold, what is seen of the pair.

        An intercept is first. What speaks for a pair counts otherwise at high thresholds than at
        low ones, and the first step is a long one.
        """
        height = logit(THRESHOLDS[step])
        margin = (_logit(self.evidence.pairs.noisy[self.pairs[rows]]) - height) / 2
        late = 2 * step / (STEPS - 1) - 1
        same = np.tile([1.0, late, late**2, float(step == 0)], (len(margin), 1))
        moved = np.column_stack([margin, self.columns[rows]])
        return np.column_stack([same[:, :1], margin, same[:, 1:], late * moved, self.columns[rows]])

    def problem(self) -> BlockProblem:
        """The regression on steps that vetted pairs have tried."""
        evidence, pairs = self.evidence, self.evidence.pairs
        rows = np.flatnonzero(evidence.is_vetted[pairs.item[self.pairs]])
        level = levels(pairs.true[self.pairs[rows]])
        tried = [rows[level >= step] for step in range(STEPS)]
        hits = [(level[level >= step] > step).astype(float) for step in range(STEPS)]
        columns = [self.at(step, some) for step, some in enumerate(tried)]
        own, group, good, weight = self._imagined()
        width = columns[0].shape[1]
        varies = np.arange(width) < 2
        return BlockProblem(
            np.concatenate([*columns, own]),
            np.concatenate([*(self.category[some] for some in tried), group]),
            len(evidence.categories),
            np.concatenate([*hits, good * weight]),
            np.concatenate([*(np.ones(len(some)) for some in tried), weight]),
            np.where(varies, VARYING, 0.0),
            np.full(width, OFTEN**2),
        )

    def _imagined(self) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
        """Two steps a category, of little weight: well above the threshold, and well below."""
        categories = len(self.evidence.categories)
        pair = np.zeros((2, 6 + 2 * self.columns.shape[1]))
        pair[:, 0], pair[:, 1] = 1.0, [1.0, -1.0]
        weight = np.full(2 * categories, IMAGINED / (2 * categories))
        group = np.repeat(np.arange(categories), 2)
        return np.tile(pair, (categories, 1)), group, np.tile([0.9, 0.1], categories), weight

    def chances(self, fitted: BlockFit) -> FloatArray:
        """Of each pair to pass each threshold, (pairs, thresholds)."""
        steps = [fitted.chance(self.at(step), self.category) for step in range(STEPS)]
        return np.multiply.accumulate(np.stack(steps, axis=1), axis=1)

    def link(self, passing: FloatArray) -> float:
        """How much the pairs of one object go together: a correlation of normal scores.

        Where a vetted pair came out between two thresholds, its score is the middle of their
        chances. One pair of scores that are not related is added, so that few objects say little.
        """
        evidence, pairs = self.evidence, self.evidence.pairs
        rows = np.flatnonzero(evidence.is_vetted[pairs.item[self.pairs]])
        if not len(rows):
            return 0.5
        ends = np.concatenate([np.ones((len(rows), 1)), passing[rows], np.zeros((len(rows), 1))], 1)
        level = levels(pairs.true[self.pairs[rows]])
        place = np.arange(len(rows))
        width = ends[place, level] - ends[place, level + 1]
        middle = (ends[place, level] + ends[place, level + 1]) / 2
        normal = ndtri(np.clip(middle, 1e-6, 1 - 1e-6))
        told = width < TOLD
        item, normal = pairs.item[self.pairs[rows]][told], normal[told]
        total, square, count = (
            np.bincount(item, weights=w, minlength=len(evidence))
            for w in (normal, normal**2, np.ones(len(item)))
        )
        several = count > 1
        together = float((total[several] ** 2 - square[several]).sum())
        pairs_of = float((count[several] * (count[several] - 1)).sum())
        alone = float((square[several] * (count[several] - 1)).sum())
        return float(np.clip(together / (alone + 1.0), 0.0, 0.95)) if pairs_of else 0.5


TOLD = 0.9
"""A pair that was sure to end where it did tells nothing of what goes together."""


@dataclass(frozen=True, eq=False)
class PassingDraws:
    """Chances by a regression whose weights are only known roughly."""

    features: PairFeatures = field(repr=False)
    fitted: BlockFit = field(repr=False)

    def draw(self, n: int, rng: Generator, where: IntArray) -> FloatArray:
        rows = np.searchsorted(self.features.pairs, where)
        weight = self.fitted.draw(n, rng)[:, self.features.category[rows]]
        passing = np.ones((n, len(rows), STEPS))
        for step in range(STEPS):
            eta = np.einsum("npf,pf->np", weight, self.features.at(step, rows))
            passing[:, :, step] = expit(eta) * (passing[:, :, step - 1] if step else 1.0)
        return passing


def _logit(share: FloatArray) -> FloatArray:
    return logit(np.clip(share, EDGE, 1 - EDGE))


def _of_scores(score: FloatArray) -> FloatArray:
    """The logit of a probability, or any other score as it is."""
    is_chance = len(score) and score.min() >= 0 and score.max() <= 1
    return logit(np.clip(score, 1e-3, 1 - 1e-3)) if is_chance else score


def _standard(values: FloatArray) -> FloatArray:
    """Mean 0, deviation 1."""
    if not len(values):
        return values
    spread = values.std()
    return (values - values.mean()) / (spread if spread > 0 else 1.0)
