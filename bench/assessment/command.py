"""``python -m bench.assessment``."""

from collections.abc import Callable
from functools import cache
from math import ceil, inf
from pathlib import Path
from time import monotonic

import click
from numpy.random import Generator, default_rng

from bench.assessment.data import LOADERS, Case
from bench.assessment.duels import compared_groups, run_duels
from bench.assessment.passes import Study, run_pass
from bench.assessment.plan import studies
from bench.assessment.publish import publish
from bench.assessment.store import BLOCK, Store
from bench.cases import ROOT, data_folder
from spotheight.cli import notice
from spotheight.types import FloatArray

RAW = ROOT / ".bench" / "assessment"
DOCS = ROOT / "docs"

TABLES = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "figures")


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--table", "tables", multiple=True, type=click.Choice(TABLES), help="Repeatable.")
@click.option("--runs", type=click.IntRange(min=1), default=1000, show_default=True)
def main(minutes: float | None, tables: tuple[str, ...], runs: int) -> None:
    """Run the tables of Ji et al. 2021 anew, and write docs/assessment.md.

    Goes on where it was stopped; raw readings are kept in .bench/assessment.

    Example: python -m bench.assessment --table 3 --minutes 5
    """
    folder = data_folder()
    if folder is None:
        notice("The data are not here, so nothing is run; say where they lie with SPOTHEIGHT_DATA.")
        return
    end = inf if minutes is None else monotonic() + 60 * minutes
    try:
        run_studies(Store(RAW), folder, tables, runs, lambda: monotonic() >= end)
    except KeyboardInterrupt:
        notice("Stopped; what was done is kept.")
    publish(Store(RAW), DOCS, folder)


def run_studies(
    store: Store, folder: Path, tables: tuple[str, ...], runs: int, is_late: Callable[[], bool]
) -> None:
    """Everything that is missing, a block of runs at a time."""

    @cache
    def load(name: str) -> Case:
        return LOADERS[name](folder)

    def run(study: Study, block: int, size: int) -> dict[str, FloatArray]:
        case, rng = load(study.case), _rng(study, block)
        if study.question == "compare":
            return run_duels(compared_groups(case, folder), study.prior, study.policy, rng)
        return run_pass(study, case, size, rng)

    for study, most in studies(tables):
        wanted = min(runs, most or runs)
        for block in range(ceil(wanted / BLOCK)):
            if is_late():
                return
            if block not in store.blocks(study):
                store.keep(study, block, run(study, block, min(BLOCK, wanted - block * BLOCK)))


def _rng(study: Study, block: int) -> Generator:
    """The same numbers for a study and block, whoever runs it and when."""
    return default_rng([block, *study.name.encode(), *study.case.encode()])
