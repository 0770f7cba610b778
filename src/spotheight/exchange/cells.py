"""CSV cells: what a spreadsheet would run as a formula is written so that it is not, reversibly."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from spotheight.arms import CATEGORY, PREDICTION, SCORE

RISKY = r"^'*[=+\-@\t\r\n]"
"""How a formula starts; apostrophes before it are ours, or are to be told from ours."""

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
"""A plain number harms nobody and stays a number."""

OURS = (PREDICTION, SCORE, CATEGORY)
"""Headings that start like a formula and are none."""

_RISKY, _NUMBER, _GUARDED = re.compile(RISKY), re.compile(NUMBER), re.compile(r"'+[=+\-@\t\r\n]")


def guarded(cell: str) -> str:
    """A cell that no spreadsheet runs: an apostrophe comes before what would start a formula.

    >>> guarded("=1+1"), guarded("-5"), guarded("'=1")
    ("'=1+1", '-5', "''=1")
    """
    is_risky = _RISKY.match(cell) is not None and _NUMBER.fullmatch(cell) is None
    return f"'{cell}" if is_risky else cell


def unguarded(cell: str) -> str:
    """The cell that was guarded.

    >>> unguarded("'=1+1"), unguarded("-5"), unguarded("''=1"), unguarded("'tis")
    ('=1+1', '-5', "'=1", "'tis")
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def guarded_table(table: pa.Table) -> pa.Table:
    """The same for the texts and the headings of a table."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            column = table.column(place)
            is_number = pc.match_substring_regex(column, NUMBER)
            is_risky = pc.and_not(pc.match_substring_regex(column, RISKY), is_number)
            apostrophe = pa.scalar("'", field.type)
            safe = pc.binary_join_element_wise(apostrophe, column, pa.scalar("", field.type))
            table = table.set_column(place, field, pc.if_else(is_risky, safe, column))
    names = [name if name in OURS else guarded(name) for name in table.column_names]
    return table.rename_columns(names)


def csv_text(
    headings: Sequence[str], rows: Iterable[Sequence[object]], *, is_guarded: bool = False
) -> str:
    """Headings and rows as CSV, guarded unless they are; nothing known is an empty cell."""
    guard = str if is_guarded else guarded
    return "".join(_line(row, guard) for row in (headings, *rows))


def _line(cells: Sequence[object], guard: Callable[[str], str]) -> str:
    text = io.StringIO()
    # This line end makes a carriage return inside a cell stand in quotes; files end with \n.
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([guard(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue().removesuffix("\r\n") + "\n"


def read_csv(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text, unguarded, and the lines they begin in.

    Raises:
        csv.Error: The text is no CSV.
    """
    # The module refuses cells over 131,072 characters and has one limit for everybody.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader, line = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1
    for row in reader:
        if row:
            yield line, [unguarded(cell) for cell in row]
        line = reader.line_num + 1
