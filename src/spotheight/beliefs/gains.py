"""Value of a label under a surface: the expected drop of a loss, cell by cell."""

from dataclasses import dataclass, field

import numpy as np

from spotheight.beliefs.protocols import Gains
from spotheight.beliefs.surface import Surface
from spotheight.numerics.distributions import beta
from spotheight.numerics.regression.design import Sparse
from spotheight.types import FloatArray, IntArray


def gains_of(surface: Surface, targets: Sparse) -> Gains:
    """Gains by the model behind a surface; without one that joins arms each is on its own."""
    if surface.foresight is None:
        return IndependentGains.of(surface, targets)
    return surface.foresight.gains(targets)


def doubts(surface: Surface, targets: Sparse) -> FloatArray:
    """The deviation of one item's outcome in each cell, by the model behind a surface."""
    if surface.foresight is None:
        chance = surface.rate.mean[surface.cells.arm]
        return np.sqrt(chance * (1 - chance))
    return surface.foresight.doubts(targets)


@dataclass(eq=False)
class IndependentGains:
    """Arms that teach nothing about each other: a label helps its own arm only."""

    arm: IntArray = field(repr=False)
    worth: FloatArray = field(repr=False)
    a: FloatArray = field(repr=False)
    b: FloatArray = field(repr=False)
    size: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)

    @classmethod
    def of(cls, surface: Surface, targets: Sparse) -> "IndependentGains":
        """From the rate of each arm, taken for a Beta."""
        a, b = beta.matched(surface.rate.mean, surface.rate.variance)
        mass = np.maximum(surface.cells.mass, 1e-9)
        rest = np.maximum(mass - surface.labelled, 0.0)
        worth = np.asarray(targets.multiply(targets).sum(axis=0)).ravel()
        return cls(surface.cells.arm, worth, a, b, mass, rest)

    def drop(self) -> FloatArray:
        # A hit instead of a miss adds one, and moves what is expected of the other items.
        centre, strength = beta.mean(self.a, self.b), self.a + self.b
        moved = (1 + np.maximum(self.rest - 1, 0) / (strength + 1)) / self.size
        return (self.worth * centre * (1 - centre) * moved**2 * (self.rest > 0))[self.arm]

    def took(self, cell: int) -> None:
        arm = self.arm[cell]
        centre = self.a[arm] / (self.a[arm] + self.b[arm])
        self.a[arm] += centre
        self.b[arm] += 1 - centre
        self.rest[arm] = max(self.rest[arm] - 1, 0.0)
