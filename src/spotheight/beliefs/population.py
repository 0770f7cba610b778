"""Post-stratification: another population's mix of attributes."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spotheight.arms import MISSING, Attribute, Partition
from spotheight.errors import InputError, did_you_mean
from spotheight.numerics.sums import sum_by
from spotheight.pool.reading.canonical import number, text
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.frames import columns_of
from spotheight.pool.reading.source import open_source
from spotheight.types import FloatArray, IntArray, TextArray

SHARE = "share"


@dataclass(frozen=True, eq=False)
class Population:
    """How a population spreads over combinations of levels.

    Args:
        columns: Raw values per attribute, a row an item or a group of items.
        share: How much each row counts.
    """

    columns: dict[str, TextArray | FloatArray] = field(repr=False)
    share: FloatArray = field(repr=False)

    @classmethod
    def read(cls, source: object, attributes: tuple[Attribute, ...]) -> "Population":
        """A file or table with the attributes' columns; a column ``share`` weighs the rows."""
        table = open_source(source)
        picked = {}
        for attribute in attributes:
            _require(attribute, table.columns)
            is_text = not attribute.is_number or table[attribute.column].type().is_string()
            picked[attribute.name] = (text if is_text else number)(table, attribute.column)
        if SHARE in table.columns:
            picked[f"{SHARE}:"] = number(table, SHARE)
        found = columns_of(fetched(table.select(**picked)))
        rows = len(next(iter(found.values()))) if found else 0
        share = found.pop(f"{SHARE}:", np.ones(rows))
        if not rows or not np.isfinite(share).all() or (share < 0).any() or share.sum() <= 0:
            raise InputError("The mix needs at least one row, and shares that are not negative.")
        return cls(found, share)

    def arm_weights(self, partition: Partition) -> tuple[FloatArray, float]:
        """The share of each arm, and how much of the population lies in arms that occur here."""
        codes = np.column_stack(
            [_codes(self.columns[a.name], a) for a in partition.attributes]
            or [np.zeros((len(self.share), 0), dtype=np.int64)]
        )
        known = (codes >= 0).all(axis=1)
        arm = np.where(known, partition.find(np.maximum(codes, 0)), -1)
        inside = arm >= 0
        weight = sum_by(arm[inside], self.share[inside], len(partition))
        covered = float(weight.sum() / self.share.sum())
        if covered == 0:
            raise InputError("No row of the mix lies in an arm of this pool; compare their levels.")
        return weight, covered


def _require(attribute: Attribute, columns: Sequence[str]) -> None:
    if attribute.column not in columns:
        raise InputError(
            f"The mix has no column {attribute.column!r} and needs one for every attribute; "
            f"{did_you_mean(attribute.column, columns)}"
        )


def _codes(values: TextArray | FloatArray, attribute: Attribute) -> IntArray:
    """Level numbers, -1 where this pool does not have the level."""
    if values.dtype != object:
        missing = attribute.levels.index(MISSING) if MISSING in attribute.levels else -1
        within = np.searchsorted(attribute.edges, values, side="right")
        return np.where(np.isnan(values), missing, within).astype(np.int64)
    known = {value: _code(value, attribute) for value in set(values)}
    return np.array([known[value] for value in values], dtype=np.int64)


def _code(value: str | None, attribute: Attribute) -> int:
    """A level by its name or, where numbers are cut, by a number that lies in it."""
    name = MISSING if value is None else value
    if name in attribute.levels:
        return attribute.levels.index(name)
    if name == MISSING or not attribute.is_number:
        return -1
    try:
        return bisect_right(attribute.edges, float(name))
    except ValueError:
        raise InputError(
            f"The mix has {name!r} for {attribute.name!r}, which is neither a number nor a level; "
            f"{did_you_mean(name, attribute.levels)}"
        ) from None
