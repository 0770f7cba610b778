"""Hit rate: the campaign's metric by group."""

from dataclasses import dataclass

from numpy.random import Generator

from spotheight.arms import Recipe
from spotheight.beliefs import Surface
from spotheight.evidence import Cut, Evidence, Source
from spotheight.metrics import Metric
from spotheight.questions.quantities.groups import Groups
from spotheight.questions.quantities.protocol import drawn_quantile
from spotheight.questions.unit import Unit
from spotheight.types import FloatArray


@dataclass(frozen=True)
class HitRate:
    """The campaign's metric, such as the accuracy, in every group.

    Args:
        by: Attributes as in ``init`` that make the groups; empty means the campaign's own.
        service: Whose answers; empty means the campaign's service.
    """

    by: tuple[str, ...] = ()
    service: str = ""
    has_exact_mean = True

    @property
    def cut(self) -> Cut:
        recipes = tuple(Recipe.parse(text) for text in self.by)
        return Cut(recipes or None, None, self.service or None)

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(*self.cut)

    def unit(self, metric: Metric) -> Unit:
        return Unit(str(metric), is_bad_high=metric.is_error)

    def is_bad_high(self, belief: Surface) -> bool:
        return belief.is_error

    def groups(self, belief: Surface) -> Groups:
        return Groups.each(belief.partition)

    def draw(self, belief: Surface, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

    def read(self, belief: Surface, parts: FloatArray, groups: Groups) -> FloatArray:
        return parts if groups.are_arms else groups.mean(parts, belief.weight)

    def mean(self, belief: Surface, groups: Groups, rng: Generator) -> FloatArray:
        # Not the plain frequency, which an arm without labels does not have.
        expected = belief.belief.mean
        return expected if groups.are_arms else groups.mean(expected, belief.weight)

    def quantile(self, belief: Surface, groups: Groups, share: float, rng: Generator) -> FloatArray:
        if not groups.are_arms:
            return drawn_quantile(self, belief, groups, share, rng)
        low, high = belief.belief.interval(abs(2 * share - 1))
        return low if share < 0.5 else high
