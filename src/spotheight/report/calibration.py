"""How far scores are from accuracies, as the report shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from spotheight.arms import Attribute
from spotheight.beliefs import Surface
from spotheight.campaign import Campaign
from spotheight.questions import Calibrated, Calibration
from spotheight.report.basis import Basis
from spotheight.report.density import Density
from spotheight.report.rows import GroupRow, group_row


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """The items whose scores lie between two values.

    Args:
        start: The lowest score of the bin.
        end: Where the next bin starts.
        score: The mean score of its items.
        plain: The frequency of hits among its labels, NaN where there is none.
    """

    start: float
    end: float
    n_pool: float
    n_labelled: float
    score: float
    mean: float
    low: float
    high: float
    plain: float


@dataclass(frozen=True, slots=True)
class Calibrations:
    """The calibration error of one group.

    Args:
        error: The expected calibration error (ECE).
        accuracy: The accuracy.
        score: The mean score.
        plain: The ECE of plain frequencies among the labels, NaN where there is none.
    """

    error: GroupRow
    accuracy: GroupRow
    score: float
    plain: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far scores are from accuracies.

    Args:
        by: What makes the groups; empty where there are none.
        whole: All items together.
        bins: The reliability diagram, from the lowest scores to the highest.
        error: Where the ECE of the whole lies.
        groups: The ECE by group, the lowest accuracy first.
    """

    basis: Basis
    by: tuple[str, ...]
    whole: Calibrations
    bins: tuple[ScoreBin, ...]
    error: Density
    groups: tuple[Calibrations, ...] = ()


def build_reliability(campaign: Campaign, task: Calibration, estimand: str) -> Reliability:
    """The whole, and the groups that the question names."""
    everything = replace(task, by=())
    answer: Calibrated = campaign.answer(everything, estimand)
    # Where bins begin is known to what was estimated, not to the answer.
    belief = campaign.believe(everything)
    assert isinstance(belief, Surface)
    return Reliability(
        Basis.of(campaign, task, answer.errors.estimator, answer.errors.estimand),
        task.by,
        _calibrations(answer, 0),
        _bins(answer, belief.partition.attributes[-1]),
        Density.of(answer.draws[:, 0], 0.0, 1.0),
        _groups(campaign.answer(task, estimand)) if task.by else (),
    )


def _groups(answer: Calibrated) -> tuple[Calibrations, ...]:
    """A group without any score has no calibration error."""
    known = np.flatnonzero(~np.isnan(answer.score))
    order = known[np.argsort(answer.accuracy.mean[known], kind="stable")]
    return tuple(_calibrations(answer, int(group)) for group in order)


def _calibrations(answer: Calibrated, group: int) -> Calibrations:
    return Calibrations(
        group_row(answer.errors, group),
        group_row(answer.accuracy, group),
        float(answer.score[group]),
        float(answer.plain[group]),
    )


def _bins(answer: Calibrated, scores: Attribute) -> tuple[ScoreBin, ...]:
    rows = [group_row(answer.bins, place) for place in range(len(answer.bins))]
    return tuple(
        ScoreBin(
            *_ends(scores.levels.index(row.name), scores.edges),
            row.n_pool,
            row.n_labelled,
            float(answer.bin_score[place]),
            row.mean,
            row.low,
            row.high,
            float(answer.bin_plain[place]),
        )
        for place, row in enumerate(rows)
    )


def _ends(code: int, edges: Sequence[float]) -> tuple[float, float]:
    marks = (0.0, *edges, 1.0)
    return marks[code], marks[code + 1]
