"""In which order are the groups?"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng
from scipy import sparse

from spotheight.beliefs import Surface
from spotheight.evidence import Cut, Source
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.identify import untied
from spotheight.questions.protocol import AnyEvidence
from spotheight.questions.quantities import ArmBelief, Groups, HitRate, Quantity
from spotheight.questions.values import GroupValues, Kept, require_level, value_blocks
from spotheight.types import FloatArray, IntArray

FEW = 256
"""Draws that tell a variance within a tenth, for policies."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """Groups with credible ranks, 1 for the best.

    Args:
        mean: The expected rank of each group.
        low: The lower end of its interval.
        high: The upper end.
        first: The probability that it is the best.
        last: The probability that it is the worst.
        values: What is believed of every group.
    """

    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    first: FloatArray = field(repr=False)
    last: FloatArray = field(repr=False)
    values: GroupValues

    @property
    def order(self) -> IntArray:
        """Groups by number, the best first."""
        return np.argsort(self.mean, kind="stable")

    def frame(self) -> pa.Table:
        """A row a group, the best first."""
        table = self.values.frame()
        ranks = {"rank": self.mean, "rank_low": self.low, "rank_high": self.high}
        chances = {"best": self.first, "worst": self.last}
        for name, numbers in (ranks | chances).items():
            table = table.append_column(name, pa.array(numbers))
        return table.take(self.order)


@dataclass(frozen=True)
class Rank:
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

    @property
    def cut(self) -> Cut:
        return self.of.cut

    def evidence(self, source: Source) -> AnyEvidence:
        return self.of.evidence(source)

    def answer(self, belief: ArmBelief, rng: Generator) -> Ranked:
        groups, kept, ranks = self.of.groups(belief), Kept(), Kept()
        for values in value_blocks(self.of, belief, groups, rng):
            kept.add(values)
            badness = values if self.of.is_bad_high(belief) else -values
            ranks.add(_ranks(untied(badness, rng)))
        rank = ranks.draws
        low, high = attained_interval(rank, self.level)
        found = GroupValues.of(belief, groups, kept.draws, self.level)
        if self.of.has_exact_mean:
            found = found.with_means(self.of.mean(belief, groups, rng))
        first, last = (rank == 1).mean(axis=0), (rank == len(groups)).mean(axis=0)
        return Ranked(rank.mean(axis=0), low, high, first, last, found)

    # For policies.

    def groups(self, belief: ArmBelief) -> Groups:
        return self.of.groups(belief)

    def draw(self, belief: ArmBelief, n: int, rng: Generator) -> FloatArray:
        return self.of.draw(belief, n, rng)

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
