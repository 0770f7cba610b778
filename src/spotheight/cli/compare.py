"""``spotheight compare``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from spotheight.campaign import Campaign
from spotheight.cli.options import Share, campaign_argument
from spotheight.cli.questions import put, quantity, quantity_options, question_options
from spotheight.errors import InputError
from spotheight.questions import Task
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.compare import Compare, CompareServices
from spotheight.workspace.asking import cut_by


@click.command()
@campaign_argument
@click.argument("slices", metavar="[A B]", nargs=-1)
@click.option(
    "--services",
    metavar="NAME NAME",
    nargs=2,
    help="Compare two services on the same labels instead.",
)
@click.option(
    "--rope",
    type=float,
    help="Call a difference of no more than this practically none: .05 is 5 points, or .05 of a "
    "cost. [default: .05; 0 for services]",
)
@click.option(
    "--certainty",
    type=Share(0.5, 1),
    default=CERTAINTY,
    show_default=True,
    help="How probable a verdict has to be; below that it is not decided.",
)
@click.option(
    "--by",
    metavar="ATTRIBUTE",
    multiple=True,
    help="Cut the slices by this attribute, where the campaign does not, as in @score:edges=.5; "
    "repeatable. [default: the attributes that the slices name]",
)
@quantity_options
@question_options
def command(
    path: Path, slices: tuple[str, ...], services: tuple[str, str] | None, **options: Any
) -> None:
    """Compare two slices, or two services on the same labels.

    A slice reads accent=german,gender=f; by default the campaign's metric is compared. Services are
    compared in pairs on each labelled item, so that what both find hard cancels.

    Example: spotheight compare calls.db accent=german accent=english --rope .05
    """
    if services:
        _require_plain(slices, options)
    elif len(slices) != 2:
        raise InputError(
            "Name two slices, such as accent=german accent=english, or two services with "
            "--services."
        )

    def question(campaign: Campaign, level: float) -> Task:
        rope, sure = options["rope"], options["certainty"]
        if services:
            return CompareServices(*services, rope or 0.0, level, sure)
        by = options["by"] or cut_by(campaign, slices, options["of"])
        of = quantity(campaign, options, by)
        return Compare(slices[0], slices[1], 0.05 if rope is None else rope, of, level, sure)

    put(path, options, question)


def _require_plain(slices: Sequence[str], options: dict[str, Any]) -> None:
    """Two services are compared by the campaign's metric over all items."""
    if slices:
        raise InputError(
            "--services compares services over all items; leave the slices away, or name one "
            "service with --service and compare its slices."
        )
    for name in ("by", "costs", "estimator", "service"):
        if options[name]:
            raise InputError(f"--{name} is not used with --services; leave it away.")
    if options["of"] != "metric":
        raise InputError("--services compares by the campaign's metric; leave --of away.")
