"""``spotheight verify``."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from spotheight.cli.options import campaign_argument, json_option
from spotheight.cli.progress import progress_bar
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@json_option
def command(path: Path, is_json: bool) -> None:
    """Recompute every ask from the pool, the spec and the log.

    Exits with 1 when some ask comes out differently.

    Example: spotheight verify calls.db
    """
    with Workspace.open(path) as work, progress_bar("recomputing asks") as progress:
        verified = work.verify(progress)
    if is_json:
        click.echo(json.dumps(asdict(verified)))
    else:
        click.echo(f"{verified.same} of {verified.asks} asks recomputed and found the same.")
        if verified.earlier_pool:
            click.echo(
                f"{verified.earlier_pool} of them came before the pool's file changed (relink) and "
                f"cannot be recomputed on the pool of today."
            )
        if verified.first_difference:
            click.echo(f"First difference: {verified.first_difference}")
    if verified.first_difference:
        sys.exit(1)
