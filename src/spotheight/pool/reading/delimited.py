"""Delimited text (CSV, TSV): its encoding, its delimiter and its header."""

import codecs
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from spotheight.errors import InputError

_CHUNK = 1 << 22
DELIMITERS = (",", ";", "\t", "|")
"""What may stand between the cells of a CSV file; spreadsheets of many countries write ``;``."""


def delimiter_of(file: TextIO) -> str:
    """The delimiter that cuts the header of a CSV file into the most columns."""

    def columns(delimiter: str) -> int:
        file.seek(0)
        try:
            return len(next(csv.reader(file, delimiter=delimiter), []))
        except csv.Error:
            return 0  # a cell that never ends, for one

    return max(DELIMITERS, key=columns)


def _opened(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", newline="")


def delimiter_in(path: Path) -> str:
    """What stands between the cells of a file."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    with _opened(path) as file:
        return delimiter_of(file)


def header(path: Path, delimiter: str) -> list[str]:
    """The first row of a file, as it is written."""
    try:
        with _opened(path) as file:
            names = next(csv.reader(file, delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"The first line of {path.name!r} cannot be read: {error}.") from None
    if not names:
        raise InputError(f"The first line of {path.name!r} is empty; it should name the columns.")
    return names


def column_names(header: Sequence[str]) -> list[str]:
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
        kind, ending = ("Parquet", ".parquet") if start == b"PAR1" else ("a spreadsheet", ".xlsx")
        return f"it is {kind}; give it the ending {ending}, or save the table as CSV."
    is_wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    before = "utf-16" if is_wide else "latin1"
    return f"save it as UTF-8, for example with `iconv -f {before} -t utf-8`."
