"""``spotheight precision``."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import list_options, put
from spotheight.workspace.asking import precision_of


@click.command()
@campaign_argument
@click.option(
    "-k", "k", type=int, help="How many items of each list are looked at. [default: the campaign's]"
)
@list_options
def command(path: Path, k: int | None, **options: Any) -> None:
    """Say how many of the K surest items of each list are right: Precision@K.

    By category and averaged over categories, from vetted labels, noisy ones and the scores. A list
    that is shorter than K is read at its own length.

    Example: spotheight precision tags.db -k 48
    """
    services = tuple(dict.fromkeys(options["services"]))
    put(
        path,
        options,
        lambda campaign, level: replace(precision_of(campaign, k), services=services, level=level),
    )
