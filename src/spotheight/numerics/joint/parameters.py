"""Parameters of the joint model as one vector, and the spreads of their priors."""

from dataclasses import dataclass

import numpy as np

from spotheight.numerics.joint.levels import Levels
from spotheight.types import FloatArray


@dataclass(frozen=True)
class Scales:
    """Spreads of the priors of log temperatures, tilts and pairs.

    Log temperatures lie around ``centre``, the others around 0.
    """

    centre: float
    temperature: float
    tilt: float
    pair: float


@dataclass(frozen=True, eq=False)
class Values:
    """Log temperatures (K,), tilts (levels,) and, before centring, pairs (levels, levels)."""

    log_temperature: FloatArray
    tilt: FloatArray
    pair: FloatArray

    @classmethod
    def read(cls, vector: FloatArray, levels: Levels) -> "Values":
        """From one vector that holds them one after the other."""
        pair = np.zeros((levels.total, levels.total))
        pair[levels.above] = vector[levels.size + levels.total :]
        return cls(vector[: levels.size], vector[levels.size : levels.size + levels.total], pair)

    def vector(self, levels: Levels) -> FloatArray:
        """As one vector."""
        return np.concatenate([self.log_temperature, self.tilt, self.pair[levels.above]])
