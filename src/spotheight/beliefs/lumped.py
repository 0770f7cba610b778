"""Aggregation: a belief about arms, read for groups of them."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng
from scipy import sparse

from spotheight.arms import Partition
from spotheight.beliefs.posterior import Posterior
from spotheight.beliefs.surface import Surface
from spotheight.evidence import Evidence
from spotheight.numerics.distributions.intervals import attained_interval
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray, IntArray

DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Lumped:
    """The weighted mean over the arms of each group.

    Args:
        arms: What is believed of the arms.
        group: The group of each arm.
        weight: How much each arm counts in its group.
        groups: How many groups there are.
    """

    arms: Posterior = field(repr=False)
    group: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    groups: int

    @classmethod
    def of(
        cls, arms: Posterior, finer: Partition, partition: Partition, weight: FloatArray
    ) -> "Lumped":
        """Finer arms, read for those that their first attributes cut."""
        found = partition.find(finer.codes[:, : len(partition.attributes)])
        # An arm that some guess of several attributes makes barely probable may lie in none.
        return cls(arms, np.maximum(found, 0), np.where(found < 0, 0.0, weight), len(partition))

    @cached_property
    def _shares(self) -> Sparse:
        """(arms, groups)."""
        held = np.bincount(self.group, weights=self.weight, minlength=self.groups)
        share = self.weight / np.maximum(held, 1e-300)[self.group]
        arms = np.arange(len(self.group))
        return sparse.csr_matrix((share, (arms, self.group)), (len(arms), self.groups))

    @property
    def mean(self) -> FloatArray:
        return np.asarray(self.arms.mean @ self._shares)

    @property
    def variance(self) -> FloatArray:
        return self.draw(DRAWS, default_rng(0)).var(axis=0)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        return attained_interval(self.draw(DRAWS, default_rng(0)), level)

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        if where is None:
            return np.asarray(self.arms.draw(n, rng) @ self._shares)
        inside = np.flatnonzero(np.isin(self.group, where))
        return np.asarray(self.arms.draw(n, rng, inside) @ self._shares[inside][:, where])


def lump(surface: Surface, evidence: Evidence) -> Surface:
    """A surface over finer arms, read for the arms of the evidence.

    What its model says of labels in finer arms is left aside.
    """
    where = (surface.partition, evidence.cells.partition, surface.weight)
    rate, pool = (Lumped.of(belief, *where) for belief in (surface.rate, surface.pool))
    counting = surface.counting
    if counting is not None:
        counting = sum_by(rate.group, np.where(rate.weight > 0, counting, 0.0), rate.groups)
    return replace(
        surface,
        cells=evidence.cells,
        labelled=evidence.labelled,
        rate=rate,
        pool=pool,
        counting=counting,
        foresight=None,
        warm_start={},
    )
