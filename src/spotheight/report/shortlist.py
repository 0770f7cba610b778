"""Which groups are probably the worst, as the report shows it."""

from dataclasses import dataclass

import numpy as np

from spotheight.campaign import Campaign
from spotheight.questions import Identified, Identify
from spotheight.report.basis import Basis, Measure, measure_of
from spotheight.report.rows import GroupRow, group_row
from spotheight.types import IntArray

MOST_LISTED, FEWEST_LISTED = 20, 5
"""Groups; further down each is in the set by a small chance."""

LIKELY = 0.005
"""A lower chance is not worth a row."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group, and the probability that it is in the set looked for."""

    group: GroupRow
    probability: float


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The groups that are most probably the worst, or the best.

    Args:
        measure: What they are judged by.
        wanted: How many are looked for.
        is_best: Whether the best are looked for instead of the worst.
        chosen: The most probable set by name.
        candidates: The most probable first; of very many the first ones.
        n_groups: How many there are.
    """

    basis: Basis
    measure: Measure
    wanted: int
    is_best: bool
    chosen: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    n_groups: int


def build_shortlist(campaign: Campaign, task: Identify, estimand: str) -> Shortlist:
    """The groups that the question looks for."""
    answer: Identified = campaign.answer(task, estimand)
    listed = tuple(
        Candidate(group_row(answer.values, int(group)), float(answer.probability[group]))
        for group in _listed(answer)
    )
    return Shortlist(
        Basis.of(campaign, task, answer.values.estimator, answer.values.estimand),
        measure_of(campaign, task.of),
        len(answer.arms),
        task.best > 0,
        tuple(each.group.name for each in listed[: len(answer.arms)]),
        listed,
        len(answer.values),
    )


def _listed(answer: Identified) -> IntArray:
    """The most probable groups first, as many as are worth a row."""
    order = np.argsort(-answer.probability, kind="stable")
    likely = int((answer.probability >= LIKELY).sum())
    rows = min(max(likely, FEWEST_LISTED), MOST_LISTED)
    return order[: max(rows, len(answer.arms))]
