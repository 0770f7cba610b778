"""``spotheight demo``."""

from pathlib import Path

import click
import numpy as np

from spotheight.cli import notice
from spotheight.cli.progress import progress_bar
from spotheight.demo.run import DemoResult, run_demo
from spotheight.exchange.output import Output
from spotheight.terminal.text import count, interval, percent, table_text

WORST = 8


@click.command()
@click.option(
    "-o",
    "--output",
    "folder",
    default="spotheight-demo",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the files go.",
)
@click.option(
    "-n",
    "--labels",
    type=click.IntRange(min=12),
    default=240,
    show_default=True,
    help="How many labels to spend.",
)
def command(folder: Path, labels: int) -> None:
    """Run a whole assessment on data that ships with the package.

    A real classifier has read handwritten digits; the true digits play the person who labels. Ends
    with the worst arms beside the truth, and with a report that you can open.

    Example: spotheight demo
    """
    report = folder / "report.html"
    if folder.is_dir():
        Output(report, is_report=True).require_free()
    notice("A classifier read handwritten digits. Where does it fail? Asking for labels ...")
    with progress_bar("labels") as progress:
        result = run_demo(folder, labels, progress)
    result.work.report(report, title="A reader of handwritten digits")
    click.echo(_worst_table(result))
    click.echo(_summary(result))
    click.echo(
        f"\nReport:   {report.resolve()}\nCampaign: {folder / 'digits.db'} (try: spotheight "
        f"status {folder / 'digits.db'})"
    )


def _worst_table(result: DemoResult) -> str:
    surface = result.surface
    low, high = surface.interval()
    rows = [
        [
            surface.partition.name(int(arm)),
            f"{count(surface.labelled[arm])} of {count(surface.cells.mass[arm])}",
            percent(surface.mean[arm]),
            interval(low[arm], high[arm]),
            percent(result.truth[arm]),
        ]
        for arm in np.argsort(surface.mean, kind="stable")[:WORST]
    ]
    columns = ["the worst arms", "labelled", "accuracy", "90% interval", "truth"]
    return "\n" + table_text(columns, rows)


def _summary(result: DemoResult) -> str:
    surface = result.surface
    low, high = surface.interval()
    held = int(np.sum((low - 1e-9 <= result.truth) & (result.truth <= high + 1e-9)))
    overall = surface.overall()
    spent, items = int(overall.n_labelled), surface.cells.size
    return (
        f"\nOverall:  {percent(overall.mean)} ({interval(overall.low, overall.high)}); "
        f"the truth is {percent(result.overall_truth)}.\n"
        f"Honesty:  {held} of {surface.cells.arms} arms' 90% intervals hold the truth.\n"
        f"Labels:   {spent} instead of {items:,}: {spent / items:.0%} of labelling everything."
    )
