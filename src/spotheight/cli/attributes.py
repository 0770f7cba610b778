"""``spotheight attributes``."""

import json
from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import campaign_argument, json_option
from spotheight.cli.progress import progress_bar
from spotheight.terminal.text import counted
from spotheight.terminal.trust import trust_text
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@json_option
def command(path: Path, is_json: bool) -> None:
    """Say how far guessed attributes can be believed, before and after calibration.

    Holds what attribute models say against the true levels that were told: how often the likeliest
    level is the true one, and how sure the model said it was. What calibration makes of it is
    learned from other items than those it is judged on.

    Example: spotheight attributes faces.db
    """
    with Workspace.open(path) as work, progress_bar("calibrating") as progress:
        found = work.attributes(progress)
    if is_json:
        click.echo(json.dumps(found.plain(), ensure_ascii=False, indent=1))
        return
    click.echo(trust_text(found.attributes))
    if found.used:
        items = counted(found.used, "item")
        notice(
            f"The surface uses calibration {found.calibration}, learned from the first {items} "
            f"whose levels were told; it is learned anew when there are a quarter more."
        )
    else:
        notice("The surface takes the attribute models at their word so far.")
