"""Means and deviations of samples that were taken apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar


@dataclass(frozen=True)
class Moments:
    """Of so many values; a single one has no deviation.

    >>> Moments(1, 1.0, None) + Moments(2, 4.0, 2**0.5)  # of 1, 3 and 5
    Moments(count=3, mean=3.0, deviation=2.0)
    """

    count: int
    mean: float
    deviation: float | None

    def __add__(self, other: "Moments") -> "Moments":
        """Of the values of both."""
        count = self.count + other.count
        mean = (self.count * self.mean + other.count * other.mean) / count
        squares = sum(
            (one.count - 1) * (one.deviation or 0.0) ** 2 + one.count * (one.mean - mean) ** 2
            for one in (self, other)
        )
        return Moments(count, mean, (squares / (count - 1)) ** 0.5)


class Joinable(Protocol):
    """A mean that those of other values can be joined with."""

    def joined(self, count: int, other: Self, others: int) -> Self:
        """Over the values of both, ``count`` here and ``others`` there."""
        ...


Mean = TypeVar("Mean", bound=Joinable)


def joined_by_name(
    first: Mapping[str, Mean], count: int, later: Mapping[str, Mean], others: int
) -> dict[str, Mean]:
    """Measure by measure; one that either lacks stays as the other has it."""
    shared = {
        name: one.joined(count, later[name], others) for name, one in first.items() if name in later
    }
    return {**first, **later, **shared}
