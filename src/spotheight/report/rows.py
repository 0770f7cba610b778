"""Groups of items by name, with what is believed of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from spotheight.arms import MISSING, PREDICTION
from spotheight.questions import GroupValues
from spotheight.questions.quantities import Groups

SILENT = "(no answer)"
"""What the items are called on which a service said nothing."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """What is believed of one group."""

    name: str
    n_pool: float
    n_labelled: float
    mean: float
    low: float
    high: float


def group_row(values: GroupValues, group: int) -> GroupRow:
    """One group by its name."""
    numbers = (values.n_pool, values.n_labelled, values.mean, values.low, values.high)
    return GroupRow(group_name(values.groups, group), *(float(number[group]) for number in numbers))


def group_rows(values: GroupValues, order: Iterable[int] | None = None) -> tuple[GroupRow, ...]:
    """Groups in an order, by default their own."""
    chosen = range(len(values)) if order is None else order
    return tuple(group_row(values, int(group)) for group in chosen)


def group_name(groups: Groups, group: int) -> str:
    """What a group is called; where groups are predicted classes, the class alone."""
    arms = groups.partition
    if arms is None or PREDICTION not in [attribute.name for attribute in arms.attributes]:
        return groups.name(group)
    if len(arms.attributes) == 1:
        return answer_name(arms.levels(group)[0])
    return groups.name(group).replace(f"{PREDICTION}=", "answer=")


def answer_name(answer: str) -> str:
    """An answer, or that there is none."""
    return SILENT if answer == MISSING else answer
