"""Standing answers, which nobody needs to ask for: calibration, confusion and ranks."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan

import numpy as np

from spotheight.arms import MISSING, PREDICTION, Recipe
from spotheight.beliefs import Surface
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.evidence import Cut
from spotheight.metrics import Accuracy, Agreement
from spotheight.questions import Task
from spotheight.questions.calibration import Calibrated, Calibration
from spotheight.questions.confusion import Confusion, ConfusionMatrix
from spotheight.questions.quantities import Groups, HitRate
from spotheight.questions.rank import Rank, Ranked
from spotheight.report.answers import answer_to
from spotheight.report.groups import Readings
from spotheight.report.overview import Overview

MOST_RANKED = 200
"""Groups; among more, ranks are too uncertain to be worth a picture."""

MOST_CLASSES = 200
"""Predicted classes that are told apart in a figure."""

MOST_CONFUSED = 2000
"""Predicted classes whose mistakes are looked through: four million numbers."""


@dataclass(frozen=True)
class OwnRate(HitRate):
    """The campaign's metric in every group.

    Args:
        attribute: Read the surface over all arms at each level of this attribute, so that the
            numbers are those of its slices; empty for the groups of ``by``.
    """

    attribute: str = ""

    def groups(self, belief: Surface) -> Groups:
        if not self.attribute:
            return super().groups(belief)
        place, attribute = belief.partition.attribute(self.attribute)
        found, level = np.unique(belief.partition.codes[:, place], return_inverse=True)
        names = tuple(f"{attribute.name}={attribute.levels[code]}" for code in found)
        return Groups(level, labels=names)


@dataclass(frozen=True, slots=True)
class Standing:
    """Answers to questions that nobody needs to ask, each where it makes sense.

    Args:
        calibration: How far scores are from accuracies.
        confusion: What is mistaken for what.
        ranking: The order of arms, or of the levels of the most telling attribute.
        notes: Why something that a reader may look for is not there.
    """

    calibration: Calibrated | None = None
    confusion: ConfusionMatrix | None = None
    ranking: Ranked | None = None
    notes: tuple[str, ...] = ()

    def tasks(self, level: float) -> Iterator[Task]:
        """The questions that are answered already."""
        if self.calibration is not None:
            yield Calibration(level=level)
            yield Calibration(self.calibration.by, level=level)
        if self.confusion is not None:
            yield Confusion(level=level)
        if self.ranking is not None and self.ranking.noun == "arm":
            yield Rank(level=level)


def build_standing(campaign: Campaign, overview: Overview) -> Standing:
    """As far as answers, scores, labels and the metric allow."""
    if isnan(overview.overall.mean):
        return Standing()
    estimand, classes = overview.overall.estimand, _predicted_classes(campaign)
    calibration, notes = _calibration(campaign, estimand, classes)
    ranking = _ranking(campaign, overview, classes)
    return Standing(calibration, _confusion(campaign, estimand, classes), ranking, notes)


def spread(levels: Readings) -> float:
    """The variance of the metric between levels, by their items; 0 where nothing is known."""
    share = levels.n_pool / levels.n_pool.sum()
    mean = np.where(share > 0, levels.mean, 0.0)
    return float(np.nan_to_num(share @ (mean - share @ mean) ** 2))


def _predicted_classes(campaign: Campaign) -> int:
    """How many classes the service predicts; 0 where labels or answers are no classes."""
    spec = campaign.spec
    is_class = spec.metric.reads == "class" and not isinstance(spec.metric, Agreement)
    if not is_class or not campaign.pool.roles.service(spec.service).answers:
        return 0
    cells = campaign.records().strata(Cut((Recipe(PREDICTION),), Accuracy())).cells
    return sum(level != MISSING for level in cells.partition.attributes[0].levels)


def _calibration(
    campaign: Campaign, estimand: str, classes: int
) -> tuple[Calibrated | None, tuple[str, ...]]:
    spec = campaign.spec
    has_score = campaign.pool.roles.service(spec.service).score is not None
    if not (has_score and isinstance(spec.metric, Accuracy)):
        return None, ()
    by = (PREDICTION,) if 2 <= classes <= MOST_CLASSES else ()
    try:
        found = answer_to(campaign, Calibration(by, level=spec.level), estimand)
    except InputError as error:  # no probabilities, or an estimator that does not fit them
        return None, (f"Calibration is not shown. {error}",)
    assert isinstance(found, Calibrated)
    return found, ()


def _confusion(campaign: Campaign, estimand: str, classes: int) -> ConfusionMatrix | None:
    if not 2 <= classes <= MOST_CONFUSED:
        return None
    found: ConfusionMatrix = campaign.answer(Confusion(level=campaign.spec.level), estimand)
    return found


def _ranking(campaign: Campaign, overview: Overview, classes: int) -> Ranked | None:
    """Arms, where they are few enough; else the attribute whose levels differ most."""
    spec, surface = campaign.spec, overview.surface
    attribute = "" if 2 <= surface.cells.arms <= MOST_RANKED else _most_telling(surface, overview)
    found: Ranked | None = None
    if attribute is not None:
        task = Rank(OwnRate(attribute=attribute), spec.level)
        found = campaign.completed(task.answer(surface, campaign.answers))
    elif isinstance(spec.metric, Accuracy) and 2 <= classes <= MOST_RANKED:
        task = Rank(HitRate((PREDICTION,)), spec.level)
        found = campaign.answer(task, overview.overall.estimand)
    return found


def _most_telling(surface: Surface, overview: Overview) -> str | None:
    """The attribute whose levels differ most, of those with a rankable number of levels."""
    found = {
        attribute.name: spread(readings)
        for attribute, readings in zip(surface.partition.attributes, overview.levels, strict=True)
        if 2 <= int((readings.n_pool > 0).sum()) <= MOST_RANKED
    }
    return max(found, key=lambda name: found[name]) if found else None
