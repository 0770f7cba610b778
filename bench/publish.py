"""From raw rows to what is kept in git: the summary, the page, the plots."""

from pathlib import Path

from bench.cases import CASES
from bench.changes import Changes
from bench.earlier import Earlier
from bench.files import write_whole
from bench.page import FOLDER, page
from bench.plots import write_plots
from bench.summary import Summary
from bench.twins.publish import write_page

SUMMARY = "benchmarks.json"
PAGE = "benchmarks.md"


def publish(earlier: Earlier[Summary], docs: Path) -> Changes:
    """Write all of them anew, and say what changed since the last time."""
    before = Summary.read(docs / SUMMARY)
    after = before.updated(earlier.grown(), order=[case.name for case in CASES])
    after.write(docs / SUMMARY)
    write_whole(docs / PAGE, page(after))
    write_plots(after, docs / FOLDER)
    write_page(docs, real=after)
    return Changes.between(before, after)
