"""From a file or a frame in memory to an Ibis table; ids and words stay text."""

import codecs
import hashlib
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.feather

from spotheight.errors import InputError

Table = Any
"""An Ibis table expression: Ibis ships no types that mypy can follow."""

_CHUNK = 1 << 22


def open_source(source: object) -> Table:
    """An Ibis table over a path, a pandas, Polars or Arrow table, or an Ibis table itself."""
    if isinstance(source, (str, Path)):
        return _open_file(Path(source))
    if isinstance(source, ibis.expr.types.Table):
        return source
    arrow = _as_arrow(source)
    return _connection().create_table("pool", arrow, temp=True)


def _connection() -> Any:
    return ibis.duckdb.connect()


def _as_arrow(source: object) -> pa.Table:
    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if hasattr(source, "to_arrow"):
        return source.to_arrow()
    if type(source).__module__.startswith("pandas"):
        return pa.Table.from_pandas(source, preserve_index=False)
    raise InputError(
        f"Cannot read a table from {type(source).__name__!r}; "
        f"give a path, a pandas, Polars, Arrow or Ibis table."
    )


def _open_file(path: Path) -> Table:
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}.")
    if path.stat().st_size == 0:
        raise InputError(
            f"The file {str(path)!r} is empty; it needs a header and at least one row."
        )
    readers = {
        ".csv": _read_csv,
        ".tsv": _read_csv,
        ".parquet": _read_parquet,
        ".pq": _read_parquet,
        ".jsonl": _read_json_lines,
        ".ndjson": _read_json_lines,
        ".arrow": _read_arrow,
        ".feather": _read_arrow,
        ".ipc": _read_arrow,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"Cannot tell what {path.name!r} is; known endings are {', '.join(readers)}."
        )
    try:
        return reader(path)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"Cannot read {str(path)!r}: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """What an engine said, without its dumps of lines and hints."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _read_csv(path: Path) -> Table:
    require_utf8(path)
    # Everything is read as text: an id like 007 must stay as it is.
    return _connection().read_csv(path, all_varchar=True, header=True, sample_size=-1)


def require_utf8(path: Path) -> None:
    """Raise with the place of the first byte that is no UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"The file {path.name!r} is not UTF-8 (byte {done + error.start}); "
                    f"save it as UTF-8, for example with `iconv -f latin1 -t utf-8`."
                ) from None
            done += len(chunk)


def _read_parquet(path: Path) -> Table:
    return _connection().read_parquet(path)


def _read_json_lines(path: Path) -> Table:
    return _connection().read_json(path, format="newline_delimited")


def _read_arrow(path: Path) -> Table:
    return _connection().create_table("pool", pyarrow.feather.read_table(path), temp=True)


def file_fingerprint(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"


def numbered(table: Table, name: str = "row") -> Table:
    """The table in memory with its rows numbered, for one that has no id of its own."""
    arrow = table.to_pyarrow()
    if name in arrow.column_names:
        raise InputError(f"The table has a column {name!r} already; name the id with --id.")
    width = len(str(max(arrow.num_rows - 1, 1)))
    numbers = pa.array([f"{row:0{width}d}" for row in range(arrow.num_rows)])
    return open_source(arrow.append_column(name, numbers))
