"""From raw rows to what is kept in git: the summary, the pages, the plots."""

import json
from pathlib import Path

from bench import front, tables
from bench.cases import CASES
from bench.changes import Changes
from bench.earlier import Earlier
from bench.files import write_all
from bench.overview import write_overview
from bench.plots import write_plots
from bench.summary import Summary
from bench.twins import publish as twins

SUMMARY = "benchmarks.json"
PAGE = "benchmarks.md"
TABLES = "benchmarks/tables.md"
RACES = "deep.json"


def publish(earlier: Earlier[Summary], docs: Path) -> Changes:
    """Write all of them anew, and say what changed since the last time."""
    before = Summary.read(docs / SUMMARY)
    after = before.updated(earlier.grown(), order=[case.name for case in CASES])
    after.write(docs / SUMMARY)
    write(docs)
    write_all(docs, twins.pages(docs))
    return Changes.between(before, after)


def write(docs: Path) -> None:
    """Pages and plots, from what is kept."""
    summary = Summary.read(docs / SUMMARY)
    write_all(docs, pages(docs))
    write_plots(summary, docs / front.FOLDER)
    write_overview(summary, docs / front.FOLDER)


def pages(docs: Path) -> dict[str, str]:
    """What follows from the summary, and from the race of ``bench.deep`` where it was run."""
    summary, path = Summary.read(docs / SUMMARY), docs / RACES
    races = json.loads(path.read_text(encoding="utf-8"))["speed"] if path.exists() else ()
    return {PAGE: front.page(summary, races), TABLES: tables.page(summary)}
