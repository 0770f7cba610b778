"""Questions about a quantity by group: cells, evidence, groups and draws are the quantity's."""

from typing import Any, Protocol

from numpy.random import Generator

from spotheight.evidence import Cut, Source
from spotheight.questions.protocol import AnyEvidence
from spotheight.questions.quantities import Groups, Quantity
from spotheight.types import FloatArray


class _Asks(Protocol):
    @property
    def of(self) -> Quantity:
        """The quantity."""
        ...


class AboutQuantity:
    """What questions about a quantity share."""

    @property
    def cut(self: _Asks) -> Cut:
        return self.of.cut

    def evidence(self: _Asks, source: Source) -> AnyEvidence:
        return self.of.evidence(source)

    def groups(self: _Asks, belief: Any) -> Groups:
        return self.of.groups(belief)

    def draw(self: _Asks, belief: Any, n: int, rng: Generator) -> FloatArray:
        return self.of.draw(belief, n, rng)
