"""Quantity protocol: a number per group that can be read off draws of a belief."""

from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import DirichletBelief, Surface
from spotheight.evidence import ClassEvidence, Cut, Evidence, Source
from spotheight.metrics import Metric
from spotheight.questions.quantities.groups import Groups
from spotheight.questions.unit import Unit
from spotheight.types import FloatArray

ArmBelief = Surface | DirichletBelief
"""A belief over arms that can be drawn from."""

DRAWS = 2000
"""A standard error of a fiftieth of the posterior's spread."""


class Quantity(Protocol):
    """A number per group of arms: a rate of hits, a calibration error, an expected cost."""

    @property
    def has_exact_mean(self) -> bool:
        """Whether ``mean`` comes from a formula, not from draws."""
        ...

    def unit(self, metric: Metric) -> Unit:
        """What its numbers are called under a campaign's metric, and how they are read."""
        ...

    def is_bad_high(self, belief: Any) -> bool:
        """Whether a high number is bad news."""
        ...

    @property
    def cut(self) -> Cut:
        """Which cells it is read from."""
        ...

    def evidence(self, source: Source) -> Evidence | ClassEvidence:
        """What it is learned from."""
        ...

    def groups(self, belief: Any) -> Groups:
        """The groups it is asked for, each of one or more arms."""
        ...

    def draw(self, belief: Any, n: int, rng: Generator) -> FloatArray:
        """Joint draws of what it is made of, by arm: (draws, arms) or (draws, arms, outcomes)."""
        ...

    def read(self, belief: Any, parts: FloatArray, groups: Groups) -> FloatArray:
        """Its value in each group, for each draw: (draws, groups)."""
        ...

    def mean(self, belief: Any, groups: Groups, rng: Generator) -> FloatArray:
        """What is expected of each group, exact where there is a formula."""
        ...

    def quantile(self, belief: Any, groups: Groups, share: float, rng: Generator) -> FloatArray:
        """The value that ``share`` of the belief lies below, exact where there is a formula."""
        ...


def drawn_quantile(
    of: Quantity, belief: Any, groups: Groups, share: float, rng: Generator
) -> FloatArray:
    """The value that ``share`` of some draws lies below."""
    values = of.read(belief, of.draw(belief, DRAWS, rng), groups)
    return np.quantile(values, share, axis=0)
