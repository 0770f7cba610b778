"""Rounding of numbers that leave us, and the one way from NaN to null."""

from collections.abc import Mapping
from math import isfinite

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spotheight.types import Json

DIGITS = 12
"""Behind the point: no data warrant so many, and a sum that misses 1 by rounding alone is 1."""


def tidy(value: float, digits: int = DIGITS) -> float:
    """A number as it is said.

    >>> tidy(0.9999999999999998), tidy(-2e-17), tidy(0.1 + 0.2)
    (1.0, 0.0, 0.3)
    """
    return round(float(value), digits) + 0.0


def tidy_json(value: Json, digits: int = DIGITS) -> Json:
    """The same for all floats inside; JSON knows neither an unknown nor an endless one.

    >>> tidy_json({"low": 1e-15, "high": [float("inf")], "labels": 3})
    {'low': 0.0, 'high': [None], 'labels': 3}
    """
    if isinstance(value, Mapping):
        return {str(key): tidy_json(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tidy_json(item, digits) for item in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return tidy_json(value.tolist(), digits)
    if isinstance(value, float):
        return tidy(value, digits) if isfinite(value) else None
    return value


def tidy_table(table: pa.Table, *, is_null_unknown: bool = False) -> pa.Table:
    """The same for all columns of floats, for CSV and Parquet.

    Args:
        table: Its other columns stay as they are.
        is_null_unknown: Whether an unknown number becomes an empty cell.
    """
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place).combine_chunks()
            known = column.to_numpy(zero_copy_only=False)
            # Arrow's own rounding leaves digits of its own behind.
            tidied = np.round(known, DIGITS) + 0.0
            is_null = column.is_null().to_numpy(zero_copy_only=False)
            tidied = pa.array(tidied, mask=is_null)
            if is_null_unknown:
                tidied = pc.if_else(pc.is_nan(tidied), None, tidied)
            table = table.set_column(place, field.name, tidied)
    return table
