"""From raw rows to what is kept in git: the summary, the page, the plots."""

from pathlib import Path

from bench.earlier import Earlier
from bench.files import write_all
from bench.vetting.page import FOLDER, page
from bench.vetting.plots import write_plots
from bench.vetting.summary import Summary

SUMMARY = "vetting.json"
PAGE = "vetting.md"


def publish(earlier: Earlier[Summary], docs: Path) -> None:
    """Write all of them anew."""
    Summary.read(docs / SUMMARY).updated(earlier.grown()).write(docs / SUMMARY)
    write(docs)


def write(docs: Path) -> None:
    """The page and its plots, from what is kept."""
    write_all(docs, pages(docs))
    write_plots(Summary.read(docs / SUMMARY), docs / FOLDER)


def pages(docs: Path) -> dict[str, str]:
    """What follows from the summary."""
    return {PAGE: page(Summary.read(docs / SUMMARY))}
