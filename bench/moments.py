"""Means and deviations of samples that were taken apart."""

from dataclasses import dataclass


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
