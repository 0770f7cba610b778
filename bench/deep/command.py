"""``python -m bench.deep``."""

from math import inf
from time import monotonic

import click

from bench.cases import ROOT, data_folder
from bench.deep.plan import PARTS, Plan
from bench.deep.publish import publish
from bench.deep.work import work_off
from spotheight.cli import notice

RAW = ROOT / ".bench" / "deep"
DOCS = ROOT / "docs"


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), help="Repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=5, show_default=True)
@click.option(
    "--device", default="cpu", show_default=True, help="Where real tables are fitted: cpu or cuda."
)
@click.option("--processes", type=click.IntRange(min=1), default=1, show_default=True)
def main(
    minutes: float | None, parts: tuple[str, ...], seeds: int, device: str, processes: int
) -> None:
    """Run the BetaGP family on made-up and real arms, and write docs/deep.md.

    Goes on where it was stopped; rows are kept in .bench/deep. What is timed wants one process.

    Example: python -m bench.deep --part cases --device cuda --processes 8
    """
    data = data_folder()
    if data is None:
        notice("The data are not here, so real tables are left out; name them by SPOTHEIGHT_DATA.")
    end = inf if minutes is None else monotonic() + 60 * minutes
    try:
        work_off(Plan(parts, seeds, data, device), RAW, processes, lambda: monotonic() >= end)
    except KeyboardInterrupt:
        notice("Stopped; what was done is kept.")
    publish(RAW, DOCS)
