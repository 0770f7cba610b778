"""Ranked lists as the report shows them: services, gaps and categories."""

from dataclasses import dataclass

import numpy as np

from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.questions import ListAnswer, ListTask, Task, lists_of
from spotheight.questions.lists import Gap
from spotheight.registry import describe
from spotheight.report.basis import Basis, question_of


@dataclass(frozen=True, slots=True)
class ListRow:
    """One list, or the mean over a service's lists.

    Args:
        name: Of the category, or of the service.
        n_items: Items that the number is read from.
        n_vetted: Vetted ones of these.
        positives: True items in the pool, expected or known.
        status: How far it can be relied on.
    """

    name: str
    n_items: int
    n_vetted: int
    mean: float
    low: float
    high: float
    positives: float
    status: str


@dataclass(frozen=True, slots=True)
class ServiceLists:
    """What is believed of a service's lists: their mean, and each of them, the worst first."""

    overall: ListRow
    categories: tuple[ListRow, ...]


@dataclass(frozen=True, slots=True)
class GapRow:
    """Two services against each other, the better one first.

    Args:
        mean: By how much the first is better, on average over categories.
        first_above: The probability that it is; unknown where there is no interval.
        tie: The probability that both are equal.
    """

    first: str
    second: str
    mean: float
    low: float
    high: float
    first_above: float
    tie: float


@dataclass(frozen=True, slots=True)
class ListTable:
    """The lists of all services, the best service first.

    Args:
        basis: What the numbers rest on.
        measure: Such as precision@48.
        knows_positives: Whether the number of true items was given, not estimated; ``None`` where
            numbers do not depend on it.
        n_items: Items that the question is about: of all services' lists together.
        n_vetted: Vetted ones of these.
        services: The best first.
        gaps: Every two services, the best pairs first.
    """

    basis: Basis
    measure: str
    knows_positives: bool | None
    n_items: int
    n_vetted: int
    services: tuple[ServiceLists, ...]
    gaps: tuple[GapRow, ...]


@dataclass(frozen=True, slots=True)
class NoisyRow:
    """One thing that noisy labels are good or bad for.

    Args:
        source: The column of the noisy labels.
        kind: ``yes``: how often a noisy yes is true; ``no``: how often a noisy no is true;
            ``true``: how often a true item has a noisy yes; ``false``: how often a false one has.
        vetted: How many vetted items of this kind there are.
        counted: The share among them, as it was counted.
        mean: The share among all listed items, by the estimator.
    """

    source: str
    kind: str
    vetted: float
    counted: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ListMoment:
    """The mean of a service's lists as it stood when so many items were vetted.

    Args:
        n_vetted: Of the listed items.
        share: Of the listed items that were vetted.
        mean: By the campaign's estimator.
        naive: If every noisy label that is not vetted were true.
    """

    n_vetted: int
    share: float
    mean: float
    low: float
    high: float
    naive: float


@dataclass(frozen=True, slots=True)
class Vetting:
    """What vetting has shown.

    Args:
        noisy: Noisy labels against vetted ones.
        past: The moments of each service by its name, from nothing vetted to today.
    """

    noisy: tuple[NoisyRow, ...]
    past: dict[str, tuple[ListMoment, ...]]


def build_lists(campaign: Campaign, task: Task, estimand: str) -> ListTable:
    """The answer to a question about ranked lists."""
    require_pool(estimand)
    inner = lists_of(task)
    assert inner is not None
    answer: ListAnswer = campaign.answer(task)
    evidence = listed_items(campaign, inner)
    by = describe(campaign.spec.item_estimator)
    return ListTable(
        Basis(question_of(task), by, "pool", answer.level),
        answer.metric,
        answer.knows_positives if answer.is_about_positives else None,
        len(evidence),
        int(evidence.is_vetted.sum()),
        tuple(_service(answer, place) for place in answer.order),
        tuple(map(_gap_row, answer.ordered_gaps)),
    )


def require_pool(estimand: str) -> None:
    """Raise for numbers about inputs at large, of which lists know nothing."""
    if estimand != "pool":
        raise InputError(
            "Numbers of ranked lists are about the items of the pool; leave --estimand rate away."
        )


def listed_items(campaign: Campaign, task: ListTask) -> ItemEvidence | SceneEvidence:
    """The items that a question about lists looks at."""
    evidence = task.evidence(campaign.records())
    assert isinstance(evidence, (ItemEvidence, SceneEvidence))
    return evidence


def _service(answer: ListAnswer, place: int) -> ServiceLists:
    mean = answer.overall[place]
    rows = [_category(answer, place, k) for k in range(len(answer.categories))]
    overall = ListRow(
        answer.services[place],
        sum(row.n_items for row in rows),
        sum(row.n_vetted for row in rows),
        mean.mean,
        mean.low,
        mean.high,
        float(answer.positives.sum()),
        answer.overall_status[place],
    )
    worst_first = sorted(rows, key=lambda row: (np.nan_to_num(row.mean, nan=2.0), row.name))
    return ServiceLists(overall, tuple(worst_first))


def _category(answer: ListAnswer, place: int, category: int) -> ListRow:
    at = (place, category)
    items, vetted = int(answer.n_items[at]), int(answer.n_vetted[at])
    is_known = vetted > 0 or answer.is_enough[at]
    return ListRow(
        answer.categories[category],
        items,
        vetted,
        float(answer.mean[at]) if is_known else float("nan"),
        float(answer.low[at]),
        float(answer.high[at]),
        float(answer.positives[category]),
        str(answer.status[at]),
    )


def _gap_row(gap: Gap) -> GapRow:
    between = gap.difference
    has_draws = not np.isnan(between.low)
    chances = (gap.first_above, gap.tie) if has_draws else (float("nan"), float("nan"))
    return GapRow(gap.first, gap.second, between.mean, between.low, between.high, *chances)
