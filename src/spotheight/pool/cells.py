"""All that statistics see of a pool: how many items lie in each cell."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spotheight.arms import CATEGORY, Attribute, Keys, Partition, row_keys
from spotheight.errors import InputError
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.sums import sum_by
from spotheight.pool.layout import NO_SCORE
from spotheight.types import FloatArray, IntArray

SMALL = 5
"""Arms with fewer items are too small to be judged one by one."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Where the items of a pool's cells probably belong, if attributes are only guessed.

    Args:
        partition: The arms that some item may belong to.
        held: (cells, arms), sparse: expected items.
    """

    partition: Partition
    held: Sparse = field(repr=False)


@dataclass(frozen=True, eq=False)
class Cells:
    """Per (arm, score cell): how many items it holds, and their mean score, price and weight.

    An item is drawn from exactly one cell. Where attributes are only guessed, that is the cell of
    its likeliest levels, and it belongs to several arms at once: statistics then see the
    ``population``, whose cells hold expected items.

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
        mass: Number of items in each arm.
        reach: Where items probably belong; nothing where they lie in their cell's arm.
    """

    partition: Partition
    service: str
    score_cells: Attribute
    arm: IntArray
    bin: IntArray
    count: IntArray | FloatArray
    score: FloatArray
    price: FloatArray
    weight: FloatArray
    mass: FloatArray = field(repr=False)
    reach: Reach | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.arm)

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return len(self.partition)

    @property
    def size(self) -> int:
        """How many items the pool holds."""
        return round(float(self.count.sum()))

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

    def only(self, arms: IntArray) -> tuple["Cells", IntArray]:
        """The cells of some arms, named in order, and which of these cells they are."""
        kept = np.flatnonzero(np.isin(self.arm, arms))
        fields = ("bin", "count", "score", "price", "weight")
        cells = replace(
            self,
            partition=self.partition.only(arms),
            arm=np.searchsorted(arms, self.arm[kept]),
            mass=self.mass[arms],
            reach=None,
            **{name: getattr(self, name)[kept] for name in fields},
        )
        return cells, kept

    @cached_property
    def population(self) -> "Cells":
        """The cells of the arms that items probably belong to."""
        if self.reach is None:
            return self
        held = self.reach.held.tocoo()
        parts = self.parts(held.row, held.col, held.data)
        return _cells_of_parts(self, self.reach.partition, parts)

    def parts(self, cell: IntArray, arm: IntArray, held: FloatArray) -> "Parts":
        """Items of these cells that belong to other arms."""
        each = np.divide(self.weight, self.count, where=self.count > 0, out=np.ones(len(self)))
        return Parts(
            arm, self.bin[cell], held, self.score[cell], self.price[cell], held * each[cell]
        )

    def moved(self, codes: IntArray, parts: "Parts") -> "Cells":
        """These cells after some items have turned out to belong elsewhere.

        ``parts`` adds and takes away; ``codes`` has the levels of each part's arm.
        """
        partition = Partition.of(
            self.partition.attributes, np.concatenate([self.partition.codes, codes])
        )
        own = partition.find(self.partition.codes)[self.arm]
        both = Parts(
            np.concatenate([own, partition.find(codes)]),
            np.concatenate([self.bin, parts.bin]),
            np.concatenate([self.count, parts.held]),
            np.concatenate([self.score, parts.score]),
            np.concatenate([self.price, parts.price]),
            np.concatenate([self.weight, parts.weight]),
        )
        return _cells_of_parts(self, partition, both)

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


class Parts(NamedTuple):
    """Parts of cells: where they belong, and what they hold."""

    arm: IntArray
    bin: IntArray
    held: FloatArray | IntArray
    score: FloatArray
    price: FloatArray
    weight: FloatArray


def _cells_of_parts(template: Cells, partition: Partition, parts: Parts) -> Cells:
    """Parts added up by arm and score cell."""
    keys = parts.arm * (int(parts.bin.max(initial=0)) + 1) + parts.bin
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    arm, bins, cells = parts.arm[first], parts.bin[first], len(first)
    count = np.maximum(np.round(sum_by(group, parts.held, cells), 9), 0.0)
    size = sum_by(group, np.abs(parts.held), cells)

    def mean(values: FloatArray) -> FloatArray:
        total = sum_by(group, np.abs(parts.held) * values, cells)
        found = np.divide(total, size, where=size > 0, out=values[first].astype(float))
        return np.asarray(np.round(found, 12), dtype=float)

    return replace(
        template, partition=partition, arm=arm, bin=bins, count=count,
        score=mean(parts.score), price=mean(parts.price),
        weight=np.maximum(sum_by(group, parts.weight, cells), 0.0),
        mass=sum_by(arm, count, len(partition)), reach=None,
    )  # fmt: skip


def single_cells(
    category: IntArray, categories: tuple[str, ...], price: FloatArray, service: str
) -> Cells:
    """Every item as a cell of its own, categories as arms.

    Args:
        category: The number of each item's category.
        categories: Their names.
        price: Of each item's label.
        service: Whose items they are.
    """
    levels = Attribute(CATEGORY, CATEGORY, categories)
    partition = Partition.of((levels,), category[:, None])
    size, ones = len(category), np.ones(len(category))
    arm = partition.find(category[:, None])
    return Cells(
        partition,
        service,
        NO_SCORE,
        arm,
        np.arange(size),
        np.ones(size, dtype=np.int64),
        np.full(size, np.nan),
        price,
        ones,
        sum_by(arm, ones, len(partition)),
    )
