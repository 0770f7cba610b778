"""Ranking with credible ranks: in which order are the groups?"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng
from scipy import sparse

from spotheight.arms import PREDICTION
from spotheight.beliefs import Surface
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.about import AboutQuantity
from spotheight.questions.basis import Basis
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.identify import untied
from spotheight.questions.quantities import ArmBelief, HitRate, Quantity
from spotheight.questions.values import (
    GroupRow,
    GroupValues,
    Kept,
    require_level,
    value_blocks,
)
from spotheight.questions.words import chance
from spotheight.types import FloatArray, IntArray

FEW = 256
"""Draws that tell a variance within a tenth, for policies."""


@dataclass(frozen=True, slots=True)
class RankRow:
    """One group's place among all, 1 for the best.

    Args:
        group: What is believed of it.
        mean: Its expected rank.
        low: The lower end of its interval.
        high: The upper end.
        first: The probability that it is the best.
        last: The probability that it is the worst.
    """

    group: GroupRow
    mean: float
    low: float
    high: float
    first: float
    last: float


@dataclass(frozen=True, eq=False)
class Ranked:
    """Groups with credible ranks, 1 for the best.

    Args:
        basis: What it rests on.
        mean: The expected rank of each group.
        low: The lower end of its interval.
        high: The upper end.
        first: The probability that it is the best.
        last: The probability that it is the worst.
        values: What is believed of every group.
        noun: What a group is called: ``arm``, ``level of accent``, ``group``.
    """

    basis: Basis = field(repr=False)
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    first: FloatArray = field(repr=False)
    last: FloatArray = field(repr=False)
    values: GroupValues
    noun: str = "group"

    @property
    def order(self) -> IntArray:
        """Groups by number, the best first."""
        return np.argsort(self.mean, kind="stable")

    @cached_property
    def rows(self) -> tuple[RankRow, ...]:
        """The best first, by their expected ranks."""
        columns = (self.mean, self.low, self.high, self.first, self.last)
        return tuple(
            RankRow(self.values.row(k), *(float(column[k]) for column in columns))
            for k in self.order.tolist()
        )

    def frame(self) -> pa.Table:
        """A row a group, the best first."""
        table = self.values.frame()
        ranks = {"rank": self.mean, "rank_low": self.low, "rank_high": self.high}
        chances = {"best": self.first, "worst": self.last}
        for name, numbers in (ranks | chances).items():
            table = table.append_column(name, pa.array(numbers))
        return table.take(self.order)

    def content(self) -> dict[str, Any]:
        """All groups, the best first."""
        return {"groups": self.frame().to_pylist()}

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds."""
        return {"measure": self.basis.unit, "noun": self.noun, "rows": self.rows}

    def plain(self) -> str:
        """Who is the worst and who the best, and how sure that is."""
        if len(self.rows) == 1:
            return f"There is nothing to rank: {self.rows[0].group.name} stands alone."
        worst = max(self.rows, key=lambda row: row.last)
        best = max(self.rows, key=lambda row: row.first)
        ends = (("worst", worst, worst.last), ("best", best, best.first))
        return " ".join(_end(end, row.group.name, sure) for end, row, sure in ends)


def _end(end: str, name: str, probability: float) -> str:
    """Who is at an end of a ranking; nobody where that is not sure enough."""
    if probability >= CERTAINTY:
        return f"{name} is the {end} with probability {chance(probability)}."
    return f"The {end} is not decided: {name} is it with probability {chance(probability)} only."


def _noun(of: Quantity) -> str:
    """What a group is called."""
    if attribute := getattr(of, "attribute", ""):
        return f"level of {attribute}"
    by = getattr(of, "by", ())
    if by == (PREDICTION,):
        return "predicted class"
    return "group" if by or not isinstance(of, HitRate) else "arm"


@dataclass(frozen=True)
class Rank(AboutQuantity):
    """Rank groups by a quantity, with credible ranks and the chances of being first or last.

    Args:
        of: The quantity; the campaign's metric in its own arms by default.
        level: Of the intervals.
    """

    of: Quantity = field(default_factory=HitRate)
    level: float = 0.9
    plays = 1

    def __post_init__(self) -> None:
        require_level(self.level)

    def answer(self, belief: ArmBelief, rng: Generator) -> Ranked:
        groups, kept, ranks = self.of.groups(belief), Kept(), Kept()
        for values in value_blocks(self.of, belief, groups, rng):
            kept.add(values)
            badness = values if self.of.is_bad_high(belief) else -values
            ranks.add(_ranks(untied(badness, rng)))
        rank = ranks.draws
        low, high = attained_interval(rank, self.level)
        found = GroupValues.read(self.of, belief, groups, kept.draws, self.level, rng)
        first, last = (rank == 1).mean(axis=0), (rank == len(groups)).mean(axis=0)
        ranks_of = (rank.mean(axis=0), low, high, first, last)
        return Ranked(Basis.of(self, belief), *ranks_of, found, _noun(self.of))

    # For policies.

    def worth(
        self, belief: ArmBelief, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """The drop of each group's variance, as if it were that of a mean over its labels."""
        groups = self.groups(belief)
        labels = groups.total(belief.labelled) + 1
        plausible = values if len(values) >= FEW else self.draw(belief, FEW, default_rng(0))
        spread = self.of.read(belief, plausible, groups).var(axis=0)
        drop = spread * labels / ((labels + more) * (labels + more + 1))
        return np.broadcast_to(drop, (len(values), len(groups)))

    def expected(self, belief: ArmBelief, rng: Generator) -> FloatArray:
        return self.worth(belief, self.draw(belief, FEW, rng))[0]

    def targets(self, surface: Surface) -> Sparse:
        """Every arm alike."""
        return sparse.identity(surface.cells.arms, format="csr")


def _ranks(badness: FloatArray) -> FloatArray:
    """From 1 for the lowest of each row."""
    ranks = np.empty(badness.shape)
    order = np.argsort(badness, axis=1)
    np.put_along_axis(ranks, order, np.arange(1.0, badness.shape[1] + 1)[None], 1)
    return ranks
