"""``spotheight ask``."""

from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import Share, annotator_option, campaign_argument
from spotheight.exchange.output import STDOUT
from spotheight.exchange.queries import as_csv, as_json
from spotheight.terminal.text import counted
from spotheight.workspace import Workspace
from spotheight.workspace.clock import MOST_HOURS


@click.command()
@campaign_argument
@click.option("-n", "--count", default=12, show_default=True, help="How many items to hand out.")
@annotator_option
@click.option(
    "--hours",
    type=Share(min=0, min_open=True, max=MOST_HOURS),
    help="Free the items again if no label has come in this time.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Hand nothing out; print what the annotator still holds, should a list have got lost.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of CSV.")
def command(
    path: Path, count: int, annotator: str, hours: float | None, again: bool, is_json: bool
) -> None:
    """Print the next items to label, as CSV.

    Fill the empty column `label` in and give the file to `spotheight tell`. The column `chance` is
    the chance with which an item was chosen; it is empty where the choice was deterministic. Cells
    that a spreadsheet would run as a formula begin with an apostrophe, which `tell` takes off.

    Example: spotheight ask calls.db -n 20 > todo.csv
    """
    with Workspace.open(path) as work:
        if again:
            queries = work.held(annotator)
        else:
            queries = work.ask(count, annotator=annotator, hours=hours)
        rows = work.rows(queries)
        try:
            STDOUT.text(as_json(rows) if is_json else as_csv(rows, work.sheet))
        except BaseException:
            if not again:  # nobody has got them
                work.release([query.item for query in queries], annotator=annotator)
            raise
        if len(queries) < count and not again:
            budget = work.campaign.spec.budget
            why = f"the budget of {budget} labels is spent or out" if budget else "no more are free"
            notice(f"{counted(len(queries), 'item').capitalize()} instead of {count}: {why}.")
