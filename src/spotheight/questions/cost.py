"""What do mistakes cost?"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.arms import PREDICTION
from spotheight.beliefs import DirichletBelief, Reading
from spotheight.evidence import ClassEvidence, Cut, Source
from spotheight.numerics.distributions import dirichlet
from spotheight.questions.quantities import Costs, ExpectedCost, Groups
from spotheight.questions.values import DRAWS, GroupValues, draw_blocks, draws_for, require_level
from spotheight.types import FloatArray


@dataclass(frozen=True, eq=False)
class Costed:
    """The expected cost of an answer, in every group and overall."""

    values: GroupValues
    overall: Reading


@dataclass(frozen=True)
class Cost:
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

    @property
    def cut(self) -> Cut:
        return self.of.cut

    def evidence(self, source: Source) -> ClassEvidence:
        return self.of.evidence(source)

    def answer(self, belief: DirichletBelief, rng: Generator) -> Costed:
        of, groups = self.of, self.groups(belief)
        everything = Groups.one(np.ones(belief.cells.arms, dtype=bool), "all items")
        costs = self._draw_costs(belief, rng)
        by_group, over_all = (each.mean(costs, belief.weight) for each in (groups, everything))
        values = GroupValues.of(belief, groups, by_group, self.level)
        exact = of.mean(belief, groups, rng)
        whole = GroupValues.of(belief, everything, over_all, self.level)
        exact_whole = of.mean(belief, everything, rng)
        return Costed(values.with_means(exact), whole.with_means(exact_whole).reading(0))

    def _draw_costs(self, belief: DirichletBelief, rng: Generator) -> FloatArray:
        """Joint draws of every arm's cost, (draws, arms); fewer where classes are very many."""
        costs, n = self.of.by_arm(belief.partition, belief.outcomes), draws_for(belief)
        if n < DRAWS:
            return belief.draw_along(costs, n, rng)
        blocks = draw_blocks(self.of, belief, rng)
        return np.concatenate([np.einsum("dao,ao->da", parts, costs) for parts in blocks])

    def groups(self, belief: DirichletBelief) -> Groups:
        return self.of.groups(belief)

    def draw(self, belief: DirichletBelief, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

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
