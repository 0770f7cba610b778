"""Rates of arms when it is open which labels are theirs."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.beliefs.posterior import BetaRate
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AssignedRate(BetaRate):
    """Betas after each of several equally likely ways to put labels into arms.

    Arms of one way belong together: what counts as a miss of one arm is none of another's.
    ``hits`` and ``misses`` are (ways, arms), pseudo-counts of the prior included; the further
    pseudo-counts and the weights of a plain ``BetaRate`` are not used.
    """

    @classmethod
    def of(cls, hits: FloatArray, misses: FloatArray) -> "AssignedRate":
        """Every way counts alike."""
        ways = len(hits)
        return cls(hits, misses, weight=np.full(ways, 1 / ways))

    def distinct(self, *more: FloatArray) -> tuple[FloatArray, IntArray]:
        table = np.column_stack([self.hits.T, self.misses.T, *more])
        rows, where = np.unique(table, axis=0, return_inverse=True)
        return rows, where.ravel()

    def components(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        ways = len(self.weight)
        return rows[:, :ways].T, rows[:, ways : 2 * ways].T

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        at = slice(None) if where is None else where
        way = rng.integers(len(self.weight), size=n)
        return rng.beta(self.hits[way][:, at], self.misses[way][:, at])
