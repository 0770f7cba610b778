"""``spotheight surface``."""

import json
from pathlib import Path
from typing import Any

import click

from spotheight.cli import notice
from spotheight.cli.options import (
    campaign_argument,
    csv_option,
    estimand_option,
    json_option,
    level_option,
)
from spotheight.cli.progress import working
from spotheight.exchange.output import STDOUT
from spotheight.questions.numbers import tidy_json, tidy_table
from spotheight.terminal.answers import basis_text
from spotheight.terminal.surface_tables import arm_table, contrast_table, reading_table
from spotheight.terminal.text import ARM, STATUS
from spotheight.workspace import Workspace
from spotheight.workspace.asking import surface_basis


@click.command()
@campaign_argument
@estimand_option
@click.option(
    "--slice",
    "slices",
    metavar="A=X,B=Y",
    multiple=True,
    help="One number for a slice; | between levels, ' or ' between slices; repeatable.",
)
@click.option(
    "--against",
    metavar="A=X,B=Y",
    multiple=True,
    help="Compare each --slice with this one, by difference and ratio; repeatable.",
)
@click.option(
    "--mix",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="One number for another population: a table with the attributes' columns, "
    "a row an item, or with a column `share`.",
)
@click.option("--service", help="Whose answers. [default: the campaign's service]")
@level_option
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=25,
    show_default=True,
    help="Show so many arms, the worst first.",
)
@json_option
@csv_option
def command(path: Path, estimand: str, service: str | None, **options: Any) -> None:
    """Print the accuracy surface, slices of it, or another population's number.

    Example: spotheight surface calls.db --slice accent=german --against accent=english
    """
    with Workspace.open(path) as work:
        with working("fitting the surface"):
            found = work.numbers(
                options["slices"],
                against=options["against"],
                mix=options["mix"],
                estimand=estimand,
                service=service,
                level=options["level"],
            )
        basis = surface_basis(work.campaign, found.estimand, found.level, service)
    for caution in basis.cautions:
        notice(caution)
    if options["is_csv"]:
        STDOUT.csv(tidy_table(found.frame()))
    elif options["is_json"]:
        click.echo(json.dumps(tidy_json(found.plain()), ensure_ascii=False, indent=1))
    elif found.readings:
        click.echo(reading_table(found.readings))
        if found.contrasts:
            click.echo("\n" + contrast_table(found.contrasts))
    else:
        click.echo(arm_table(found.surface, found.level, options["most"]))
        notice(f"{ARM} {STATUS}")
    notice(basis_text(basis))
