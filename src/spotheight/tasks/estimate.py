"""How good is the service in every arm?"""

from dataclasses import dataclass

from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.evidence import Evidence, Source
from spotheight.numerics import beta
from spotheight.space import Recipe
from spotheight.types import FloatArray


@dataclass(frozen=True)
class Estimate:
    """Estimate the metric in every arm of a partition, weighing arms by their items.

    Args:
        partition: Attributes as in ``init``; empty means the campaign's own.
        service: Whose answers; empty means the campaign's service.
    """

    partition: tuple[str, ...] = ()
    service: str = ""

    def evidence(self, source: Source) -> Evidence:
        recipes = tuple(Recipe.parse(text) for text in self.partition) or None
        return source.evidence(recipes, None, self.service or None)

    def answer(self, belief: Surface, rng: Generator) -> Surface:
        """The surface itself."""
        return belief

    def reward(self, surface: Surface, rates: FloatArray) -> FloatArray:
        """Share of the arm's items times the drop of its variance (Ji et al. 2021, Table 1)."""
        a, b = beta.matched(surface.rate.mean, surface.rate.variance)
        share = surface.cells.mass / surface.cells.mass.sum()
        return share * beta.variance_drop(a, b, rates)
