"""Fetching: the rows of a table expression, out of its engine as Arrow."""

from typing import Any

import duckdb
import pyarrow as pa


def fetched(table: Any) -> pa.Table:
    """The rows of an Ibis table, straight from DuckDB where that is the engine.

    On Ibis' own way out pandas is imported, which takes longer than most commands work.
    """
    engine = table.get_backend()
    if engine.name != "duckdb":
        return table.to_pyarrow()
    try:
        rows = engine.con.sql(engine.compile(table)).to_arrow_table()
    except duckdb.Error:  # Ibis may know tables that it has not yet shown to the engine
        return table.to_pyarrow()
    return rows.cast(table.schema().to_pyarrow())
