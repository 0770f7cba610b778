"""Importance sampling of sums over combinations of levels that are too many to list."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.special import log_softmax, logsumexp

from spotheight.numerics.joint.levels import Levels
from spotheight.numerics.joint.sums import Sums
from spotheight.types import FloatArray, IntArray

DRAWS = 64
"""Combinations drawn for a row."""


@dataclass(frozen=True, eq=False)
class SampledSum:
    """The sums of ``ExactSum``, from combinations that were drawn once for each of some rows.

    The draws stay as they are while the parameters move, so that the sums are smooth in them.

    Args:
        place: Index of each drawn level, (attributes, rows, draws).
        log_chance: Log proposal probability of each combination, (rows, draws).
    """

    levels: Levels
    place: IntArray = field(repr=False)
    log_chance: FloatArray = field(repr=False)

    @classmethod
    def of(
        cls, levels: Levels, unary: FloatArray, rng: Generator, draws: int = DRAWS
    ) -> "SampledSum":
        """Draw combinations for rows from the independent proposal, without pairs."""
        place = np.empty((levels.size, len(unary), draws), dtype=np.int64)
        log_chance = np.zeros((len(unary), draws))
        for attribute, levels_of in enumerate(levels.slices):
            log = log_softmax(unary[:, levels_of], axis=1)
            below = np.cumsum(np.exp(log), axis=1)[:, None, :-1]
            code = np.sum(rng.random((len(unary), draws, 1)) >= below, axis=2)
            place[attribute] = levels_of.start + code
            log_chance += np.take_along_axis(log, code, axis=1)
        return cls(levels, place, log_chance)

    def log_weight(self, unary: FloatArray, theta: FloatArray) -> FloatArray:
        """Log importance weight: unnormalised log density less log proposal, (rows, draws)."""
        score = -self.log_chance
        for second, place in enumerate(self.place):
            score += np.take_along_axis(unary, place, axis=1)
            for earlier in self.place[:second]:
                score += theta[earlier, place]
        return score

    def __call__(self, unary: FloatArray, theta: FloatArray, weight: FloatArray) -> Sums:
        """Sum over all combinations for the rows that the draws were made for."""
        score, total = self.log_weight(unary, theta), self.levels.total
        log = logsumexp(score, axis=1)
        share = np.exp(score - log[:, None])
        row = np.arange(len(unary))[:, None] * total
        places = (np.ravel(row + place) for place in self.place)
        marginal = sum(np.bincount(at, share.ravel(), len(unary) * total) for at in places)
        pair = self._pairs(share * weight[:, None])
        return Sums(log - np.log(score.shape[1]), np.reshape(marginal, unary.shape), pair)

    def _pairs(self, share: FloatArray) -> FloatArray:
        total = self.levels.total
        pair = np.zeros(total * total)
        for second, place in enumerate(self.place):
            for earlier in self.place[:second]:
                pair += np.bincount(np.ravel(earlier * total + place), share.ravel(), total * total)
        return pair.reshape(total, total)
