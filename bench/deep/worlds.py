"""Made-up arms and counts for what is timed."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import default_rng
from scipy.special import expit

from spotheight.types import FloatArray

LEVELS = {320: (4, 4, 4, 5), 4096: (2,) * 12}
"""Attributes of each size: their numbers of levels."""


@dataclass(frozen=True, eq=False)
class World:
    """Every combination of some levels, each with labels.

    Args:
        inputs: One-hot, (arms, columns).
        hits: Of each arm.
        trials: Likewise, at least one.
    """

    inputs: FloatArray = field(repr=False)
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)

    @classmethod
    def of(cls, arms: int, seed: int = 0) -> "World":
        """Logits add up over attributes and pairs; arms differ on top, and in their labels."""
        levels, rng = LEVELS[arms], default_rng([seed, arms])
        codes = np.stack(np.unravel_index(np.arange(arms), levels), axis=1)
        columns = [np.eye(size)[code] for size, code in zip(levels, codes.T, strict=True)]
        logits = 1.0 + 0.3 * rng.standard_normal(arms)
        for left, one in enumerate(columns):
            logits += one @ rng.normal(0, 0.5, one.shape[1])
            for two in columns[:left]:
                logits += np.sum((one @ rng.normal(0, 0.2, (one.shape[1], two.shape[1]))) * two, 1)
        trials = (1 + rng.poisson(np.exp(rng.normal(0.5, 1.0, arms)))).astype(np.float64)
        hits = rng.binomial(trials.astype(np.int64), expit(logits)).astype(float)
        return cls(np.hstack(columns), hits, trials)
