"""From raw rows of twins to what is kept in git: their summary and the page."""

from pathlib import Path

from bench.cases import CASES
from bench.earlier import Earlier
from bench.files import write_all
from bench.summary import Summary
from bench.twins.cases import TWINS, Twin
from bench.twins.page import page

SUMMARY = "twins.json"
PAGE = "twins.md"
REAL = "benchmarks.json"


def publish(earlier: Earlier[Summary], docs: Path) -> None:
    """Write both anew."""
    order = [Twin.of(case, number).name for case in CASES for number in range(TWINS)]
    Summary.read(docs / SUMMARY).updated(earlier.grown(), order=order).write(docs / SUMMARY)
    write(docs)


def write(docs: Path) -> None:
    """The page, from what is kept."""
    write_all(docs, pages(docs))


def pages(docs: Path) -> dict[str, str]:
    """What follows from both summaries, and so changes with what the real cases come to."""
    twins, real = (Summary.read(docs / name) for name in (SUMMARY, REAL))
    return {PAGE: page(twins, real)} if twins.cases else {}
