"""Rows of the joint model: what is said of them and known of them, and tempering (p ** t)."""

from dataclasses import dataclass

import numpy as np

from spotheight.numerics.joint.levels import Levels
from spotheight.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Known:
    """Rows with ``log_chances`` (rows, levels), level codes (rows, K), -1 unknown, and weights."""

    log: FloatArray
    codes: IntArray
    weight: FloatArray

    def take(self, rows: IntArray) -> "Known":
        """Some of the rows."""
        return Known(self.log[rows], self.codes[rows], self.weight[rows])

    def join(self, other: "Known") -> "Known":
        """These rows and others."""
        log, codes = np.vstack([self.log, other.log]), np.vstack([self.codes, other.codes])
        return Known(log, codes, np.concatenate([self.weight, other.weight]))

    def told(self, levels: Levels) -> BoolArray:
        """Which levels are those of known attributes, (rows, levels)."""
        return self.codes[:, levels.owner] == levels.own


@dataclass(frozen=True, eq=False)
class Tempered:
    """Log chances of rows after tempering, and how they move with the log temperatures."""

    log: FloatArray
    slope: FloatArray

    @classmethod
    def of(cls, log: FloatArray, temperature: FloatArray, levels: Levels) -> "Tempered":
        """Raise chances, the highest of which is 1, to a power, and divide by their sum."""
        power = temperature[levels.owner]
        raised = log * power
        chance = np.exp(raised)
        total = levels.sums(chance)
        mean = levels.sums(chance * log) / total
        log_total, middle = np.log(total)[:, levels.owner], mean[:, levels.owner]
        return cls(raised - log_total, (log - middle) * power)
