"""Estimation of the surface: how good is the service in every arm?"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy import sparse

from spotheight.arms import Recipe, parse_slice
from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.evidence import Cut, Evidence, Source
from spotheight.numerics.distributions import beta
from spotheight.numerics.regression.design import Sparse
from spotheight.pool.cells import SMALL
from spotheight.questions.quantities import Groups
from spotheight.types import FloatArray


@dataclass(frozen=True)
class Estimate:
    """Estimate the metric in every arm of a partition, weighing arms by their items.

    Args:
        partition: Attributes as in ``init``; empty means the campaign's own.
        service: Whose answers; empty means the campaign's service.
        weigh: What the policy ``gain`` cares for: every arm alike, every item alike, or the overall
            number alone.
        within: A slice, as ``accent=german``: the policy ``gain`` then cares for its arms only, and
            with ``weigh="overall"`` for its number.
    """

    partition: tuple[str, ...] = ()
    service: str = ""
    weigh: Literal["arms", "items", "overall"] = "arms"
    within: str = ""
    plays = 1

    def __post_init__(self) -> None:
        if self.within:
            parse_slice(self.within)

    @property
    def cut(self) -> Cut:
        recipes = tuple(Recipe.parse(text) for text in self.partition)
        return Cut(recipes or None, None, self.service or None)

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(*self.cut)

    def answer(self, belief: Surface, rng: Generator) -> Surface:
        """The surface itself."""
        return belief

    # For policies.

    def groups(self, belief: Surface) -> Groups:
        return Groups.each(belief.partition)

    def draw(self, belief: Surface, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

    def worth(
        self, belief: Surface, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """Share of the arm's items times the drop of its variance (Ji et al. 2021, Table 1)."""
        share = belief.cells.mass / belief.cells.mass.sum()
        return share * beta.foreseen_drop(belief.belief.mean, belief.belief.variance, values, more)

    def expected(self, belief: Surface, rng: Generator) -> FloatArray:
        return self.worth(belief, belief.belief.mean[None])[0]

    def targets(self, surface: Surface) -> Sparse:
        """Arms alike (those of five items or more, if there are any), items alike, or one sum."""
        inside = surface.partition.union(parse_slice(self.within)) if self.within else True
        mass = surface.cells.mass * inside
        if not mass.any():
            raise InputError(f"No item lies in the slice {self.within!r}.")
        if self.weigh == "overall":
            weight = surface.weight * inside
            return sparse.csr_matrix(weight[None, :] / weight.sum())
        if self.weigh == "items":
            return sparse.diags(np.sqrt(mass / mass.sum())).tocsr()
        judged = mass >= min(SMALL, mass.max())
        return sparse.diags(np.sqrt(judged / judged.sum())).tocsr()
