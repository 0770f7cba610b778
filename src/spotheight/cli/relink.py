"""``spotheight relink``."""

from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import campaign_argument, glob_option
from spotheight.pool.reading.files import PoolFiles
from spotheight.terminal.text import look_text
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@glob_option
def command(path: Path, file: Path, pool_glob: bool) -> None:
    """Tell a campaign that its pool moved or grew.

    Rows may have been appended; rows that are gone are refused. Only ids are compared: what the
    file says of old rows counts from now on as it stands there.

    Example: spotheight relink calls.db archive/calls.csv
    """
    click.echo(look_text(Workspace.relink(path, PoolFiles(file, pool_glob))))
    notice(f"{path} now reads {file}.")
