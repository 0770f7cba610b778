"""Numbers on their way out, free of the last digits that sums of floats leave behind."""

from collections.abc import Mapping
from math import isfinite

import numpy as np
import pyarrow as pa

from spotheight.types import Json

DIGITS = 12
"""Behind the point: no data warrant so many, and a sum that misses 1 by rounding alone is 1."""


def tidy(value: float) -> float:
    """A number as it is said.

    >>> tidy(0.9999999999999998), tidy(-2e-17), tidy(0.1 + 0.2)
    (1.0, 0.0, 0.3)
    """
    return round(float(value), DIGITS) + 0.0


def tidy_json(value: Json) -> Json:
    """The same for all floats inside; JSON knows neither an unknown nor an endless one.

    >>> tidy_json({"low": 1e-15, "high": [float("inf")], "labels": 3})
    {'low': 0.0, 'high': [None], 'labels': 3}
    """
    if isinstance(value, Mapping):
        return {key: tidy_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [tidy_json(item) for item in value]
    if isinstance(value, float):
        return tidy(value) if isfinite(value) else None
    return value


def tidy_table(table: pa.Table) -> pa.Table:
    """The same for all columns of floats, for CSV and Parquet."""
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place).combine_chunks()
            known = column.to_numpy(zero_copy_only=False)
            # Arrow's own rounding leaves digits of its own behind.
            tidied = np.round(known, DIGITS) + 0.0
            is_null = column.is_null().to_numpy(zero_copy_only=False)
            table = table.set_column(place, field.name, pa.array(tidied, mask=is_null))
    return table
