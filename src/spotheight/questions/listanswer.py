"""Answer to a question about ranked lists: services, their gaps, and every list."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from spotheight.beliefs import Reading
from spotheight.beliefs.surface import COMPLETE, ESTIMATED, INSUFFICIENT
from spotheight.errors import InputError
from spotheight.numerics.distributions.intervals import central_interval
from spotheight.questions.basis import Basis
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.words import chance, count, digits_for, interval, listed, percent
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

TIE = 1e-9

TIED = 0.5
"""The probability of a tie from which on it is said to be one."""


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


@dataclass(frozen=True)
class Gap:
    """Gap between two services on the same vetted labels, mean over categories.

    Args:
        first: A system.
        second: Another one.
        difference: First minus second.
        first_above: The probability that the first is better; NaN where there are no draws.
        tie: The probability that they are equal; likewise.
    """

    first: str
    second: str
    difference: Reading
    first_above: float
    tie: float

    @classmethod
    def of(cls, names: tuple[str, str], draws: FloatArray, mean: float, level: float) -> "Gap":
        """From joint draws of both, (draws, 2), and the expected difference."""
        difference = draws[:, 0] - draws[:, 1]
        reading = mean_reading(difference, mean, level)
        if not len(difference):
            return cls(*names, reading, np.nan, np.nan)
        above, tie = np.mean(difference > TIE), np.mean(np.abs(difference) <= TIE)
        return cls(*names, reading, float(above), float(tie))

    def turned(self) -> "Gap":
        """The same with the second system first."""
        seen = self.difference
        ends = replace(seen, mean=-seen.mean, low=-seen.high, high=-seen.low)
        return Gap(self.second, self.first, ends, 1 - self.first_above - self.tie, self.tie)

    def content(self, mean: str = "difference") -> dict[str, Any]:
        """As JSON and CSV have it, ``mean`` being what the difference is called there."""
        return {
            "first": self.first,
            "second": self.second,
            mean: self.difference.mean,
            "low": self.difference.low,
            "high": self.difference.high,
            "first_above": self.first_above,
            "tie": self.tie,
        }

    @property
    def verdict(self) -> str:
        """What to make of it; ties are said aloud."""
        if np.isnan(self.difference.mean):
            return "nothing is vetted that could tell them apart"
        if np.isnan(self.first_above):
            return "there is no interval, so the order is a guess"
        if self.tie > TIED:
            return f"{self.first} and {self.second} are tied (probability {chance(self.tie)})"
        sure = f"{self.first} is above {self.second} with probability {chance(self.first_above)}"
        return sure if self.first_above >= CERTAINTY else f"not decided: {sure} only"

    def __str__(self) -> str:
        """In words; what is as good as undecided is said to be."""
        if np.isnan(self.tie):
            apart = self.difference.mean
            if np.isnan(apart):
                return f"nothing is vetted that could tell {self.first} from {self.second}"
            return f"{self.first} less {self.second} is {apart:+.3f}; how surely cannot be said"
        if self.tie > 0.5:
            return f"{self.first} and {self.second} are tied (probability {self.tie:.2f})"
        below = 1 - self.first_above - self.tie
        better, worse, sure = (
            (self.first, self.second, self.first_above)
            if self.first_above >= below
            else (self.second, self.first, below)
        )
        return f"{better} is above {worse} with probability {sure:.2f}"


@dataclass(frozen=True, eq=False)
class ListAnswer:
    """What is believed of the lists of every service: (services, categories) throughout.

    Args:
        basis: What it rests on.
        metric: What is measured.
        services: Whose lists.
        categories: Of items.
        mean: The expected metric.
        low: The lower ends of the intervals; NaN where there are none.
        high: The upper ends.
        overall: The mean over categories of each service.
        gaps: Every two services against each other.
        positives: The expected number of true items of each category, in the pool.
        knows_positives: Whether these numbers were given, not estimated.
        n_items: Items that each number is read from.
        n_vetted: Vetted ones of these.
        is_enough: Whether the evidence suffices.
        n_listed: Items that the question is about: of all services' lists together.
        n_seen: Vetted ones of these.
        ranks_services: Whether the question is which service is better.
    """

    basis: Basis = field(repr=False)
    metric: str
    services: tuple[str, ...]
    categories: tuple[str, ...] = field(repr=False)
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    overall: tuple[Reading, ...] = field(repr=False)
    gaps: tuple[Gap, ...] = field(repr=False)
    positives: FloatArray = field(repr=False)
    knows_positives: bool
    n_items: IntArray = field(repr=False)
    n_vetted: IntArray = field(repr=False)
    is_enough: BoolArray = field(repr=False)
    n_listed: int
    n_seen: int
    ranks_services: bool = False

    @property
    def order(self) -> list[int]:
        """Services by number, the best first."""
        mean = np.nan_to_num([one.mean for one in self.overall], nan=-1.0)
        return sorted(range(len(self.services)), key=lambda s: -mean[s])

    @property
    def ordered_gaps(self) -> list[Gap]:
        """Every two services, the better one first, the best pairs first."""
        rank = {self.services[place]: spot for spot, place in enumerate(self.order)}
        gaps = [gap if rank[gap.first] < rank[gap.second] else gap.turned() for gap in self.gaps]
        return sorted(gaps, key=lambda gap: (rank[gap.first], rank[gap.second]))

    @cached_property
    def status(self) -> TextArray:
        """How far each number can be relied on, (services, categories)."""
        known = np.where(self.is_enough, ESTIMATED, INSUFFICIENT)
        return np.where(self.n_vetted >= self.n_items, COMPLETE, known).astype(object)

    @cached_property
    def overall_status(self) -> tuple[str, ...]:
        """The same of each service's mean: that of its least known list."""
        order = (INSUFFICIENT, ESTIMATED, COMPLETE)
        return tuple(next(word for word in order if word in row) for row in self.status)

    @property
    def is_about_positives(self) -> bool:
        """Whether the numbers depend on how many true items there are: all but Precision@K."""
        return not self.metric.startswith("precision@")

    def frame(self) -> pa.Table:
        """A row a (service, category)."""
        services, categories = self.mean.shape
        numbers = ("mean", "low", "high", "n_items", "n_vetted", "is_enough")
        return pa.table(
            {
                "service": np.repeat(np.array(self.services, dtype=object), categories),
                "category": np.tile(np.array(self.categories, dtype=object), services),
                **{name: getattr(self, name).ravel() for name in numbers},
                "positives": np.tile(self.positives, services),
            }
        )

    # Rows, as people read them.

    @cached_property
    def rows(self) -> tuple[ServiceLists, ...]:
        """The best service first."""
        return tuple(self._service(place) for place in self.order)

    def _service(self, place: int) -> ServiceLists:
        rows = [self._list(place, k) for k in range(len(self.categories))]
        nothing = [row.n_vetted <= 0 and not self.is_enough[place, k] for k, row in enumerate(rows)]
        shown = [
            replace(row, mean=float("nan")) if is_bare else row
            for row, is_bare in zip(rows, nothing, strict=True)
        ]
        worst_first = sorted(shown, key=lambda row: (np.nan_to_num(row.mean, nan=2.0), row.name))
        return ServiceLists(self._mean(place), tuple(worst_first))

    def _mean(self, place: int) -> ListRow:
        """The mean over a service's lists."""
        mean = self.overall[place]
        return ListRow(
            self.services[place],
            int(self.n_items[place].sum()),
            int(self.n_vetted[place].sum()),
            mean.mean,
            mean.low,
            mean.high,
            float(self.positives.sum()),
            self.overall_status[place],
        )

    def _list(self, place: int, category: int) -> ListRow:
        at = (place, category)
        return ListRow(
            self.categories[category],
            int(self.n_items[at]),
            int(self.n_vetted[at]),
            float(self.mean[at]),
            float(self.low[at]),
            float(self.high[at]),
            float(self.positives[category]),
            str(self.status[at]),
        )

    # Ways out.

    def table(self) -> pa.Table:
        """A row a gap; or a row a service with its mean over categories, then a row a list."""
        if self.ranks_services:
            return pa.Table.from_pylist([gap.content() for gap in self.ordered_gaps])
        content = self.content()
        return pa.Table.from_pylist([*content["services"], *content["categories"]])

    def content(self) -> dict[str, Any]:
        """The order of services and their gaps; or every service and every list."""
        places, categories = range(len(self.services)), range(len(self.categories))
        if self.ranks_services:
            order = [self.services[place] for place in self.order]
            gaps = [gap.content() for gap in self.ordered_gaps]
            return {"metric": self.metric, "order": order, "gaps": gaps}
        return {
            "metric": self.metric,
            "knows_positives": self.knows_positives,
            "services": [self._told(place, None, self._mean(place)) for place in places],
            "categories": [
                self._told(place, self.categories[k], self._list(place, k))
                for place in places
                for k in categories
            ],
        }

    def _told(self, place: int, category: str | None, row: ListRow) -> dict[str, Any]:
        """A row as JSON has it; without the true items where they do not matter."""
        names = ["mean", "low", "high", "n_items", "n_vetted", "positives", "status"]
        if not self.is_about_positives:
            names.remove("positives")
        named = {"service": self.services[place], "category": category}
        return named | {name: getattr(row, name) for name in names}

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds."""
        return {
            "measure": self.metric,
            "knows_positives": self.knows_positives if self.is_about_positives else None,
            "n_items": self.n_listed,
            "n_vetted": self.n_seen,
            "services": self.rows,
            "gaps": [gap.content("mean") for gap in self.ordered_gaps],
        }

    def plain(self) -> str:
        """Whose lists are best, and by how much."""
        first, *rest = [each.overall for each in self.rows]
        categories = len(self.categories)
        over = f"over {count(categories)} categor{'y' if categories == 1 else 'ies'}"
        within = f"{100 * self.basis.level:g}% interval {interval(first.low, first.high)}"
        lead = f"{_number(first)} ({within})"
        if not rest:
            return f"The lists of {first.name} have a mean {self.metric} of about {lead} {over}."
        others = listed([f"{row.name} ({_number(row)})" for row in rest])
        return (
            f"By mean {self.metric} {over}, {first.name} comes first with about {lead}, followed "
            f"by {others}."
        )


def _number(row: ListRow) -> str:
    return percent(row.mean, digits_for(row.low, row.high))


def require_pool(estimand: str) -> None:
    """Raise for numbers about inputs at large, of which lists know nothing."""
    if estimand != "pool":
        raise InputError(
            "Numbers of ranked lists are about the items of the pool; leave --estimand rate away."
        )


def mean_reading(draws: FloatArray, mean: float, level: float) -> Reading:
    """The interval from draws, the mean without their noise."""
    if not len(draws):
        return Reading(float(mean), np.nan, np.nan, level, "pool")
    low, high = central_interval(draws, level)
    return Reading(float(mean), float(low), float(high), level, "pool")
