"""Cost matrices from files."""

import csv
import io
from pathlib import Path

from spotheight.errors import InputError
from spotheight.pool.reading.delimited import DELIMITERS, delimiter_of
from spotheight.pool.reading.embedded import reading
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.source import open_source
from spotheight.questions.quantities import Costs
from spotheight.questions.quantities.cost import read_costs


def read_cost_file(path: Path) -> Costs:
    """A cost matrix from a table."""
    _require_even_rows(path)
    with reading(repr(str(path))):  # a file may be readable up to some row only
        table = fetched(open_source(path))
    columns = [["" if cell is None else cell for cell in c.to_pylist()] for c in table.columns]
    names = _written_names(path, table.column_names)
    return read_costs(names, list(zip(*columns, strict=True)), str(path))


def _require_even_rows(path: Path) -> None:
    """Raise where a row of a text file has more or fewer cells than its head."""
    if path.suffix.lower() not in (".csv", ".tsv") or not path.is_file():
        return
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    delimiter = delimiter_of(io.StringIO(text))
    rows = [row for row in csv.reader(text.splitlines(True), delimiter=delimiter) if row]
    head = rows[0] if rows else []
    for row in rows:
        if len(row) != len(head):
            raise InputError(
                f"The cost matrix {str(path)!r} has {len(row) - 1} costs for the true class "
                f"{row[0]!r} and {len(head) - 1} answers; each row needs one cost for each answer."
            )


def _written_names(path: Path, names: list[str]) -> list[str]:
    """Answers as they are written: engines rename columns that differ in nothing but case."""
    if path.suffix.lower() in (".csv", ".tsv"):
        line = path.read_text(encoding="utf-8-sig").splitlines()[:1]
        for delimiter in DELIMITERS:
            header = [name.strip() for name in next(csv.reader(line, delimiter=delimiter))]
            if len(header) == len(names):
                return header
    return names
