"""From raw rows to what is kept in git: the summary, the page, the plots."""

from pathlib import Path

from bench.celeba.page import FOLDER, page
from bench.celeba.plan import SETTINGS, Setting
from bench.celeba.plots import write_plots
from bench.celeba.replica import ARMS
from bench.celeba.surface import Statistics
from bench.celeba.words import KNOWN
from bench.earlier import Earlier
from bench.facts import Facts
from bench.files import write_all
from bench.summary import Summary

SUMMARY = "celeba.json"
PAGE = "celeba.md"
STATISTICS = "replica.json"


def publish(earlier: Earlier[Summary], statistics: Statistics, docs: Path) -> None:
    """Write all of them anew."""
    cases = {one.name: facts_of(one, statistics) for one in SETTINGS}
    newer = Summary(cases, earlier.grown().entries)
    statistics.write(docs / FOLDER / STATISTICS)
    Summary.read(docs / SUMMARY).updated(newer, order=cases).write(docs / SUMMARY)
    write(docs)


def write(docs: Path) -> None:
    """The page and its plots, from what is kept."""
    write_all(docs, pages(docs))
    write_plots(*_read(docs), docs / FOLDER)


def pages(docs: Path) -> dict[str, str]:
    """What follows from the summary and the statistics of the replica."""
    return {PAGE: page(*_read(docs))}


def _read(docs: Path) -> tuple[Summary, Statistics]:
    return Summary.read(docs / SUMMARY), Statistics.read(docs / FOLDER / STATISTICS)


def facts_of(setting: Setting, statistics: Statistics) -> Facts:
    """A setting as the summary introduces it."""
    return Facts(
        title=f"{setting.service}, {KNOWN[setting.knowledge]}",
        service=setting.service,
        attributes=ARMS,
        has_score=setting.knowledge != "unscored",
        is_key=setting.knowledge == "gold",
        items=statistics.items,
        arms=statistics.arms,
        judged_arms=statistics.judged_arms,
        accuracy=statistics.services[setting.service].accuracy,
    )
