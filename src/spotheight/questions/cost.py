"""Expected cost of an answer: what do mistakes cost?"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from spotheight.arms import PREDICTION
from spotheight.beliefs import DirichletBelief, Reading
from spotheight.metrics import Metric
from spotheight.numerics.distributions import dirichlet
from spotheight.questions.about import AboutQuantity
from spotheight.questions.basis import Basis
from spotheight.questions.quantities import Costs, ExpectedCost, Groups
from spotheight.questions.unit import Unit
from spotheight.questions.values import (
    DRAWS,
    GroupRow,
    GroupValues,
    draw_blocks,
    draws_for,
    require_level,
)
from spotheight.questions.words import costs_like
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Costed:
    """The expected cost of an answer, in every group and overall."""

    basis: Basis = field(repr=False)
    values: GroupValues
    overall: Reading

    @property
    def by(self) -> tuple[str, ...]:
        """What makes the groups."""
        by: tuple[str, ...] = self.basis.question.by
        return by

    @property
    def order(self) -> IntArray:
        """Groups by number, the most costly first."""
        return np.argsort(-self.values.mean, kind="stable")

    @cached_property
    def rows(self) -> tuple[GroupRow, ...]:
        """Groups, the most costly first."""
        return tuple(self.values.row(group) for group in self.order.tolist())

    def frame(self) -> pa.Table:
        """A row a group."""
        return self.values.frame()

    def content(self) -> dict[str, Any]:
        """The whole and each group."""
        shown = ("n_pool", "n_labelled", "mean", "low", "high")
        overall = {name: getattr(self.overall, name) for name in shown}
        return {"overall": overall, "groups": self.frame().to_pylist()}

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds."""
        return {"by": self.by, "overall": self.overall, "rows": self.rows}

    def plain(self) -> str:
        """What an answer costs."""
        whole, worst = self.overall, self.rows[0]
        write = costs_like([whole.high, worst.high])
        mean, low, high = map(write, (whole.mean, whole.low, whole.high))
        most = f"{write(worst.mean)} ({write(worst.low)} to {write(worst.high)})"
        return (
            f"An answer costs {mean} on average ({low} to {high}), and most for {worst.name}: "
            f"{most}."
        )


@dataclass(frozen=True)
class Cost(AboutQuantity):
    """Estimate the expected cost of an answer, by predicted class or any other attributes.

    Args:
        costs: What each answer costs for each true class.
        by: Attributes as in ``init`` that make the groups.
        service: Whose answers; empty means the campaign's service.
        level: Of the intervals.
    """

    costs: Costs
    by: tuple[str, ...] = (PREDICTION,)
    service: str = ""
    level: float = 0.9
    plays = 1

    def __post_init__(self) -> None:
        require_level(self.level)

    @property
    def of(self) -> ExpectedCost:
        """The quantity."""
        return ExpectedCost(self.costs, self.by, self.service)

    def unit(self, metric: Metric) -> Unit:
        """An expected cost, which says here what it is the cost of."""
        return replace(self.of.unit(metric), short="expected cost of an answer")

    def answer(self, belief: DirichletBelief, rng: Generator) -> Costed:
        of, groups = self.of, self.groups(belief)
        everything = Groups.whole(belief.cells.arms)
        costs = self._draw_costs(belief, rng)
        values, whole = (
            GroupValues.read(of, belief, each, each.mean(costs, belief.weight), self.level, rng)
            for each in (groups, everything)
        )
        return Costed(Basis.of(self, belief), values, whole.reading(0))

    def _draw_costs(self, belief: DirichletBelief, rng: Generator) -> FloatArray:
        """Joint draws of every arm's cost, (draws, arms); fewer where classes are very many."""
        costs, n = self.of.by_arm(belief.partition, belief.outcomes), draws_for(belief)
        if n < DRAWS:
            return belief.draw_along(costs, n, rng)
        blocks = draw_blocks(self.of, belief, rng)
        return np.concatenate([np.einsum("dao,ao->da", parts, costs) for parts in blocks])

    def worth(
        self, belief: DirichletBelief, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """Share of the group's items times the drop of its cost's variance.

        A label falls on an arm of its group by that arm's share of it, and the group's cost has the
        arm's by that share, so its variance by the square.
        """
        groups = self.groups(belief)
        held = groups.total(belief.weight)
        inside = belief.weight / held[groups.group]
        added = np.broadcast_to(more, len(groups))[groups.group] * inside
        costs = self.of.by_arm(belief.partition, belief.outcomes)
        drop = dirichlet.variance_drop_along(belief.foreseen(added), costs, values)
        return held / held.sum() * groups.total(inside**3 * drop)

    def expected(self, belief: DirichletBelief, rng: Generator) -> FloatArray:
        return self.worth(belief, belief.mean[None])[0]
