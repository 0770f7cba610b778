"""What mistakes cost, as the report shows it."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import Reading
from spotheight.campaign import Campaign
from spotheight.questions import Cost, Costed
from spotheight.report.basis import Basis
from spotheight.report.rows import GroupRow, group_rows


@dataclass(frozen=True, slots=True)
class Expense:
    """The expected cost of an answer.

    Args:
        by: What makes the groups.
        overall: Over all items.
        rows: By group, the most costly first.
    """

    basis: Basis
    by: tuple[str, ...]
    overall: Reading
    rows: tuple[GroupRow, ...]


def build_expense(campaign: Campaign, task: Cost, estimand: str) -> Expense:
    """The cost of the whole and of each group."""
    answer: Costed = campaign.answer(task, estimand)
    order = np.argsort(-answer.values.mean, kind="stable")
    return Expense(
        Basis.of(campaign, task, answer.values.estimator, answer.values.estimand),
        task.by,
        answer.overall,
        group_rows(answer.values, map(int, order)),
    )
