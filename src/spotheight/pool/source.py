"""From a file or a frame in memory to an Ibis table; ids and words stay text."""

import codecs
import csv
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import ibis
import pyarrow as pa
import pyarrow.feather

from spotheight.errors import InputError, SpotheightError
from spotheight.pool.fetch import fetched

Table = Any
"""An Ibis table expression: Ibis ships no types that mypy can follow."""

ROW = "row"
"""What numbers of rows are called, where items have no other name."""

_CHUNK = 1 << 22
DELIMITERS = (",", ";", "\t", "|")
"""What may stand between the cells of a CSV file; spreadsheets of many countries write ``;``."""


def open_source(source: object) -> Table:
    """An Ibis table over a path, a pandas, Polars or Arrow table, or an Ibis table itself."""
    if isinstance(source, (str, Path)):
        return _open_file(Path(source))
    if isinstance(source, ibis.expr.types.Table):
        return source
    with reading("the table"):
        table = _as_arrow(source)
        _require_distinct(table.column_names)
        return _connection().create_table("pool", _typed(table), temp=True)


def taken_out(table: Table, source: object) -> pa.Table:
    """The rows of a table over a source; their engine is let go, unless it is the caller's own.

    What it buffers, often more than the rows, would stay until cycles of objects are collected.
    """
    rows = fetched(table)
    if not isinstance(source, ibis.expr.types.Table):
        table.get_backend().disconnect()
    return rows


def _connection() -> Any:
    connection = ibis.duckdb.connect()
    # Without a script file it would draw a bar on stdout, into what the caller writes there.
    connection.raw_sql("SET enable_progress_bar = false")
    return connection


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


def _require_distinct(names: Sequence[str]) -> None:
    """Raise where two columns have one name to an engine that sees no upper and lower case."""
    spelled: dict[str, str] = {}
    for name in names:
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
    with reading(repr(str(path))):
        return reader(path)


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


def _read_csv(path: Path) -> Table:
    require_utf8(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(path)
    # Everything is read as text: an id like 007 must stay as it is. Nothing is guessed, for a
    # ragged row would make an engine that guesses take another line for the header.
    return _connection().read_csv(
        path,
        columns=dict.fromkeys(_column_names(_header(path, delimiter)), "VARCHAR"),
        auto_detect=False,
        header=True,
        delim=delimiter,
        quote='"',
        escape='"',
    )


def delimiter_of(file: TextIO) -> str:
    """What cuts the header of a CSV file into the most columns."""

    def columns(delimiter: str) -> int:
        file.seek(0)
        return len(next(csv.reader(file, delimiter=delimiter), []))

    return max(DELIMITERS, key=columns)


def _opened(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", newline="")


def _delimiter(path: Path) -> str:
    with _opened(path) as file:
        return delimiter_of(file)


def _header(path: Path, delimiter: str) -> list[str]:
    with _opened(path) as file:
        names = next(csv.reader(file, delimiter=delimiter), [])
    if not names:
        raise InputError(f"The first line of {path.name!r} is empty; it should name the columns.")
    return names


def _column_names(header: Sequence[str]) -> list[str]:
    """Names an engine can tell apart: it does not see upper and lower case."""
    names: dict[str, str] = {}
    for place, written in enumerate(header):
        name = written.strip() or f"column{place}"
        while name.lower() in names:
            name += "_1"
        names[name.lower()] = name
    return list(names.values())


def require_utf8(path: Path) -> None:
    """Raise with the place of the first byte that is no UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            waiting = len(decoder.getstate()[0])  # the start of a letter, cut by the last chunk
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                byte = done - waiting + error.start
                raise InputError(
                    f"The file {path.name!r} is not UTF-8 (byte {byte}); {_way_out(path)}"
                ) from None
            if not chunk:
                return
            done += len(chunk)


def _way_out(path: Path) -> str:
    """What to do with a file that is no UTF-8, by its first bytes."""
    with path.open("rb") as file:
        start = file.read(4)
    if start in (b"PAR1", b"PK\x03\x04"):
        kind = "Parquet" if start == b"PAR1" else "a spreadsheet or an archive"
        return f"it is {kind}; save the table as CSV."
    is_wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    before = "utf-16" if is_wide else "latin1"
    return f"save it as UTF-8, for example with `iconv -f {before} -t utf-8`."


def _read_parquet(path: Path) -> Table:
    return _connection().read_parquet(path)


def _read_json_lines(path: Path) -> Table:
    require_utf8(path)
    found = _connection().read_json(path, format="newline_delimited", sample_size=-1).schema()
    # Only numbers keep their kind: a text that looks like a date or a UUID would be respelled.
    columns = {name: _json_kind(kind) for name, kind in found.items()}
    return _connection().read_json(path, format="newline_delimited", columns=columns)


def _json_kind(kind: Any) -> str:
    if kind.is_integer():
        return "BIGINT"
    return "DOUBLE" if kind.is_floating() else "VARCHAR"


def _read_arrow(path: Path) -> Table:
    return open_source(pyarrow.feather.read_table(path))


def file_fingerprint(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"


def numbered(table: Table) -> Table:
    """The table in memory with its rows numbered, for one that has no id of its own."""
    arrow = table.to_pyarrow()
    if ROW in arrow.column_names:
        raise InputError(f"The table has a column {ROW!r} already; name the id with --id.")
    width = len(str(max(arrow.num_rows - 1, 1)))
    numbers = pa.array([f"{row:0{width}d}" for row in range(arrow.num_rows)])
    return open_source(arrow.append_column(ROW, numbers))
