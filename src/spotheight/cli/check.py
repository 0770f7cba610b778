"""``spotheight check``."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from spotheight.beliefs import Reading
from spotheight.campaign import Campaign
from spotheight.cli.lists import answer_lists
from spotheight.cli.options import campaign_argument, estimand_option, json_option
from spotheight.cli.subject import own_lists
from spotheight.errors import InputError
from spotheight.render.text import interval, percent, table_text
from spotheight.report.lists import require_pool
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
@json_option
def command(path: Path, bar: float, slices: tuple[str, ...], **options: Any) -> None:
    """Exit with 1 when the service is below a bar: for CI jobs.

    Example: spotheight check calls.db --min 0.8 --slice accent=german --sure
    """
    with Workspace.open(path) as work:
        readings = _readings(work.campaign, slices, options["estimand"])
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


def _readings(campaign: Campaign, slices: tuple[str, ...], estimand: str) -> dict[str, Reading]:
    """Slices of the surface, or all of it; of ranked lists the mean of every service."""
    task, level = own_lists(campaign), campaign.spec.level
    if task is None:
        surface = campaign.surface(estimand)
        found = {text: surface.slice(*parse_slice(text), level=level) for text in slices}
        return found or {"all items": surface.overall(level)}
    require_pool(estimand)
    if slices:
        raise InputError("Ranked lists are checked by service, not by slice; leave --slice away.")
    answer = answer_lists(campaign, task, level)
    names = (f"{answer.metric} of {name}" for name in answer.services)
    return dict(zip(names, answer.overall, strict=True))


def _table(rows: list[dict[str, Any]], bar: float) -> str:
    lines = [
        [r["slice"], percent(r["mean"]), interval(r["low"], r["high"]), r["estimand"],
         "passed" if r["passed"] else f"below {percent(bar)}"]
        for r in rows
    ]  # fmt: skip
    return table_text(["slice", "mean", "interval", "estimand", "result"], lines)
