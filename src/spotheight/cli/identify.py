"""``spotheight identify``."""

from pathlib import Path
from typing import Any

import click

from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    by_option,
    most_option,
    put,
    quantity,
    quantity_options,
    question_options,
)
from spotheight.errors import InputError
from spotheight.questions.identify import Identify


@click.command()
@campaign_argument
@click.option("--worst", type=int, help="How many of the worst to look for. [default: 1]")
@click.option("--best", type=int, help="Look for so many of the best instead.")
@by_option
@quantity_options
@most_option
@question_options
def command(path: Path, worst: int | None, best: int | None, **options: Any) -> None:
    """Find the worst groups, or the best, and say how probable that is of each.

    A group is an arm of the campaign, or what --by names. The chance says how probable it is, given
    the labels so far, that a group is among those looked for.

    Example: spotheight identify calls.db --worst 3 --by accent
    """
    wanted = _wanted(worst, best)
    put(
        path,
        options,
        lambda campaign, level: Identify(
            **wanted, of=quantity(campaign, options, options["by"]), level=level
        ),
    )


def _wanted(worst: int | None, best: int | None) -> dict[str, int]:
    if worst is not None and best is not None:
        raise InputError("Ask for --worst or for --best, not for both.")
    end, number = ("best", best) if best is not None else ("worst", 1 if worst is None else worst)
    if number < 1:
        raise InputError(f"--{end} must be at least 1, got {number}.")
    return {end: number}
