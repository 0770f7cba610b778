"""Vetting: noisy labels against vetted ones, and how estimates of lists moved."""

from dataclasses import dataclass


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
