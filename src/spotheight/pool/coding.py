"""From rows of a pool to cells and arms; both pools count and place items by these functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotheight.numerics.sums import sum_by
from spotheight.pool import names as c
from spotheight.pool.cells import Cells
from spotheight.pool.layout import source_column
from spotheight.space import Attribute, Partition
from spotheight.types import FloatArray, IntArray

Columns = Mapping[str, NDArray[Any]]
"""Canonical columns of some items, all of one length."""

SMALLEST_SHARE = 0.01
"""A level less likely than this is dropped from a guess, and the rest scaled up to one."""


@dataclass(frozen=True, slots=True, eq=False)
class Affiliations:
    """Which arms each row belongs to, and how much: ``weight`` adds up to one for every row."""

    row: IntArray
    arm: IntArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
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


def score_bins(columns: Columns, score_cells: Attribute, service: str) -> IntArray:
    """The score cell of each row."""
    return score_cells.codes(columns[c.score_of(service)])


def level_codes(columns: Columns, attributes: Sequence[Attribute], service: str) -> IntArray:
    """A row of level numbers for each row; a guessed attribute has its likeliest level."""
    codes = np.zeros((length(columns), len(attributes)), dtype=np.int64, order="F")
    for place, attribute in enumerate(attributes):
        codes[:, place] = attribute.codes(columns[source_column(attribute.column, service)])
    return codes


def place_in_cells(columns: Columns, cells: Cells) -> IntArray:
    """The cell from which each row would be drawn, -1 where the pool has no such cell."""
    codes = level_codes(columns, cells.partition.attributes, cells.service)
    bins = score_bins(columns, cells.score_cells, cells.service)
    return cells.find(cells.partition.find(codes), bins)


def spread_codes(
    columns: Columns, attributes: Sequence[Attribute], service: str
) -> tuple[IntArray, IntArray, FloatArray]:
    """Row, levels and weight of every arm that a row may belong to."""
    row = np.arange(length(columns))
    weight = np.ones(len(row))
    codes = level_codes(columns, attributes, service)
    for place, attribute in enumerate(attributes):
        if attribute.guesses:
            shares = guess_shares(columns, attribute)
            origin, level = np.nonzero(shares[row])
            weight = weight[origin] * shares[row[origin], level]
            row, codes = row[origin], codes[origin]
            codes[:, place] = level
    return row, codes, weight


def guess_shares(columns: Columns, attribute: Attribute) -> FloatArray:
    """The chance of each level, small ones dropped, adding up to one per row."""
    chances = np.column_stack([np.asarray(columns[g], dtype=float) for g in attribute.guesses])
    chances = np.where(chances >= SMALLEST_SHARE, chances, 0.0)
    return chances / chances.sum(axis=1, keepdims=True)


def affiliations(columns: Columns, cells: Cells) -> Affiliations:
    """The arms of each row with their weights."""
    row, codes, weight = spread_codes(columns, cells.partition.attributes, cells.service)
    return Affiliations(row, cells.partition.find(codes), weight)


def cells_of(
    attributes: Sequence[Attribute],
    service: str,
    score_cells: Attribute,
    groups: Groups,
    spread: tuple[IntArray, FloatArray] | None = None,
) -> Cells:
    """Cells from counted groups; ``spread`` holds levels and mass where attributes are guessed."""
    codes, mass = spread or (groups.codes, groups.count.astype(float))
    partition = Partition.of(attributes, codes)
    held = sum_by(partition.find(codes), mass, len(partition))
    arm = partition.find(groups.codes)
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
        np.round(held, 9),
    )
