"""Arrow tables to plain arrays: text with ``None`` for null, numbers with NaN.

Arrow's own way to NumPy, like its way from Python, imports pandas, which takes longer than most
commands work; DLPack and lists do not.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spotheight.types import IntArray

_LOOK = 1000
"""Rows that tell whether most values of a column are different."""


def columns_of(table: pa.Table) -> dict[str, NDArray[Any]]:
    """Each column as an array of ``str | None`` or of doubles."""
    return {name: _column(table[name]) for name in table.column_names}


def arrow_of(values: NDArray[Any]) -> pa.Array:
    """An array as Arrow: NaN is how numbers are missing here, null is how engines say it."""
    if values.dtype != np.float64:
        return pa.array(values, from_pandas=True)
    known = np.packbits(~np.isnan(values), bitorder="little")
    buffers = [pa.py_buffer(known), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.float64(), len(values), buffers)


def order_of(column: pa.ChunkedArray) -> IntArray:
    """Argsort of a column, from low to high; text by code point, as Python orders it."""
    return np.from_dlpack(pc.sort_indices(column)).astype(np.int64)


def _column(column: pa.ChunkedArray) -> NDArray[Any]:
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return _filled(column.cast(pa.float64()), np.nan)
    text = column.cast(pa.large_string())
    if pc.count_distinct(text[:_LOOK]).as_py() > _LOOK // 2:  # nothing to share, as with ids
        return np.array(text.to_pylist(), dtype=object)
    # One str for each different value: a million rows of ten levels need ten, not a million.
    coded = text.dictionary_encode().combine_chunks()
    words = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    return words[_filled(coded.indices, len(words) - 1)]


def _filled(column: Any, absent: float) -> NDArray[Any]:
    """Numbers, with something in the place of nulls."""
    values = np.full(len(column), absent)
    if not column.null_count:
        return _plain(column).astype(values.dtype)
    values[_plain(column.is_valid().cast(pa.int8())) == 1] = _plain(column.drop_null())
    return values


def _plain(column: Any) -> NDArray[Any]:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.from_dlpack(whole)
