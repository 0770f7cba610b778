"""Which arms are worst?"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng
from scipy import sparse

from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.evidence import Evidence, Source
from spotheight.numerics.design import Sparse
from spotheight.types import FloatArray, IntArray

DRAWS = 2000


@dataclass(frozen=True, eq=False)
class Identified:
    """The arms most probably in the worst set, and the probability that each arm is."""

    arms: IntArray
    names: tuple[str, ...]
    probability: FloatArray
    estimand: str


@dataclass(frozen=True)
class Identify:
    """Find the ``worst`` arms with the lowest metric."""

    worst: int = 1

    def __post_init__(self) -> None:
        if self.worst < 1:
            raise InputError(f"At least 1 arm must be looked for, got {self.worst}.")

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(None, None, None)

    def answer(self, belief: Surface, rng: Generator) -> Identified:
        draws = belief.draw(DRAWS, rng)
        worst = min(self.worst, draws.shape[1])
        # Ties, frequent in small pools, must not go by the arm's number.
        order = np.argsort(draws + 1e-9 * rng.random(draws.shape), axis=1)[:, :worst]
        probability = np.bincount(order.ravel(), minlength=draws.shape[1]) / DRAWS
        arms = np.argsort(-probability, kind="stable")[:worst]
        names = tuple(belief.partition.name(int(arm)) for arm in arms)
        return Identified(arms, names, probability, belief.estimand)

    def targets(self, surface: Surface) -> Sparse:
        """Every arm, by the root of the probability that it is among the worst."""
        draws = surface.draw(DRAWS // 4, default_rng(0))
        worst = np.argsort(draws, axis=1)[:, : self.worst]
        share = np.bincount(worst.ravel(), minlength=draws.shape[1]) / len(draws)
        return sparse.diags(np.sqrt(share + 1e-6)).tocsr()

    def reward(
        self, surface: Surface, rates: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """An arm is worth a label as far as it is plausibly the worst."""
        return -rates
