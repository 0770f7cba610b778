"""Report: its numbers with where they come from, its page, and the questions it answers."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from spotheight.errors import InputError
from spotheight.exchange.output import Output
from spotheight.page.html import render_html
from spotheight.questions import Task
from spotheight.questions.listanswer import require_pool
from spotheight.questions.quantities import ExpectedCost
from spotheight.questions.systems import lists_of
from spotheight.report.answers import require_answerable
from spotheight.report.build import build_report
from spotheight.report.text import report_json
from spotheight.report.values import Report
from spotheight.workspace import clock
from spotheight.workspace.asking import COSTS_NEEDED
from spotheight.workspace.kept import KeptCampaign
from spotheight.workspace.subject import own_lists, require_surface
from spotheight.workspace.tasks import read_task


def report_of(
    kept: KeptCampaign,
    estimand: str,
    title: str | None = None,
    questions: Sequence[Task] = (),
) -> Report:
    """The numbers of the report, called after the campaign's file unless it has a title."""
    campaign, path = kept.campaign, kept.path
    if own_lists(campaign) is not None:
        require_pool(estimand)
    if any(lists_of(task) is None for task in questions):
        require_surface(campaign)
    provenance = {
        "campaign": path.name,
        "pool": kept.source.path.name,
        "written": clock.now(),
        "started with": f"spotheight {kept.meta['version']}",
    }
    return build_report(
        campaign,
        title=title or f"Assessment of {path.stem}",
        estimand=estimand,
        provenance=provenance,
        questions=questions,
    )


def write_page(report: Report, place: Output) -> None:
    """Write the report as one self-contained HTML file."""
    place.text(render_html(report))


def write_numbers(report: Report, place: Output) -> None:
    """Write all numbers of the report as JSON."""
    place.text(report_json(report))


def read_questions(asked: Iterable[str | Task], costs: Path | None = None) -> tuple[Task, ...]:
    """Questions from their short forms; raise for those that a report has no place for."""
    tasks = tuple(_read_question(one, costs) if isinstance(one, str) else one for one in asked)
    require_answerable(tasks)
    if costs is not None and not any(_is_about_costs(task) for task in tasks):
        raise InputError("--costs is for questions about costs; add --ask cost, or leave it away.")
    return tasks


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
