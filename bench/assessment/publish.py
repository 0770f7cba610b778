"""From raw readings to what is kept in git: the summary, the page, the plots."""

import json
from pathlib import Path

from bench.assessment.page import FOLDER, page
from bench.assessment.plots import write_plots
from bench.assessment.store import Store
from bench.assessment.summary import summary
from bench.files import write_whole

SUMMARY = "assessment.json"
PAGE = "assessment.md"


def publish(store: Store, docs: Path) -> None:
    """Write all of them anew; without raw readings the kept summary stays."""
    path = docs / SUMMARY
    if store.folder.is_dir():
        write_whole(path, json.dumps(_rounded(summary(store)), indent=1) + "\n")
    kept = json.loads(path.read_text(encoding="utf-8"))
    write_whole(docs / PAGE, page(kept))
    write_plots(kept, docs / FOLDER)


def _rounded(value: object) -> object:
    """Five digits are enough for a page, and keep a second run's file the same."""
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
