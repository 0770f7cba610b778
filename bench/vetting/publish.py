"""From raw rows to what is kept in git: the summary, the page, the plots."""

from pathlib import Path

from bench.earlier import Earlier
from bench.files import write_whole
from bench.vetting.page import FOLDER, page
from bench.vetting.plots import write_plots
from bench.vetting.summary import Summary

SUMMARY = "vetting.json"
PAGE = "vetting.md"


def publish(earlier: Earlier[Summary], docs: Path) -> None:
    """Write all of them anew."""
    Summary.read(docs / SUMMARY).updated(earlier.grown()).write(docs / SUMMARY)
    summary = Summary.read(docs / SUMMARY)
    write_whole(docs / PAGE, page(summary))
    write_plots(summary, docs / FOLDER)
