"""``spotheight export``."""

from pathlib import Path
from typing import Any

import click

from spotheight.cli import notice
from spotheight.cli.options import campaign_argument, estimand_option, force_option
from spotheight.errors import InputError
from spotheight.workspace import Workspace
from spotheight.workspace.exporting import KINDS, TABLES, export_labels


@click.command()
@campaign_argument
@click.option(
    "--to",
    "kind",
    type=click.Choice(KINDS),
    required=True,
    help="json: all numbers of the report. csv, parquet: a table.",
)
@click.option(
    "--what",
    type=click.Choice(TABLES),
    default="surface",
    show_default=True,
    help="Which table.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    default="-",
    help="The file. [default: standard output]",
)
@click.option(
    "--salvage",
    is_flag=True,
    help="With --what labels: save those before the place where the campaign's file is damaged.",
)
@force_option
@estimand_option
def command(path: Path, output: Path, force: bool, **options: Any) -> None:
    """Write the surface, the labels or the report's numbers to a file.

    Labels come out even where the pool is gone, so that a new campaign can be told them.

    Example: spotheight export calls.db --to parquet -o surface.parquet
    """
    kind, salvage = options["kind"], options["salvage"]
    if salvage and options["what"] != "labels":
        raise InputError("--salvage is about labels; add --what labels.")
    if options["what"] == "labels":
        written = export_labels(path, output, kind, is_salvage=salvage, force=force)
    else:
        with Workspace.open(path) as work:
            written = work.export(output, kind, estimand=options["estimand"], force=force)
    if written.damage:
        notice(f"Saved what comes before {written.damage}.")
    if written.is_nameless:
        notice(
            "The file cannot say any more what its columns are called; rename 'item' to the id "
            "before you tell these labels to another campaign."
        )
    if str(output) != "-":
        notice(f"Wrote {output}.")
