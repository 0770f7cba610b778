"""Numbers of true items from a file."""

from math import inf, isfinite
from pathlib import Path

from spotheight.errors import InputError
from spotheight.pool.reading.embedded import reading
from spotheight.pool.reading.source import open_source


def read_positives(path: Path) -> dict[str, float]:
    """How many true items each category has, from a table of two columns."""
    with reading(repr(str(path))):
        table = open_source(path).to_pyarrow()
    if table.num_columns != 2:
        raise InputError(
            f"{str(path)!r} has {table.num_columns} columns; it needs two: the category and the "
            f"number of its true items."
        )
    names, numbers = (column.to_pylist() for column in table.columns)
    found: dict[str, float] = {}
    for name, number in zip(names, numbers, strict=True):
        if str(name) in found:
            raise InputError(f"{str(path)!r} names the category {name!r} twice; name it once.")
        found[str(name)] = _number(path, str(name), number)
    if not found:
        raise InputError(f"{str(path)!r} has no rows; it needs one for each category.")
    return found


def _number(path: Path, name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = inf
    if not isfinite(number):
        raise InputError(
            f"{str(path)!r} gives {value!r} as the positives of {name!r}, which is no number."
        )
    return number
