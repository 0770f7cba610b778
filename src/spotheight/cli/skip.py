"""``spotheight skip``."""

from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import annotator_option, campaign_argument, now
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
        ledger = work.campaign.ledger
        before = set(ledger.skipped)
        work.skip(items, annotator=annotator, at=now())
        notice(f"{len(ledger.skipped - before)} skipped, {len(ledger.skipped)} in all.")
        if kept := ledger.told.keys() & set(items):
            stay = "stays" if len(kept) == 1 else "stay"
            notice(
                f"{counted_are(len(kept), 'item')} labelled and {stay} so; "
                f"`spotheight tell --correct` changes a label."
            )
