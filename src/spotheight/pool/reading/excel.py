"""Excel workbooks: the first sheet as a table; needs the extra ``excel``."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from spotheight.errors import InputError
from spotheight.pool.reading.delimited import column_names


def excel_rows(path: Path) -> list[list[Any]]:
    """The rows of a workbook's first sheet, the header first."""
    try:
        calamine: Any = import_module("python_calamine")
    except ImportError:
        raise InputError(
            f"{path.name!r} is a workbook, and reading one needs a library more: "
            f"pip install 'spotheight[excel]', or save the sheet as CSV."
        ) from None
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except calamine.CalamineError as error:
        raise InputError(f"Cannot read the workbook {path.name!r}: {error}.") from None
    if not rows:
        raise InputError(f"The first sheet of {path.name!r} is empty; it needs a header and rows.")
    return [[_plain(cell) for cell in row] for row in rows]


def excel_table(path: Path) -> pa.Table:
    """The first sheet of a workbook; a column of numbers stays one, all else becomes text."""
    head, *rows = excel_rows(path)
    names = column_names([shown(cell) or "" for cell in head])
    columns = [_column([row[place] for row in rows]) for place in range(len(names))]
    return pa.table(dict(zip(names, columns, strict=True)))


def _column(cells: Sequence[Any]) -> pa.Array:
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(cell, float) for cell in known):
        return pa.array(cells, pa.float64())
    return pa.array([shown(cell) for cell in cells], pa.string())


def _plain(cell: Any) -> Any:
    """A cell as text, number or nothing; dates as they are written in tables."""
    if cell == "":
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    return float(cell) if isinstance(cell, (int, float)) else str(cell)


def shown(cell: Any) -> str | None:
    """A cell as text; spreadsheets keep whole numbers as they keep all numbers."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return None if cell is None else str(cell)
