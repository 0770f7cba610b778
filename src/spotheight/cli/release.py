"""``spotheight release``."""

from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import annotator_option, campaign_argument
from spotheight.terminal.text import counted_are
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.argument("items", metavar="[ID]...", nargs=-1)
@annotator_option
def command(path: Path, items: tuple[str, ...], annotator: str) -> None:
    """Free items that were handed out and will not come back.

    Without an ID all items that are out with this annotator are freed.

    Example: spotheight release calls.db
    """
    with Workspace.open(path) as work:
        freed = work.release(items or None, annotator=annotator)
        notice(f"{counted_are(freed, 'item').capitalize()} free again.")
