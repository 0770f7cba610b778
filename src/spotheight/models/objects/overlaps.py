"""Regression of overlaps: will a detection find an object, once its outline is known?"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import logit

from spotheight.beliefs.objects import SceneBelief
from spotheight.evidence.objects import SceneEvidence
from spotheight.models.objects.steps import EXPECTED, StepFit, StepRows
from spotheight.numerics.ranking.matching import THRESHOLDS, levels
from spotheight.types import FloatArray, IntArray

VARYING = 0.5
"""By how much weights of categories may differ: the scale of a half-t prior."""

OBJECTS = 1.0
"""Likewise by how much the steps of two objects may, that look alike."""

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
    """Continuation-ratio regression: learn from vetted objects how overlaps change.

    A pair climbs threshold after threshold until it fails: the chance of every step is a logistic
    regression on what is seen of the pair, with weights that vary by category and a term that all
    pairs of an object share. Given that, steps of one pair are independent as far as they are
    tried, so this is the likelihood of the overlap, cut at the thresholds; chances to pass never
    rise with the threshold.
    """
    features = PairFeatures.of(evidence)
    size = len(evidence.categories)
    fitted = StepFit.of(features.rows(), size, np.array([VARYING, VARYING, OBJECTS]))
    model = PassingDraws(features, fitted)
    is_open = ~evidence.is_vetted[evidence.pairs.item]
    passing = known_passing(evidence)
    passing[is_open] = 0.0
    unsure = features.pairs[is_open[features.pairs]]
    passing[unsure] = model.draw(EXPECTED, default_rng(0), unsure).mean(axis=0)
    return SceneBelief(evidence, passing, np.ones(len(evidence), dtype=bool), model)


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
        size = np.maximum(detections.sides.prod(axis=1), 1.0)
        object_size = np.log(np.maximum(evidence.boxes.prod(axis=1), 1.0))
        detection_size = np.log(size)
        columns = [
            _standard(object_size[item]),
            _standard(np.abs(detection_size[seen] - object_size[item])),
            _standard(_of_scores(detections.score)[seen]),
        ]
        if evidence.scenes.is_masked:
            columns.append(_standard(_logit(detections.area / size)[seen]))
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
        low ones, and the first step is a long one. Boxes that overlap less than the threshold asks
        leave little hope for outlines, however much less; above it every bit counts.
        """
        height, chosen, pairs = logit(THRESHOLDS[step]), self.pairs[rows], self.evidence.pairs
        margin = (_logit(pairs.noisy[chosen]) - height) / 2
        above = np.maximum(_logit(pairs.boxed[chosen]) - height, 0.0) / 2
        late = 2 * step / (STEPS - 1) - 1
        same = np.tile([1.0, late, late**2, float(step == 0)], (len(margin), 1))
        plain = self.columns[rows]
        moved = late * np.column_stack([margin, plain])
        return np.column_stack([same[:, :1], margin, same[:, 1:], moved, plain, above])

    def rows(self) -> StepRows:
        """Steps that vetted pairs have tried, and some that are imagined."""
        evidence, pairs = self.evidence, self.evidence.pairs
        is_taught = evidence.is_vetted & ~evidence.is_absent
        rows = np.flatnonzero(is_taught[pairs.item[self.pairs]])
        level = levels(pairs.true[self.pairs[rows]])
        step, spot = np.nonzero(level >= np.arange(STEPS)[:, None])
        seen = [self.at(one, rows[spot[step == one]]) for one in range(STEPS)]
        tried, imagined = rows[spot], self._imagined()
        columns = np.concatenate([*seen, imagined.columns])
        return StepRows(
            columns,
            columns[:, 1],
            np.concatenate([self.category[tried], imagined.category]),
            np.concatenate([pairs.item[self.pairs[tried]], imagined.item]),
            np.concatenate([level[spot] > step, imagined.hits]),
            np.concatenate([np.ones(len(tried)), imagined.trials]),
        )

    def _imagined(self) -> StepRows:
        """Two steps a category, of little weight: well above the threshold, and well below."""
        categories = len(self.evidence.categories)
        pair = np.zeros((2, 7 + 2 * self.columns.shape[1]))
        pair[:, 0], pair[:, 1] = 1.0, [1.0, -1.0]
        columns = np.tile(pair, (categories, 1))
        trials = np.full(2 * categories, IMAGINED / (2 * categories))
        category = np.repeat(np.arange(categories), 2)
        hits = trials * np.tile([0.9, 0.1], categories)
        return StepRows(columns, columns[:, 1], category, -1 - category, hits, trials)


@dataclass(frozen=True, eq=False)
class PassingDraws:
    """Posterior of the regression: weights that are known roughly, objects' terms not at all.

    Args:
        features: What is seen of all pairs.
        fitted: What vetted ones said.
    """

    features: PairFeatures = field(repr=False)
    fitted: StepFit = field(repr=False)

    def draw(self, n: int, rng: Generator, where: IntArray) -> FloatArray:
        features, drawn = self.features, self.fitted.draw(n, rng)
        rows = np.searchsorted(features.pairs, where)
        item = features.evidence.pairs.item[where]
        term = drawn.terms(len(features.evidence), rng)[:, item]
        steps = [features.at(step, rows) for step in range(STEPS)]
        return drawn.passing(steps, features.category[rows], term)


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
