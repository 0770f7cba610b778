"""``spotheight ask``."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import annotator_option, campaign_argument, now
from spotheight.exchange.queries import TRUTH, as_csv, as_json, query_columns, query_rows
from spotheight.render.text import counted
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.option("-n", "--count", default=12, show_default=True, help="How many items to hand out.")
@annotator_option
@click.option(
    "--hours",
    type=click.FloatRange(min=0, min_open=True),
    help="Free the items again if no label has come in this time.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of CSV.")
def command(path: Path, count: int, annotator: str, hours: float | None, is_json: bool) -> None:
    """Print the next items to label, as CSV.

    Fill the empty column `label` in and give the file to `spotheight tell`. The column `chance` is
    the chance with which an item was chosen; it is empty where the choice was deterministic.

    Example: spotheight ask calls.db -n 20 > todo.csv
    """
    until = None
    if hours is not None:
        until = (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="seconds")
    with Workspace.open(path) as work:
        queries = work.ask(count, annotator=annotator, until=until, now=now())
        campaign = work.campaign
        rows = query_rows(queries, campaign.pool, campaign.spec.metric)
        columns = query_columns(campaign.pool.roles, campaign.spec.metric)
        click.echo(as_json(rows) if is_json else as_csv(rows, columns), nl=False)
        if rows and TRUTH in columns and TRUTH not in campaign.pool.roles.payload:
            notice(f"The table has a column label of its own; fill the column {TRUTH} in.")
        if len(queries) < count:
            budget = campaign.spec.budget
            why = f"the budget of {budget} labels is spent or out" if budget else "no more are free"
            notice(f"{counted(len(queries), 'item').capitalize()} instead of {count}: {why}.")
