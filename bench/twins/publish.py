"""From raw rows of twins to what is kept in git: their summary and the page."""

from pathlib import Path

from bench.cases import CASES
from bench.earlier import Earlier
from bench.files import write_whole
from bench.summary import Summary
from bench.twins.cases import TWINS, Twin
from bench.twins.page import page

SUMMARY = "twins.json"
PAGE = "twins.md"


def publish(earlier: Earlier[Summary], docs: Path, real: Summary) -> None:
    """Write both anew."""
    order = [Twin.of(case, number).name for case in CASES for number in range(TWINS)]
    twins = Summary.read(docs / SUMMARY).updated(earlier.grown(), order=order)
    twins.write(docs / SUMMARY)
    write_page(docs, real)


def write_page(docs: Path, real: Summary) -> None:
    """The page alone, which also changes with what the real cases come to."""
    twins = Summary.read(docs / SUMMARY)
    if twins.entries:
        write_whole(docs / PAGE, page(twins, real))
