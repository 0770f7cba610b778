"""From raw readings to what is kept in git: the summary, the page, the plots."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.assessment.page import FOLDER, page
from bench.assessment.plots import write_plots
from bench.assessment.reliability import reliability
from bench.assessment.store import Store
from bench.assessment.summary import summary
from bench.files import write_all, write_whole

Row = dict[str, Any]
Name = tuple[object, ...]

SUMMARY = "assessment.json"
PAGE = "assessment.md"


def publish(store: Store, docs: Path, data: Path | None = None) -> None:
    """Write all of them anew; what has no raw readings stays as it was kept."""
    path = docs / SUMMARY
    kept = _read(docs)
    if store.folder.is_dir():
        kept = merged(kept, _rounded(summary(store)))
    if data is not None:
        kept["reliability"] = _rounded(reliability(data))
    write_whole(path, json.dumps(kept, indent=1) + "\n")
    write(docs)


def write(docs: Path) -> None:
    """The page and its plots, from what is kept."""
    write_all(docs, pages(docs))
    write_plots(_read(docs), docs / FOLDER)


def pages(docs: Path) -> dict[str, str]:
    """What follows from the summary."""
    return {PAGE: page(_read(docs))}


def _read(docs: Path) -> dict[str, Any]:
    path = docs / SUMMARY
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def merged(kept: Any, new: Any) -> dict[str, Any]:
    """New rows and curves in the place of kept ones of the same name, behind those with none."""
    tables = {
        name: _replaced(kept.get("tables", {}).get(name, []), rows, _row_name)
        for name, rows in new["tables"].items()
    }
    curves = _replaced(kept.get("curves", []), new["curves"], _curve_name)
    return {**kept, "tables": tables, "curves": curves}


def _replaced(old: list[Row], new: list[Row], name: Callable[[Row], Name]) -> list[Row]:
    rows = {name(row): row for row in old} | {name(row): row for row in new}
    return list(rows.values())


def _row_name(row: Row) -> Name:
    return (row["case"], *(row.get(key) for key in ("labels", "cost", "most")))


def _curve_name(row: Row) -> Name:
    return tuple(row[key] for key in ("case", "question", "aim", "policy", "prior", "cost"))


def _rounded(value: Any) -> Any:
    """Five digits are enough for a page, and keep a second run's file the same."""
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
