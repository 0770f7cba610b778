"""Reading: one number read off a belief, with its interval."""

from dataclasses import dataclass
from typing import Literal

from spotheight.errors import InputError
from spotheight.numerics.distributions.intervals import central_interval
from spotheight.types import FloatArray

Estimand = Literal["pool", "rate"]
"""These items, of which the labelled ones are known; or the service on such inputs."""


def read_estimand(text: str) -> Estimand:
    """An estimand by its name."""
    if text == "pool":
        return "pool"
    if text == "rate":
        return "rate"
    raise InputError(f"The estimand is 'pool' or 'rate', not {text!r}.")


@dataclass(frozen=True, slots=True)
class Reading:
    """A mean with an interval that holds ``level`` of the belief, and which estimand it is.

    ``covered`` is the share of the population that the number speaks for: below one only where
    another population has combinations that this pool does not have.
    """

    mean: float
    low: float
    high: float
    level: float
    estimand: str
    n_pool: float = float("nan")
    n_labelled: float = float("nan")
    covered: float = 1.0

    @classmethod
    def of(
        cls,
        draws: FloatArray,
        level: float,
        estimand: str,
        sizes: tuple[float, float] | None = None,
    ) -> "Reading":
        """Summarise draws of one number; ``sizes`` are the items in the pool and those labelled."""
        low, high = central_interval(draws, level)
        n_pool, n_labelled = sizes or (float("nan"), float("nan"))
        return cls(
            float(draws.mean()), float(low), float(high), level, estimand, n_pool, n_labelled
        )

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.level:.0%} interval {self.low:.3f} to {self.high:.3f})"
