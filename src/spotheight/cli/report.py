"""``spotheight report``."""

from pathlib import Path
from typing import Any

import click

from spotheight.cli import notice
from spotheight.cli.costs import task_costs_option
from spotheight.cli.options import campaign_argument, estimand_option, force_option
from spotheight.cli.progress import working
from spotheight.workspace import Workspace
from spotheight.workspace.reporting import read_questions


@click.command()
@campaign_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The page's file. [default: the campaign's name with .html]",
)
@force_option
@estimand_option
@click.option("--title", help="The page's title. [default: the campaign's name]")
@click.option(
    "--ask",
    "questions",
    metavar="TASK",
    multiple=True,
    help="A further question, such as identify:worst=3, "
    '"compare:first=(accent=german),second=(accent=english)", rank, "rank:of=(metric:by=accent)", '
    "calibration:by=accent, confusion, cost, precision:k=48 or average-precision; may be repeated.",
)
@task_costs_option
def command(
    path: Path, output: Path | None, title: str | None, costs: Path | None, **options: Any
) -> None:
    """Write the report: one self-contained HTML file.

    It works offline, on a phone and in print. An earlier report is replaced.

    Example: spotheight report calls.db --ask identify:worst=3 -o calls.html
    """
    asked = read_questions(options["questions"], costs)
    with Workspace.open(path) as work, working("building the report"):
        page = work.report(
            output,
            title=title,
            questions=asked,
            estimand=options["estimand"],
            force=options["force"],
        )
    notice(f"Wrote {page.path}.")
