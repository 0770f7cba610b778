"""A question."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.evidence import Cut, Evidence, Source
from spotheight.questions import Basis


@dataclass(frozen=True, eq=False)
class Gap:
    """How far the best arm is ahead of the worst.

    Args:
        basis: What it rests on; the campaign completes it.
        mean: What is expected.
        low: The lower end of the interval.
        high: The upper end.
    """

    basis: Basis = field(repr=False)
    mean: float
    low: float
    high: float

    def frame(self) -> pa.Table:
        """One row."""
        return pa.table({"mean": [self.mean], "low": [self.low], "high": [self.high]})

    def content(self) -> dict[str, float]:
        """As JSON has it."""
        return {"mean": self.mean, "low": self.low, "high": self.high}

    def plain(self) -> str:
        """In words."""
        return f"The best arm is {self.mean:.1%} ahead of the worst."


@dataclass(frozen=True)
class Spread:
    """How far is the best arm ahead of the worst?

    Args:
        level: Of the interval.
        draws: How many joint draws it is read from.
    """

    level: float = 0.9
    draws: int = 500

    @property
    def cut(self) -> Cut:
        return Cut(None, None, None)

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(*self.cut)

    def answer(self, belief: Surface, rng: Generator) -> Gap:
        drawn = belief.draw(self.draws, rng)
        gap = drawn.max(axis=1) - drawn.min(axis=1)
        low, high = np.quantile(gap, [(1 - self.level) / 2, (1 + self.level) / 2])
        return Gap(Basis.of(self, belief), float(gap.mean()), float(low), float(high))
