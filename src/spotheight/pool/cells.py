"""All that statistics see of a pool: how many items lie in each cell."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from spotheight.errors import InputError
from spotheight.numerics.sums import sum_by
from spotheight.space import Attribute, Keys, Partition, row_keys
from spotheight.types import FloatArray, IntArray

SMALL = 5
"""Arms with fewer items are too small to be judged one by one."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Per (arm, score cell): how many items it holds, and their mean score, price and weight.

    An item is drawn from exactly one cell. Where attributes are only guessed it belongs to several
    arms at once; ``mass`` is the expected number of items in each arm.

    Args:
        partition: The arms.
        service: Whose scores and predictions cut the pool.
        score_cells: How the score is cut; one level when there is no score.
        arm: The arm of each cell.
        bin: The score cell of each cell.
        count: Items in each cell.
        score: Mean score in each cell, NaN where it is missing.
        price: Mean price of a label in each cell.
        weight: Summed weight of the items in each cell.
        mass: Expected number of items in each arm.
    """

    partition: Partition
    service: str
    score_cells: Attribute
    arm: IntArray
    bin: IntArray
    count: IntArray
    score: FloatArray
    price: FloatArray
    weight: FloatArray
    mass: FloatArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.arm)

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return len(self.partition)

    @property
    def size(self) -> int:
        """How many items the pool holds."""
        return int(self.count.sum())

    @cached_property
    def _keys(self) -> Keys:
        return row_keys(np.column_stack([self.arm, self.bin]))

    def find(self, arm: IntArray, bin: IntArray) -> IntArray:
        """The cell of each (arm, score cell), -1 where it holds no item."""
        keys = row_keys(np.column_stack([np.maximum(arm, 0), bin]))
        place = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        return np.where((self._keys[place] == keys) & (arm >= 0), place, -1).astype(np.int64)

    def arm_sum(self, values: FloatArray | IntArray) -> FloatArray:
        """A number per cell, added up over each arm."""
        return sum_by(self.arm, values, self.arms)

    @cached_property
    def arm_weight(self) -> FloatArray:
        """How much each arm counts in a slice: its expected items times their mean weight."""
        held = self.arm_sum(self.count)
        mean = np.divide(self.arm_sum(self.weight), held, out=np.ones(self.arms), where=held > 0)
        return self.mass * mean

    @cached_property
    def arm_score(self) -> FloatArray:
        """The mean score of each arm's items, NaN where no score is known."""
        known = ~np.isnan(self.score)
        count = self.arm_sum(np.where(known, self.count, 0))
        total = self.arm_sum(np.where(known, self.count * np.nan_to_num(self.score), 0.0))
        return np.divide(total, count, out=np.full(self.arms, np.nan), where=count > 0)

    def require_probabilities(self, use: str) -> None:
        """Raise unless scores are probabilities; ``use`` begins the sentence."""
        known = self.score[~np.isnan(self.score)]
        if not len(known):
            raise InputError(f"{use} needs the service's score; name it with --score.")
        if known.min() < 0 or known.max() > 1:
            raise InputError(
                f"{use} needs scores that are probabilities; "
                f"these reach from {known.min():g} to {known.max():g}."
            )
