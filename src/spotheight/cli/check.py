"""``spotheight check``."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from spotheight.cli.options import campaign_argument, estimand_option
from spotheight.render.text import interval, percent, table_text
from spotheight.space import parse_slice
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.option(
    "--min",
    "bar",
    type=click.FloatRange(0, 1),
    required=True,
    help="The bar that the metric has to reach.",
)
@click.option(
    "--slice",
    "slices",
    metavar="A=X,B=Y",
    multiple=True,
    help="Check a slice; repeatable. [default: all items]",
)
@click.option(
    "--sure",
    is_flag=True,
    help="Demand that the whole interval is above the bar, not the mean alone.",
)
@estimand_option
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def command(path: Path, bar: float, slices: tuple[str, ...], **options: Any) -> None:
    """Exit with 1 when the service is below a bar: for CI jobs.

    Example: spotheight check calls.db --min 0.8 --slice accent=german --sure
    """
    with Workspace.open(path) as work:
        surface = work.campaign.surface(options["estimand"])
        level = work.campaign.spec.level
        readings = {text: surface.slice(*parse_slice(text), level=level) for text in slices}
    readings = readings or {"all items": surface.overall(level)}
    rows = [
        {
            "slice": name,
            "mean": reading.mean,
            "low": reading.low,
            "high": reading.high,
            "estimand": reading.estimand,
            "passed": (reading.low if options["sure"] else reading.mean) >= bar,
        }
        for name, reading in readings.items()
    ]
    click.echo(json.dumps(rows, indent=1) if options["is_json"] else _table(rows, bar))
    if not all(row["passed"] for row in rows):
        sys.exit(1)


def _table(rows: list[dict[str, Any]], bar: float) -> str:
    lines = [
        [r["slice"], percent(r["mean"]), interval(r["low"], r["high"]), r["estimand"],
         "passed" if r["passed"] else f"below {percent(bar)}"]
        for r in rows
    ]  # fmt: skip
    return table_text(["slice", "mean", "interval", "estimand", "result"], lines)
