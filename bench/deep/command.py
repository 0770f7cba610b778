"""``python -m bench.deep``."""

from math import inf
from time import monotonic

import click

from bench.cases import ROOT, data_folder
from bench.deep.plan import PARTS, studies
from bench.deep.publish import publish
from spotheight.cli import notice

RAW = ROOT / ".bench" / "deep"
DOCS = ROOT / "docs"


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), help="Repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=5, show_default=True)
def main(minutes: float | None, parts: tuple[str, ...], seeds: int) -> None:
    """Run the BetaGP family on made-up and real arms, and write docs/deep.md.

    Goes on where it was stopped; rows are kept in .bench/deep.

    Example: python -m bench.deep --part simple --minutes 5
    """
    data = data_folder()
    if data is None:
        notice("The data are not here, so real tables are left out; name them by SPOTHEIGHT_DATA.")
    end = inf if minutes is None else monotonic() + 60 * minutes
    try:
        for study in studies(parts, seeds, data):
            if monotonic() >= end:
                break
            if not study.path(RAW).exists():
                study.run(RAW)
    except KeyboardInterrupt:
        notice("Stopped; what was done is kept.")
    publish(RAW, DOCS)
