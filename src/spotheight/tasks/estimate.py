"""How good is the service in every arm?"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.evidence import Evidence, Source
from spotheight.numerics import beta
from spotheight.numerics.design import Sparse
from spotheight.pool.cells import SMALL
from spotheight.space import Recipe, parse_slice
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

    def __post_init__(self) -> None:
        if self.within:
            parse_slice(self.within)

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(self.recipes, None, self.service or None)

    @property
    def recipes(self) -> tuple[Recipe, ...] | None:
        """How its own arms are cut, or ``None`` for the campaign's."""
        return tuple(Recipe.parse(text) for text in self.partition) or None

    def answer(self, belief: Surface, rng: Generator) -> Surface:
        """The surface itself."""
        return belief

    def reward(
        self, surface: Surface, rates: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """Share of the arm's items times the drop of its variance (Ji et al. 2021, Table 1)."""
        a, b = beta.matched(surface.rate.mean, surface.rate.variance)
        centre = beta.mean(a, b)
        a, b = a + more * centre, b + more * (1 - centre)
        share = surface.cells.mass / surface.cells.mass.sum()
        return share * beta.variance_drop(a, b, rates)

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
