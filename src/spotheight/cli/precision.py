"""``spotheight precision``."""

from pathlib import Path
from typing import Any

import click

from spotheight.campaign import Campaign
from spotheight.cli.lists import list_options, services_of, show_lists
from spotheight.cli.options import campaign_argument
from spotheight.errors import InputError
from spotheight.questions import PrecisionAt
from spotheight.workspace import Workspace
from spotheight.workspace.subject import own_lists

k_option = click.option(
    "-k", "k", type=int, help="How many items of each list are looked at. [default: the campaign's]"
)


@click.command()
@campaign_argument
@k_option
@list_options
def command(path: Path, k: int | None, **options: Any) -> None:
    """Say how many of the K surest items of each list are right: Precision@K.

    By category and averaged over categories, from vetted labels, noisy ones and the scores. A list
    that is shorter than K is read at its own length.

    Example: spotheight precision tags.db -k 48
    """
    with Workspace.open(path) as work:
        services = services_of(work.campaign, options["services"])
        task = PrecisionAt(_k(work.campaign, k), services)
        show_lists(work.campaign, task, options)


def _k(campaign: Campaign, k: int | None) -> int:
    """The K that was asked for, or the one that the campaign was started for."""
    own = own_lists(campaign)
    if k is None and isinstance(own, PrecisionAt):
        return own.k
    if k is None:
        raise InputError("Say how many items of each list to look at, such as -k 48.")
    return k
