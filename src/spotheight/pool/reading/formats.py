"""Readers of files, by what their names end in; ids and words stay text."""

import glob
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.feather

from spotheight.errors import InputError
from spotheight.pool.reading.delimited import column_names, delimiter_in, header, require_utf8
from spotheight.pool.reading.embedded import Table, connection, in_engine, reading
from spotheight.pool.reading.excel import excel_table
from spotheight.pool.reading.files import PoolFiles
from spotheight.registry.plugins import offers

Paths = Sequence[Path]


def open_files(files: PoolFiles) -> Table:
    """One table over all of the files."""
    paths = files.paths
    empty = next((path for path in paths if path.stat().st_size == 0), None)
    if empty is not None:
        raise InputError(
            f"The file {str(empty)!r} is empty; it needs a header and at least one row."
        )
    reader = READERS.get(paths[0].suffix.lower())
    if reader is None:
        return _read_outside(paths, files)
    with reading(repr(str(files.path))):
        return reader(paths)


def _read_outside(paths: Paths, files: PoolFiles) -> Table:
    """By the reader of an installed package, the one with the longest ending that fits."""
    others = offers("reader", READERS)
    name = paths[0].name.lower()
    ending = max((e for e in others.usable if name.endswith(e)), key=len, default="")
    if not ending:
        known = ", ".join((*READERS, *others.usable))
        said = " ".join((f"known endings are {known}; packages may bring others.", *others.refused))
        raise InputError(f"Cannot tell what {paths[0].name!r} is; {said}")
    plugin = others.usable[ending]
    read = plugin.load()
    if not callable(read):
        raise plugin.broken(f"it is no function but {type(read).__name__!r}")
    with reading(f"{str(files.path)!r} with the reader of {plugin.package!r}"):
        return in_engine(pa.table(read(paths)))


def _literal(paths: Paths) -> list[str]:
    """Names as the engine takes them by the letter: to it ``[``, ``*`` and ``?`` are patterns."""
    return [glob.escape(str(path.resolve())) for path in paths]


def _read_csv(paths: Paths) -> Table:
    for path in paths:
        require_utf8(path)
    delimiter = delimiter_in(paths[0])
    names = _shared_header(paths, delimiter)
    # Everything is read as text: an id like 007 must stay as it is. Nothing is guessed, for a
    # ragged row would make an engine that guesses take another line for the header.
    return connection().read_csv(
        _literal(paths),
        columns=dict.fromkeys(column_names(names), "VARCHAR"),
        auto_detect=False,
        header=True,
        delim=delimiter,
        quote='"',
        escape='"',
        hive_partitioning=False,
    )


def _shared_header(paths: Paths, delimiter: str) -> list[str]:
    """The header that all files begin with."""
    first = header(paths[0], delimiter)
    for path in paths[1:]:
        if header(path, delimiter) != first:
            raise InputError(
                f"The first line of {path.name!r} is another than that of {paths[0].name!r}; "
                f"parts of one table need the same columns in the same order."
            )
    return first


def _read_parquet(paths: Paths) -> Table:
    return connection().read_parquet(_literal(paths), hive_partitioning=False)


def _read_json_lines(paths: Paths) -> Table:
    for path in paths:
        require_utf8(path)
    names = {"format": "newline_delimited", "hive_partitioning": False}
    found = connection().read_json(_literal(paths), sample_size=-1, **names).schema()
    # Only numbers keep their kind: a text that looks like a date or a UUID would be respelled.
    columns = {name: _json_kind(kind) for name, kind in found.items()}
    return connection().read_json(_literal(paths), columns=columns, **names)


def _json_kind(kind: Any) -> str:
    if kind.is_integer():
        return "BIGINT"
    return "DOUBLE" if kind.is_floating() else "VARCHAR"


def _read_arrow(paths: Paths) -> Table:
    return in_engine(pa.concat_tables([pyarrow.feather.read_table(path) for path in paths]))


def _read_excel(paths: Paths) -> Table:
    return in_engine(pa.concat_tables([excel_table(path) for path in paths]))


READERS: MappingProxyType[str, Callable[[Paths], Table]] = MappingProxyType(
    {
        ".csv": _read_csv,
        ".tsv": _read_csv,
        ".parquet": _read_parquet,
        ".pq": _read_parquet,
        ".jsonl": _read_json_lines,
        ".ndjson": _read_json_lines,
        ".arrow": _read_arrow,
        ".feather": _read_arrow,
        ".ipc": _read_arrow,
        ".xlsx": _read_excel,
    }
)
