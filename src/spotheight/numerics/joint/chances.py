"""Joint distribution of guessed attributes, pairwise log-linear, from a model for each one.

Attribute k's model gives item x the chances m_k(. | x). They are tempered, proportional to
m_k ** t_k, tilted by tau_k and tied together by pairs theta_kl:
log P(a | x) = sum_k t_k log m_k(a_k | x) + tau_k(a_k) + sum_{k<l} theta_kl(a_k, a_l) - log Z(x).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from scipy.special import log_softmax, softmax

from spotheight.numerics.joint.levels import Levels
from spotheight.numerics.joint.spread import Limit, Potential, Spread, spread
from spotheight.numerics.joint.sums import EXCLUDED, ExactSum, Sums
from spotheight.types import FloatArray, IntArray

JointChances = tuple[FloatArray, ...]
"""A table per attribute: the chances of its levels, (items, levels); rows add up to one."""

EXACT_ARMS = 2**20
"""With pairs, sums over so many combinations are exact; beyond, they are sampled."""

FLOOR = 1e-5
"""No model is surer than this: a chance of zero could not be tempered."""

WIDEST = Limit(cut=1e-6, most=512)
"""What stands for all combinations of an item where they are too many to sum over."""


def exact(levels: Sequence[int]) -> bool:
    """Whether sums over all combinations of so many levels are exact."""
    return prod(levels) <= EXACT_ARMS


def log_chances(chances: JointChances) -> FloatArray:
    """Log chances of all attributes side by side, relative to each attribute's likeliest level.

    No chance counts as less than the floor.
    """
    raised = [np.log(np.maximum(part, FLOOR)) for part in chances]
    return np.hstack([part - part.max(axis=1, keepdims=True) for part in raised])


@dataclass(frozen=True, eq=False)
class Joint:
    """Calibrated chances of combinations: temperatures, tilts and pairs.

    >>> joint = Joint.product([2, 3])
    >>> chances = (np.array([[.9, .1]]), np.array([[.8, .2, 0]]))
    >>> joint.spread(chances, cut=.2, most=5).codes.tolist()
    [[0, 0], [0, 1]]

    Args:
        temperature: The power to which each model's chances are raised, (K,).
        tilt: What is added to the log chances of each attribute's levels.
        pairs: Of two attributes (k, l), k < l, what is added to the log chance of two levels.
    """

    temperature: FloatArray
    tilt: tuple[FloatArray, ...]
    pairs: tuple[tuple[tuple[int, int], FloatArray], ...] = ()

    @classmethod
    def product(cls, levels: Sequence[int]) -> "Joint":
        """The models taken at their word, and as independent."""
        return cls(np.ones(len(levels)), tuple(np.zeros(count) for count in levels))

    @property
    def levels(self) -> tuple[int, ...]:
        """How many levels each attribute has."""
        return tuple(len(part) for part in self.tilt)

    @property
    def potential(self) -> Potential:
        """The pairs as one matrix."""
        levels = Levels(self.levels)
        theta = np.zeros((levels.total, levels.total))
        for (first, second), table in self.pairs:
            theta[levels.slices[first], levels.slices[second]] = table
        return Potential(levels, theta)

    def unary(self, chances: JointChances) -> FloatArray:
        """Log chances, tempered and tilted, (items, levels), levels of all side by side."""
        levels = Levels(self.levels)
        raised = log_chances(chances) * self.temperature[levels.owner]
        parts = [log_softmax(raised[:, place], axis=1) for place in levels.slices]
        return np.hstack(parts) + np.concatenate(self.tilt)

    def spread(
        self, chances: JointChances, cut: float, most: int, codes: IntArray | None = None
    ) -> Spread:
        """Every item's likely combinations, with weights that add up to one.

        Kept are at most ``most`` that weigh at least ``cut`` times as much as the likeliest. With
        pairs and more than ``EXACT_DENSE`` combinations, those that a beam finds. Where ``codes``
        (items, K) are known, which -1 says they are not, no other level is looked at.
        """
        return spread(self._given(chances, codes), self.potential, Limit(cut, most))

    def _given(self, chances: JointChances, codes: IntArray | None) -> FloatArray:
        unary = self.unary(chances)
        if codes is not None and (codes >= 0).any():
            return given(unary, Levels(self.levels), codes)
        return unary

    def some(self, places: Sequence[int]) -> "Joint":
        """Some of the attributes, where no pairs tie them to the others."""
        assert not self.pairs
        return Joint(self.temperature[list(places)], tuple(self.tilt[place] for place in places))

    def marginals(self, chances: JointChances, codes: IntArray | None = None) -> JointChances:
        """The calibrated chances of each attribute's levels, table by table.

        Where ``codes`` (items, K) are known, which -1 says they are not, given these.
        """
        unary, levels = self._given(chances, codes), Levels(self.levels)
        if not self.pairs:
            return tuple(softmax(unary[:, place], axis=1) for place in levels.slices)
        if exact(self.levels):
            marginal = self._sums(unary).marginal
        else:
            marginal = _tally(spread(unary, self.potential, WIDEST), levels, len(unary))
        return tuple(marginal[:, place] for place in levels.slices)

    def log_chance(self, chances: JointChances, codes: IntArray) -> FloatArray:
        """Log P of each item's combination (items, K); attributes with code -1 are summed out.

        Where combinations are too many to sum over, among the likely ones of a beam.
        """
        unary, levels = self.unary(chances), Levels(self.levels)
        masked = given(unary, levels, codes)
        if exact(self.levels):
            return self._sums(masked).log - self._sums(unary).log
        return self._beamed(masked) - self._beamed(unary)

    def _sums(self, unary: FloatArray) -> Sums:
        potential = self.potential
        return ExactSum(potential.levels)(unary, potential.theta, np.zeros(len(unary)))

    def _beamed(self, unary: FloatArray) -> FloatArray:
        """Log sums over what a beam finds: the score of an entry, less its log weight."""
        found, potential = spread(unary, self.potential, WIDEST), self.potential
        at = potential.levels.starts + found.codes
        score = unary[found.row[:, None], at].sum(axis=1) + potential.of(found.codes)
        first = np.searchsorted(found.row, np.arange(len(unary)))
        return (score - np.log(found.weight))[first]


def given(unary: FloatArray, levels: Levels, codes: IntArray) -> FloatArray:
    """Conditioning: log weights where known attributes have no other level; unknown is code -1."""
    code = codes[:, levels.owner]
    return np.where((code >= 0) & (code != levels.own), EXCLUDED, unary)


def _tally(found: Spread, levels: Levels, rows: int) -> FloatArray:
    """The weight of each level, (rows, levels)."""
    marginal = np.zeros((rows, levels.total))
    for codes, place in zip(found.codes.T, levels.starts, strict=True):
        np.add.at(marginal, (found.row, place + codes), found.weight)
    return marginal
