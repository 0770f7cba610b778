"""Paired comparison: a belief about who of two services is right."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator

from spotheight.beliefs.categorical import DirichletBelief
from spotheight.beliefs.surface import Surface
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class PairedBelief(DirichletBelief):
    """Rates of the four outcomes as products of three surfaces, which labels teach apart.

    Args:
        surfaces: How often just one service is right; how often that is the first; how often both
            are where they do not differ.
    """

    surfaces: tuple[Surface, Surface, Surface] = field(kw_only=True, repr=False)

    @cached_property
    def _rate_mean(self) -> FloatArray:
        return _outcomes(*(surface.rate.mean for surface in self.surfaces))

    def _draw_rates(self, n: int, rng: Generator, where: IntArray | None) -> FloatArray:
        return _outcomes(*(surface.rate.draw(n, rng, where) for surface in self.surfaces))


def _outcomes(one: FloatArray, first: FloatArray, both: FloatArray) -> FloatArray:
    """Rates of: both right, only the first, only the second, neither."""
    rates = [(1 - one) * both, one * first, one * (1 - first), (1 - one) * (1 - both)]
    return np.clip(np.stack(rates, axis=-1), 0, 1)
