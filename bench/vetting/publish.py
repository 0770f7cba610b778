"""From raw rows to what is kept in git: the summary, the page, the plots."""

from pathlib import Path

from bench.files import write_whole
from bench.store import Store
from bench.vetting.page import FOLDER, page
from bench.vetting.plots import write_plots
from bench.vetting.summary import Summary

SUMMARY = "vetting.json"
PAGE = "vetting.md"


def publish(store: Store, docs: Path) -> None:
    """Write all of them anew."""
    summary = Summary.read(docs / SUMMARY).updated(Summary.of(store))
    summary.write(docs / SUMMARY)
    write_whole(docs / PAGE, page(summary))
    write_plots(summary, docs / FOLDER)
