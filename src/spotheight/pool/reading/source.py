"""Sources: from a file or a frame in memory to an Ibis table."""

from collections.abc import Mapping
from pathlib import Path

import ibis
import pyarrow as pa

from spotheight.errors import InputError
from spotheight.pool.reading.embedded import Table, in_engine, reading
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.formats import open_files

ROW = "row"
"""What numbers of rows are called, where items have no other name."""


def open_source(source: object) -> Table:
    """An Ibis table over a path, a frame, rows as dicts, or an Ibis table itself."""
    if isinstance(source, (str, Path, PoolFiles)):
        return open_files(PoolFiles.of(source))
    if isinstance(source, ibis.expr.types.Table):
        return source
    with reading("the table"):
        return in_engine(_as_arrow(source))


def taken_out(table: Table, source: object) -> pa.Table:
    """The rows of a table over a source; their engine is let go, unless it is the caller's own.

    What it buffers, often more than the rows, would stay until cycles of objects are collected.
    """
    rows = fetched(table)
    if not isinstance(source, ibis.expr.types.Table):
        table.get_backend().disconnect()
    return rows


def _as_arrow(source: object) -> pa.Table:
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if hasattr(source, "to_arrow"):
        return source.to_arrow()
    if type(source).__module__.startswith("pandas"):
        return pa.Table.from_pandas(source, preserve_index=False)
    if isinstance(source, Mapping):
        return pa.table(dict(source))
    if isinstance(source, (list, tuple)) and all(isinstance(row, Mapping) for row in source):
        names = dict.fromkeys(name for row in source for name in row)
        return pa.table({name: [row.get(name) for row in source] for name in names})
    raise InputError(
        f"Cannot read a table from {type(source).__name__!r}; give a path, a pandas, Polars, Arrow "
        f"or Ibis table, a dict of columns or a list of dicts."
    )


def numbered(table: Table) -> Table:
    """The table in memory with its rows numbered, for one that has no id of its own."""
    arrow = table.to_pyarrow()
    if ROW in arrow.column_names:
        raise InputError(f"The table has a column {ROW!r} already; name the id with --id.")
    width = len(str(max(arrow.num_rows - 1, 1)))
    numbers = pa.array([f"{row:0{width}d}" for row in range(arrow.num_rows)])
    return open_source(arrow.append_column(ROW, numbers))
