"""``spotheight report``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from spotheight.cli import notice
from spotheight.cli.costs import COSTS_NEEDED, read_task, task_costs_option
from spotheight.cli.options import campaign_argument, estimand_option, force_option, now
from spotheight.cli.progress import working
from spotheight.cli.subject import own_lists, require_surface
from spotheight.errors import InputError
from spotheight.exchange.output import Output
from spotheight.page.html import render_html
from spotheight.questions import Task, lists_of, require_pool
from spotheight.questions.quantities import ExpectedCost
from spotheight.report.answers import require_answerable
from spotheight.report.build import build_report
from spotheight.report.values import Report
from spotheight.workspace import Workspace


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
    with Workspace.open(path) as work:
        page = Output(
            output or path.with_suffix(".html"),
            work.belongings.has,
            is_forced=options["force"],
            is_report=True,
        )
        page.require_free()
        with working("building the report"):
            report = report_of(work, options["estimand"], title, asked)
    page.text(render_html(report))
    notice(f"Wrote {page.path}.")


def report_of(
    work: Workspace, estimand: str, title: str | None = None, questions: Sequence[Task] = ()
) -> Report:
    """The report of a campaign that is kept in a file, with where it came from."""
    if own_lists(work.campaign) is not None:
        require_pool(estimand)
    if any(lists_of(task) is None for task in questions):
        require_surface(work.campaign)
    provenance = {
        "campaign": work.path.name,
        "pool": work.source.path.name,
        "written": now(),
        "started with": f"spotheight {work.meta['version']}",
    }
    return build_report(
        work.campaign,
        title=title or f"Assessment of {work.path.stem}",
        estimand=estimand,
        provenance=provenance,
        questions=questions,
    )


def read_questions(texts: Sequence[str], costs: Path | None) -> tuple[Task, ...]:
    """Questions as they are written on the command line; raise for those without a place."""
    asked = tuple(_read_question(text, costs) for text in texts)
    require_answerable(asked)
    if costs is not None and not any(_is_about_costs(task) for task in asked):
        raise InputError("--costs is for questions about costs; add --ask cost, or leave it away.")
    return asked


def _read_question(text: str, costs: Path | None) -> Task:
    """One file of costs serves all questions that need it, and the others do without."""
    try:
        return read_task(text, None)
    except InputError as error:
        if costs is None or str(error) != COSTS_NEEDED:
            raise
    return read_task(text, costs)


def _is_about_costs(task: Task) -> bool:
    return isinstance(getattr(task, "of", None), ExpectedCost)
