"""From rows to what is kept in git: a summary, and the page that is written from it alone."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from bench import publish as benchmarks
from bench.deep.modest import NAMES, PEER, POOLED
from bench.deep.page import page
from bench.deep.plan import USUAL
from bench.files import write_all, write_whole

SUMMARY = "deep.json"
PAGE = "deep.md"

SCORES = ("macro_mse", "worst50_mse", "coverage90", "width90")

ORDER = {estimator: place for place, estimator in enumerate(USUAL)}

MODEST = (POOLED, *NAMES, PEER)

Row = Mapping[str, Any]


def publish(raw: Path, docs: Path) -> None:
    """Write both anew; what was not run again here stays as it was."""
    kept = _read(docs) | {part: made for part, made in summary(raw).items() if made}
    write_whole(docs / SUMMARY, json.dumps(kept, indent=1) + "\n")
    write(docs)
    write_all(docs, benchmarks.pages(docs))  # the race of the peers is on the front page too


def write(docs: Path) -> None:
    """The page, from what is kept."""
    write_all(docs, pages(docs))


def pages(docs: Path) -> dict[str, str]:
    """What follows from the summary."""
    return {PAGE: page(_read(docs))}


def _read(docs: Path) -> dict[str, Any]:
    path = docs / SUMMARY
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def summary(raw: Path) -> dict[str, Any]:
    """Every part as the page reads it."""
    return {
        "simple": _simple(_rows(raw / "simple")),
        "speed": sorted(_rows(raw / "speed"), key=lambda row: row["arms"]),
        "modest": sorted(_rows(raw / "modest"), key=_size),
        "devices": sorted(_rows(raw / "devices"), key=lambda row: row["arms"]),
        "cases": _cases(_rows(raw / "cases")),
        "changes": _changes(_rows(raw / "cases")),
    }


def _size(row: Row) -> tuple[Any, ...]:
    return row["arms"], row["deviation"], row["labels"], MODEST.index(row["estimator"])


def _rows(folder: Path) -> list[Row]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def _simple(rows: list[Row]) -> list[Row]:
    """The first table of each kind, and by how much such tables vary."""
    found: list[Row] = []
    for row in (row for row in rows if row["turn"] == 0):
        again = [r for r in rows if r["kind"] == row["kind"] and r["optimiser"] == row["optimiser"]]
        chance: dict[str, Any] = {
            name: {"mean": mean(values), "deviation": stdev(values)}
            for name in ("bias", "variance", "sum", "length")
            if len(values := [r[name] for r in again]) > 1
        }
        if len(again) > 1:
            chance |= {name: _columns(again, name) for name in ("scales", "medians")}
            chance["fallen"] = sum(r["fallen"] for r in again)
        found.append({**row, "chance": chance, "tables": len(again)})
    return found


def _columns(rows: list[Row], name: str) -> list[float]:
    """A number for each arm, averaged over tables."""
    return [mean(each) for each in zip(*(row[name] for row in rows), strict=True)]


def _cases(rows: list[Row]) -> list[Row]:
    groups = defaultdict(list)
    for row in rows:
        groups[row["case"], row["estimator"]].append(row)
    return [
        {"case": case, "estimator": estimator, "seeds": len(group)}
        | {name: _mean([row[name] for row in group]) for name in SCORES}
        for (case, estimator), group in groups.items()
    ]


def _changes(rows: list[Row]) -> list[Row]:
    """What each variant's field adds to the errors, from seeds that both were run with."""
    by = {(row["case"], row["estimator"], row["seed"]): row for row in rows}
    groups = defaultdict(list)
    for (case, estimator, seed), row in by.items():
        usual = by.get((case, USUAL.get(estimator, ""), seed))
        if usual is not None:
            groups[case, estimator].append({name: row[name] - usual[name] for name in SCORES[:2]})
    return [
        {"case": case, "estimator": estimator, "usual": USUAL[estimator], "seeds": len(pairs)}
        | {name: _mean([pair[name] for pair in pairs]) for name in SCORES[:2]}
        for (case, estimator), pairs in sorted(groups.items(), key=lambda one: ORDER[one[0][1]])
    ]


def _mean(values: list[float]) -> dict[str, float | None]:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return {"mean": mean(values), "error": error}
