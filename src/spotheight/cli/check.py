"""``spotheight check``."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from spotheight.beliefs import Reading
from spotheight.campaign import Campaign
from spotheight.cli.lists import answer_lists
from spotheight.cli.options import Share, campaign_argument, estimand_option, json_option
from spotheight.cli.subject import Parts, own_lists, slices_of
from spotheight.errors import InputError
from spotheight.questions import require_pool
from spotheight.terminal.text import interval, percent, table_text
from spotheight.workspace import Workspace


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
        chosen = _chosen(work.campaign, slices)
        bar = _Bar.of(work.campaign, options["least"], options["most"], options["sure"])
        readings = _readings(work.campaign, chosen, options["estimand"])
    rows = [
        {
            "slice": name,
            "mean": reading.mean,
            "low": reading.low,
            "high": reading.high,
            "estimand": reading.estimand,
            "passed": bar.is_reached(reading),
        }
        for name, reading in readings.items()
    ]
    click.echo(json.dumps(rows, indent=1) if options["is_json"] else _table(rows, bar))
    if not all(row["passed"] for row in rows):
        sys.exit(1)


@dataclass(frozen=True)
class _Bar:
    """What a number has to reach.

    Args:
        value: The bar.
        is_highest: Whether the number has to stay below it.
        is_sure: Whether the whole interval has to.
        has_labels: Whether there is a label that counts; nothing passes by what is assumed.
    """

    value: float
    is_highest: bool
    is_sure: bool
    has_labels: bool

    @classmethod
    def of(
        cls, campaign: Campaign, least: float | None, most: float | None, is_sure: bool
    ) -> "_Bar":
        """The bar that was named; raise where it is not the one that the metric needs."""
        is_list = own_lists(campaign) is not None
        is_error = campaign.spec.metric.is_error and not is_list
        named, other = (most, least) if is_error else (least, most)
        if named is None or other is not None:
            side, option = ("Less", "--max 0.1") if is_error else ("More", "--min 0.8")
            raise InputError(f"{side} is better here: name one bar, as in {option}.")
        seen = None if is_list else campaign.surface().seen
        return cls(named, is_error, is_sure, seen is None or bool(seen.trials.sum() > 0))

    def is_reached(self, reading: Reading) -> bool:
        if self.is_highest:
            end = reading.high if self.is_sure else reading.mean
            return self.has_labels and end <= self.value
        end = reading.low if self.is_sure else reading.mean
        return self.has_labels and end >= self.value

    @property
    def failure(self) -> str:
        """What is said of a number that does not reach it."""
        if not self.has_labels:
            return "no label that counts"
        side = "above" if self.is_highest else "below"
        return f"{'perhaps ' * self.is_sure}{side} {percent(self.value)}"


def _chosen(campaign: Campaign, slices: tuple[str, ...]) -> dict[str, Parts]:
    """The slices that were named."""
    if own_lists(campaign) is None:
        return slices_of(campaign, slices)
    if slices:
        raise InputError("Ranked lists are checked by service, not by slice; leave --slice away.")
    return {}


def _readings(campaign: Campaign, slices: dict[str, Parts], estimand: str) -> dict[str, Reading]:
    """Slices of the surface, or all of it; of ranked lists the mean of every service."""
    task, level = own_lists(campaign), campaign.spec.level
    if task is None:
        surface = campaign.surface(estimand)
        found = {text: surface.slice(*parts, level=level) for text, parts in slices.items()}
        return found or {"all items": surface.overall(level)}
    require_pool(estimand)
    answer = answer_lists(campaign, task, level)
    names = (f"{answer.metric} of {name}" for name in answer.services)
    return dict(zip(names, answer.overall, strict=True))


def _table(rows: list[dict[str, Any]], bar: _Bar) -> str:
    lines = [
        [r["slice"], percent(r["mean"]), interval(r["low"], r["high"]), r["estimand"],
         "passed" if r["passed"] else bar.failure]
        for r in rows
    ]  # fmt: skip
    return table_text(["slice", "mean", "interval", "estimand", "result"], lines)
