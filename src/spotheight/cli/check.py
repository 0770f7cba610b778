"""``spotheight check``."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from spotheight.cli.options import Share, campaign_argument, estimand_option, json_option
from spotheight.terminal.text import interval, percent, table_text
from spotheight.workspace import Workspace
from spotheight.workspace.values import Checked


@click.command()
@campaign_argument
@click.option(
    "--min",
    "least",
    type=Share(0, 1),
    help="The bar that the metric has to reach.",
)
@click.option(
    "--max",
    "most",
    type=Share(0, 1),
    help="Where less is better, as with false-positive-rate: the bar it may not exceed.",
)
@click.option(
    "--slice",
    "slices",
    metavar="A=X,B=Y",
    multiple=True,
    help="Check a slice; repeatable. [default: all items]",
)
@click.option(
    "--sure/--on-mean",
    default=True,
    help="Demand that the whole interval is above the bar [default], or the mean alone.",
)
@estimand_option
@json_option
def command(path: Path, slices: tuple[str, ...], **options: Any) -> None:
    """Exit with 1 when the service is below a bar: for CI jobs.

    What passes is sure: the whole interval reaches the bar. Nothing passes before there are labels
    that count.

    Example: spotheight check calls.db --min 0.8 --slice accent=german
    """
    with Workspace.open(path) as work:
        found = work.check(
            min=options["least"],
            max=options["most"],
            slices=slices,
            sure=options["sure"],
            estimand=options["estimand"],
        )
    click.echo(json.dumps(found.plain(), indent=1) if options["is_json"] else _table(found))
    if not found.passed:
        sys.exit(1)


def _table(found: Checked) -> str:
    lines = [
        [one.slice, percent(one.mean), interval(one.low, one.high), one.estimand,
         "passed" if one.passed else found.failure]
        for one in found.slices
    ]  # fmt: skip
    return table_text(["slice", "mean", "interval", "estimand", "result"], lines)
