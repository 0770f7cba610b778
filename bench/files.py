"""Files that are whole or as they were before, and numbers as they stand in them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DIGITS = 5
"""Kept of every number: finer than any spread over runs, and short in a diff."""


def short(value: float) -> float:
    """A number as it is written down.

    >>> short(0.1234567)
    0.12346
    """
    return float(f"{value:.{DIGITS}g}")


def write_lines(path: Path, cases: Mapping[str, Any], entries: Iterable[Any]) -> None:
    """A summary as JSON, a line for each case and each entry, so that a diff shows what moved."""
    about = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items())
    lines = ",\n".join(map(json.dumps, entries))
    write_whole(path, f'{{"cases": {{\n{about}\n}},\n"entries": [\n{lines}\n]}}\n')


def write_all(folder: Path, texts: Mapping[str, str]) -> None:
    """Files by their names in a folder."""
    for name, text in texts.items():
        write_whole(folder / name, text)


def write_whole(path: Path, text: str) -> None:
    """Replace a file at once; leave it alone where nothing would change."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
