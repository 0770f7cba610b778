"""Another population's mix of attributes."""

from dataclasses import dataclass, field

import numpy as np

from spotheight.errors import InputError, require_column
from spotheight.numerics.sums import sum_by
from spotheight.pool.canonical import number, text
from spotheight.pool.frames import columns_of
from spotheight.pool.source import open_source
from spotheight.space import MISSING, Attribute, Partition
from spotheight.types import FloatArray, IntArray, TextArray

SHARE = "share"


@dataclass(frozen=True, eq=False)
class Mix:
    """How a population spreads over combinations of levels.

    Args:
        columns: Raw values per attribute, a row an item or a group of items.
        share: How much each row counts.
    """

    columns: dict[str, TextArray | FloatArray] = field(repr=False)
    share: FloatArray = field(repr=False)

    @classmethod
    def read(cls, source: object, attributes: tuple[Attribute, ...]) -> "Mix":
        """A file or table with the attributes' columns; a column ``share`` weighs the rows."""
        table = open_source(source)
        picked = {}
        for attribute in attributes:
            require_column(attribute.column, table.columns)
            as_column = number if attribute.is_number else text
            picked[attribute.name] = as_column(table, attribute.column)
        if SHARE in table.columns:
            picked[f"{SHARE}:"] = number(table, SHARE)
        found = columns_of(table.select(**picked).to_pyarrow())
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


def _codes(values: TextArray | FloatArray, attribute: Attribute) -> IntArray:
    """Level numbers, -1 where this pool does not have the level."""
    if attribute.is_number:
        known = np.searchsorted(attribute.edges, values, side="right")
        missing = len(attribute.levels) - 1 if attribute.levels[-1] == MISSING else -1
        return np.where(np.isnan(values.astype(float)), missing, known).astype(np.int64)
    place = {level: code for code, level in enumerate(attribute.levels)}
    found = [place.get(MISSING if value is None else value, -1) for value in values]
    return np.array(found, dtype=np.int64)
