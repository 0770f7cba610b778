"""DuckDB, the embedded engine that reads tables, and what it says when it cannot."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ibis
import pyarrow as pa

from spotheight.errors import InputError, SpotheightError

Table = Any
"""An Ibis table expression: Ibis ships no types that mypy can follow."""


Column = Any
"""A column of one."""


def connection() -> Any:
    """An engine of its own for one table."""
    made = ibis.duckdb.connect()
    # Without a script file it would draw a bar on stdout, into what the caller writes there.
    made.raw_sql("SET enable_progress_bar = false")
    return made


def in_engine(table: pa.Table) -> Table:
    """An Arrow table as one that an engine of its own holds."""
    _require_distinct(table.column_names)
    engine = connection()
    # Not by Ibis' create_table, which imports pandas and Polars to see whether it is theirs.
    engine.con.register("given", _typed(table))
    engine.raw_sql("CREATE TABLE pool AS SELECT * FROM given")
    engine.con.unregister("given")
    return engine.table("pool")


def _require_distinct(names: Sequence[str]) -> None:
    """Raise where two columns have one name to an engine that sees no upper and lower case."""
    spelled: dict[str, str] = {}
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two columns are called {name!r}; rename one of them.")
        other = spelled.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"The columns {other!r} and {name!r} differ in upper and lower case only; "
                f"rename one of them."
            )


def _typed(table: pa.Table) -> pa.Table:
    """A column in which nothing is known becomes text: engines want every column to have a type."""
    fields = [f.with_type(pa.string()) if pa.types.is_null(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn what an engine says of a table it cannot read into a sentence of ours."""
    try:
        yield
    except SpotheightError:
        raise
    except Exception as error:
        raise InputError(f"Cannot read {what}: {_complaint(error)}.") from error


def _complaint(error: Exception) -> str:
    """What an engine said, without its list of fixes and settings."""
    said = "; ".join(map(str, error.args)).partition("Possible fixes")[0].split("\n\n")[0]
    lines = [line.strip().rstrip(".!") for line in said.splitlines() if line.strip()]
    return "; ".join(line[:300] for line in lines[:3]) or type(error).__name__
