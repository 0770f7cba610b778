"""``spotheight skip``."""

from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import annotator_option, campaign_argument
from spotheight.terminal.text import counted_are
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.argument("items", metavar="ID...", nargs=-1, required=True)
@annotator_option
def command(path: Path, items: tuple[str, ...], annotator: str) -> None:
    """Say that items cannot be labelled.

    They stay in the pool, are asked no more, and the report shows how many there are.

    Example: spotheight skip calls.db call-0417
    """
    with Workspace.open(path) as work:
        skip = work.skip(items, annotator=annotator)
    notice(f"{skip.new} skipped, {skip.total} in all.")
    if skip.labelled:
        stay = "stays" if len(skip.labelled) == 1 else "stay"
        notice(
            f"{counted_are(len(skip.labelled), 'item')} labelled and {stay} so; "
            f"`spotheight tell --correct` changes a label."
        )
