"""A belief about items one by one."""

from dataclasses import dataclass, field

from numpy.random import Generator

from spotheight.evidence import ItemEvidence
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray


@dataclass(frozen=True, eq=False)
class ItemBelief:
    """The chance that each listed item is truly what it is listed for; vetted items have 0 or 1."""

    evidence: ItemEvidence = field(repr=False)
    chance: FloatArray = field(repr=False)

    def draw(self, n: int, rng: Generator) -> FloatArray:
        """True labels, (draws, items)."""
        return (rng.random((n, len(self.chance))) < self.chance).astype(float)

    def positives(self) -> FloatArray:
        """Expected true items of each category's list."""
        return sum_by(self.evidence.category, self.chance, len(self.evidence.categories))
