"""A reader of tables whose cells stand between bars, ``| a | b |``, a row a line."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa


def read_rows(paths: Sequence[Path]) -> pa.Table:
    """One table of all files; every cell is text, and an empty one is missing."""
    return pa.concat_tables([_read(path) for path in paths])


def _read(path: Path) -> pa.Table:
    head, *rows = [_cells(line) for line in path.read_text(encoding="utf-8").splitlines()]
    columns = zip(*rows, strict=True) if rows else [()] * len(head)
    return pa.table(
        {
            name: pa.array([cell or None for cell in column], pa.string())
            for name, column in zip(head, columns, strict=True)
        }
    )


def _cells(line: str) -> list[str]:
    if not (line.startswith("|") and line.endswith("|")):
        raise ValueError(f"The line {line[:40]!r} should begin and end with a bar")
    return line[1:-1].split("|")
