"""``spotheight report``."""

from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import campaign_argument, estimand_option, now
from spotheight.exchange.files import write_text
from spotheight.render.html import render_html
from spotheight.report import Report, build_report
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The page's file. [default: the campaign's name with .html]",
)
@estimand_option
@click.option("--title", help="The page's title. [default: the campaign's name]")
def command(path: Path, output: Path | None, estimand: str, title: str | None) -> None:
    """Write the report: one self-contained HTML file.

    It works offline, on a phone and in print.

    Example: spotheight report calls.db -o calls.html
    """
    output = output or path.with_suffix(".html")
    with Workspace.open(path) as work:
        report = report_of(work, estimand, title)
    write_text(output, render_html(report))
    notice(f"Wrote {output}.")


def report_of(work: Workspace, estimand: str, title: str | None = None) -> Report:
    """The report of a campaign that is kept in a file, with where it came from."""
    provenance = {
        "campaign": work.path.name,
        "pool": Path(work.meta["source"]).name,
        "written": now(),
        "started with": f"spotheight {work.meta['version']}",
    }
    name = title or f"Assessment of {work.path.stem}"
    return build_report(work.campaign, title=name, estimand=estimand, provenance=provenance)
