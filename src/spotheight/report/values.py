"""Report values: all its numbers and answers, frozen; they are drawn elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from spotheight.beliefs.reading import Reading
from spotheight.beliefs.shares import VarianceShares
from spotheight.guesses import Trust
from spotheight.questions import Answer
from spotheight.questions.calibration import Calibrated
from spotheight.questions.confusion import ConfusionMatrix
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.rank import Ranked
from spotheight.report.answers import Unanswered

Row = TypeVar("Row")


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
    """One service's overall number, its silences, and its paired lead over the first service.

    The first service has no lead; nor have others where labels and metric leave nothing to pair.
    Where there is a lead, the overall number is read from the same pairs; otherwise from a surface.

    Args:
        ahead: The probability that the lead is above zero.
        behind: The probability that it is below.
    """

    name: str
    overall: Reading
    empty_answers: int
    lead: Reading | None
    ahead: float = float("nan")
    behind: float = float("nan")


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


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a report shows.

    Args:
        quantiles: Pairs of a share of the arms and the value that this share does not exceed:
            taken over the arms of each joint draw, then averaged over draws.
        arms: Sorted by mean, those without an estimate last; of very many, an even selection.
        worst: The arms with the worst means, the worst first.
        lacking: The largest arms with insufficient evidence.
        heat_maps: The most telling pair of attributes first.
        n_lacking: How many arms have insufficient evidence.
        estimator_words: What the estimator does, in a sentence.
        policy_words: What the policy does, in a sentence.
        is_better_high: Whether a high number is good news, as it is for all but error rates.
        has_differences: Whether an arm or a level surely differs from the overall number; none
            where that cannot be told.
        shares: How much of the variance between arms goes with each attribute; none where that
            cannot be said.
        trust: How far guessed attributes can be believed.
        calibration: How far scores are from accuracies, where scores are probabilities.
        confusion: What is mistaken for what, where labels are classes.
        ranking: The order of arms, or of the levels of the most telling attribute.
        lists: The ranked lists of all services, where the campaign is about these; there is no
            surface then, and nothing that is read off one.
        vetting: What vetting has shown of noisy labels, and how estimates moved.
        answers: To the campaign's own question, and to those that were asked for this report.
    """

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
    n_lacking: int = 0
    estimator_words: str = ""
    policy_words: str = ""
    is_better_high: bool = True
    has_differences: bool | None = None
    shares: VarianceShares | None = None
    trust: tuple[Trust, ...] = ()
    calibration: Calibrated | None = None
    confusion: ConfusionMatrix | None = None
    ranking: Ranked | None = None
    answers: tuple[Answer | Unanswered, ...] = ()
    lists: ListAnswer | None = None
    vetting: Vetting | None = None

    def __repr__(self) -> str:
        return (
            f"<Report {self.title!r}: {self.metric} of {self.service}, {self.estimand}, "
            f"{self.n_labelled:,} of {self.n_pool:,} items labelled, {self.n_arms:,} arms, "
            f"overall {self.overall}>"
        )


def thinned(rows: Sequence[Row], most: int) -> Sequence[Row]:
    """At most ``most`` rows, evenly spaced, both ends kept.

    >>> thinned("abcdefg", 3)
    ['a', 'd', 'g']
    """
    if len(rows) <= most:
        return rows
    return [rows[round(k * (len(rows) - 1) / (most - 1))] for k in range(most)]
