"""The numbers of a report, frozen; they are drawn elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass

from spotheight.beliefs.reading import Reading


@dataclass(frozen=True, slots=True)
class ArmRow:
    """One arm, or one level of an attribute, as the report shows it."""

    name: str
    levels: tuple[str, ...]
    n_pool: float
    n_labelled: float
    mean: float
    low: float
    high: float
    status: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The surface over two attributes; ``cells`` maps (row level, column level) to its reading."""

    rows: str
    columns: str
    row_levels: tuple[str, ...]
    column_levels: tuple[str, ...]
    cells: Mapping[tuple[str, str], ArmRow]


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The overall number as it stood after so many labels."""

    labels: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """One service's overall number, its silences, and its paired lead over the first service."""

    name: str
    overall: Reading
    empty_answers: int
    lead: Reading | None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a report shows."""

    title: str
    service: str
    metric: str
    estimand: str
    estimator: str
    policy: str
    level: float
    n_pool: int
    n_labelled: int
    n_arms: int
    overall: Reading
    quantiles: tuple[tuple[float, float], ...]
    arms: tuple[ArmRow, ...]
    worst: tuple[ArmRow, ...]
    lacking: tuple[ArmRow, ...]
    arms_without_labels: int
    items_in_arms_without_labels: float
    margins: Mapping[str, tuple[ArmRow, ...]]
    heat_maps: tuple[HeatMap, ...]
    history: tuple[HistoryPoint, ...]
    services: tuple[ServiceRow, ...]
    notes: tuple[str, ...]
    provenance: Mapping[str, str]
