"""Cells: all that statistics see of a pool, items counted by arm and score bin."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spotheight.arms import CATEGORY, Attribute, Keys, Partition, find_sorted, row_keys
from spotheight.errors import InputError
from spotheight.numerics.sums import sum_by
from spotheight.pool.layout import NO_SCORE
from spotheight.types import FloatArray, IntArray

SMALL = 5
"""Arms with fewer items are too small to be judged one by one."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Per (arm, score cell): how many items it holds, and their mean score, price and weight.

    Where attributes are only guessed an item belongs to several arms at once, and cells hold
    expected items.

    Args:
        service: Whose scores and predictions cut the pool.
        score_cells: How the score is cut; one level when there is no score.
        bin: The score cell of each cell.
        score: Mean score in each cell, NaN where it is missing.
        price: Mean price of a label in each cell.
        weight: Summed weight of the items in each cell.
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
        place = find_sorted(self._keys, row_keys(np.column_stack([np.maximum(arm, 0), bin])))
        return np.where(arm >= 0, place, -1)

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
            **{name: getattr(self, name)[kept] for name in fields},
        )
        return cells, kept

    def moved(self, codes: IntArray, parts: "Parts") -> "Cells":
        """These cells after some items have turned out to belong elsewhere.

        ``parts`` adds and takes away; ``codes`` has the levels of each part's arm.
        """
        partition = Partition.of(
            self.partition.attributes, np.concatenate([self.partition.codes, codes])
        )
        own = partition.find(self.partition.codes)[self.arm]
        mine = Parts(own, self.bin, self.count, self.score, self.price, self.weight)
        both = zip(mine, parts._replace(arm=partition.find(codes)), strict=True)
        joined: list[Any] = [np.concatenate(pair) for pair in both]
        return cells_of_parts(self, partition, Parts(*joined))

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

    @classmethod
    def of(cls, cells: Cells, cell: IntArray, arm: IntArray, held: FloatArray) -> "Parts":
        """Items of some cells that belong to these arms."""
        each = np.divide(cells.weight, cells.count, where=cells.count > 0, out=np.ones(len(cells)))
        return cls(arm, cells.bin[cell], held, cells.score[cell], cells.price[cell],
                   held * each[cell])  # fmt: skip


def cells_of_parts(template: Cells, partition: Partition, parts: Parts) -> Cells:
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
        mass=sum_by(arm, count, len(partition)),
    )  # fmt: skip


def single_cells(
    category: IntArray, categories: tuple[str, ...], price: FloatArray, service: str
) -> Cells:
    """Every item as a cell of its own, categories as arms."""
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
