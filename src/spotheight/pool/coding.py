"""Coding of rows: level codes, score bins and cells; both pools count and place items by these."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotheight.arms import Attribute, Partition
from spotheight.numerics.sums import sum_by
from spotheight.pool import names as c
from spotheight.pool.cells import Cells
from spotheight.pool.layout import source_column
from spotheight.types import BoolArray, FloatArray, IntArray

BLOCK = 5_000
"""Items that are looked at one by one at a time, so that memory stays flat."""

Columns = Mapping[str, NDArray[Any]]
"""Canonical columns of some items, all of one length."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupCounts:
    """Rows counted by (levels, score cell), as either pool hands them over."""

    codes: IntArray
    bin: IntArray
    count: IntArray
    score: FloatArray
    price: FloatArray
    weight: FloatArray


def length(columns: Columns) -> int:
    """How many rows there are."""
    return len(columns[c.ID])


def filled(columns: Columns, names: Iterable[str]) -> BoolArray:
    """Which rows have a value in some of these columns."""
    found = np.zeros(length(columns), dtype=bool)
    for name in names:
        # Only NaN differs from itself.
        found |= np.array([value is not None and value == value for value in columns[name]], bool)
    return found


def level_codes(columns: Columns, attributes: Sequence[Attribute], service: str) -> IntArray:
    """A row of level numbers for each row; a guessed attribute has its likeliest level."""
    codes = np.zeros((length(columns), len(attributes)), dtype=np.int64, order="F")
    for place, attribute in enumerate(attributes):
        codes[:, place] = attribute.codes(columns[source_column(attribute.column, service)])
    return codes


def score_bins(columns: Columns, score_cells: Attribute, service: str) -> IntArray:
    """The score cell of each row."""
    return score_cells.codes(columns[c.score_of(service)])


def place_in_cells(columns: Columns, cells: Cells) -> IntArray:
    """The cell from which each row would be drawn, -1 where the pool has no such cell."""
    codes = level_codes(columns, cells.partition.attributes, cells.service)
    bins = score_bins(columns, cells.score_cells, cells.service)
    return cells.find(cells.partition.find(codes), bins)


def cells_of(
    attributes: Sequence[Attribute],
    service: str,
    score_cells: Attribute,
    groups: GroupCounts,
) -> Cells:
    """Cells from counted groups."""
    partition = Partition.of(attributes, groups.codes)
    arm = partition.find(groups.codes)
    held = sum_by(arm, groups.count, len(partition))
    order = np.lexsort((groups.bin, arm))
    return Cells(
        partition,
        service,
        score_cells,
        arm[order],
        groups.bin[order],
        groups.count[order],
        # Engines add in their own order; beyond twelve digits they agree by luck only.
        np.round(groups.score[order], 12),
        np.round(groups.price[order], 12),
        np.round(groups.weight[order], 9),
        held,
    )
