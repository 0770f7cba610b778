"""Arrow tables to plain arrays: text with ``None`` for null, numbers with NaN."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_LOOK = 1000
"""Rows that tell whether most values of a column are different."""


def columns_of(table: pa.Table) -> dict[str, NDArray[Any]]:
    """Each column as an array of ``str | None`` or of doubles."""
    return {name: _column(table[name]) for name in table.column_names}


def _column(column: pa.ChunkedArray) -> NDArray[Any]:
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=float)
    text = column.cast(pa.large_string())
    if pc.count_distinct(text[:_LOOK]).as_py() > _LOOK // 2:  # nothing to share, as with ids
        return text.to_numpy(zero_copy_only=False)
    # One str for each different value: a million rows of ten levels need ten, not a million.
    coded = text.dictionary_encode().combine_chunks()
    words = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    return words[coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)]
