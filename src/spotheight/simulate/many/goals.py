"""What runs are after: the tasks' formulas, on pseudo-counts with the runs before the groups."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from scipy.special import betaincinv

from spotheight.numerics.calibration import calibration_gap
from spotheight.numerics.distributions import beta, dirichlet
from spotheight.simulate.many.streams import Stream
from spotheight.types import FloatArray, IntArray


class Goal(Protocol):
    """A task as a batched run sees it; ``alpha`` is (runs, groups, outcomes)."""

    @property
    def plays(self) -> int:
        """How many groups it looks for."""
        ...

    def draw(self, alpha: FloatArray, rng: Any) -> FloatArray:
        """What may be true, one draw for each run."""
        ...

    def worth(self, alpha: FloatArray, values: FloatArray) -> FloatArray:
        """The worth of a label in each group if these values were true, (runs, groups)."""
        ...

    def expected(self, alpha: FloatArray) -> FloatArray:
        """The worth at what is expected, (runs, groups)."""
        ...


class LinearGoal(Goal, Protocol):
    """A goal whose worth is a straight line in the rate of hits."""

    def line(self, alpha: FloatArray, group: IntArray) -> tuple[FloatArray, FloatArray]:
        """The worth at rate 0 and its rise up to rate 1, of pseudo-counts of any groups."""
        ...


class BoundedGoal(Goal, Protocol):
    """A goal whose worth has quantiles that can be computed."""

    def bound(self, alpha: FloatArray, share: float) -> FloatArray:
        """The worth that ``share`` of the belief lies below; (..., groups)."""
        ...


@dataclass(frozen=True, eq=False)
class _Rate:
    """Outcomes are hit and miss; the rate of hits is Beta."""

    def draw(self, alpha: FloatArray, rng: Stream) -> FloatArray:
        return rng.beta(alpha[..., 0], alpha[..., 1])


@dataclass(frozen=True, eq=False)
class EstimateRate(_Rate):
    """The rate of hits in every group, groups by their share of the items."""

    share: FloatArray = field(repr=False)
    plays: int = 1

    def worth(self, alpha: FloatArray, values: FloatArray) -> FloatArray:
        a, b = alpha[..., 0], alpha[..., 1]
        return self.share * beta.foreseen_drop(beta.mean(a, b), beta.variance(a, b), values)

    def expected(self, alpha: FloatArray) -> FloatArray:
        return self.worth(alpha, beta.mean(alpha[..., 0], alpha[..., 1]))

    def line(self, alpha: FloatArray, group: IntArray) -> tuple[FloatArray, FloatArray]:
        a, b, share = alpha[..., 0], alpha[..., 1], self.share[group]
        none = beta.variance_drop(a, b, np.zeros(1))
        return share * none, share * (beta.variance_drop(a, b, np.ones(1)) - none)


@dataclass(frozen=True)
class FindRate(_Rate):
    """The groups with the lowest rate of hits, or with the highest."""

    plays: int = 1
    is_best: bool = False

    @property
    def _sign(self) -> float:
        return 1.0 if self.is_best else -1.0

    def worth(self, alpha: FloatArray, values: FloatArray) -> FloatArray:
        return self._sign * values

    def expected(self, alpha: FloatArray) -> FloatArray:
        return self._sign * beta.mean(alpha[..., 0], alpha[..., 1])

    def bound(self, alpha: FloatArray, share: float) -> FloatArray:
        share = share if self.is_best else 1 - share
        return self._sign * np.asarray(betaincinv(alpha[..., 0], alpha[..., 1], share), float)

    def line(self, alpha: FloatArray, group: IntArray) -> tuple[FloatArray, FloatArray]:
        return np.zeros(len(group)), np.full(len(group), self._sign)


@dataclass(frozen=True, eq=False)
class FindCalibration:
    """The groups with the highest calibration error; outcomes are hit and miss in each score bin.

    Args:
        score: The mean score of each bin, (groups, bins).
        weight: Its share of the group's items, (groups, bins).
        plays: How many groups.
    """

    score: FloatArray = field(repr=False)
    weight: FloatArray = field(repr=False)
    plays: int = 1

    def draw(self, alpha: FloatArray, rng: Generator) -> FloatArray:
        pairs = _pairs(alpha)
        return rng.beta(pairs[..., 0], pairs[..., 1])

    def worth(self, alpha: FloatArray, values: FloatArray) -> FloatArray:
        return calibration_gap(values, self.score, self.weight).sum(axis=-1)

    def expected(self, alpha: FloatArray) -> FloatArray:
        pairs = _pairs(alpha)
        return self.worth(alpha, beta.mean(pairs[..., 0], pairs[..., 1]))


def _pairs(alpha: FloatArray) -> FloatArray:
    """Hits and misses of each bin on an axis of their own."""
    return alpha.reshape(*alpha.shape[:-1], -1, 2)


@dataclass(frozen=True, eq=False)
class FindCost:
    """The groups whose answers are expected to cost most; outcomes are true classes.

    Args:
        costs: Of each group's answer for each true class, (groups, classes).
        plays: How many groups.
    """

    costs: FloatArray = field(repr=False)
    plays: int = 1

    def draw(self, alpha: FloatArray, rng: Generator) -> FloatArray:
        return dirichlet.draw(alpha, rng)

    def worth(self, alpha: FloatArray, values: FloatArray) -> FloatArray:
        return (self.costs * values).sum(axis=-1)

    def expected(self, alpha: FloatArray) -> FloatArray:
        return self.worth(alpha, alpha / alpha.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class EstimateConfusion:
    """The rates of true classes in every group, groups by their share of the items."""

    share: FloatArray = field(repr=False)
    plays: int = 1

    def draw(self, alpha: FloatArray, rng: Generator) -> FloatArray:
        return dirichlet.draw(alpha, rng)

    def worth(self, alpha: FloatArray, values: FloatArray) -> FloatArray:
        return self.share * dirichlet.total_variance_drop(alpha, values)

    def expected(self, alpha: FloatArray) -> FloatArray:
        return self.worth(alpha, alpha / alpha.sum(axis=-1, keepdims=True))
