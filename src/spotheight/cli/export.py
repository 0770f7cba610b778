"""``spotheight export``."""

import json
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.lists import answer_lists, list_frame
from spotheight.cli.options import campaign_argument, estimand_option
from spotheight.cli.report import report_of
from spotheight.cli.subject import own_lists
from spotheight.exchange.files import write_csv, write_parquet, write_text
from spotheight.exchange.queries import item_columns, label_column, level_column
from spotheight.render.numbers import tidy_table
from spotheight.report import report_json
from spotheight.report.lists import require_pool
from spotheight.workspace import Said, Workspace


@click.command()
@campaign_argument
@click.option(
    "--to",
    "kind",
    type=click.Choice(["json", "csv", "parquet"]),
    required=True,
    help="json: all numbers of the report. csv, parquet: a table.",
)
@click.option(
    "--what",
    type=click.Choice(["surface", "labels"]),
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
@estimand_option
def command(path: Path, kind: str, what: str, output: Path, estimand: str) -> None:
    """Write the surface, the labels or the report's numbers to a file.

    Labels come out even where the pool is gone, so that a new campaign can be told them.

    Example: spotheight export calls.db --to parquet -o surface.parquet
    """
    if kind == "json":
        write_text(output, _json(path, what, estimand))
    else:
        (write_csv if kind == "csv" else write_parquet)(output, _table(path, what, estimand))
    if str(output) != "-":
        notice(f"Wrote {output}.")


def _json(path: Path, what: str, estimand: str) -> str:
    if what == "labels":
        return json.dumps(label_rows(Said.read(path)), ensure_ascii=False, indent=1) + "\n"
    with Workspace.open(path) as work:
        return report_json(report_of(work, estimand))


def _table(path: Path, what: str, estimand: str) -> pa.Table:
    if what == "surface":
        with Workspace.open(path) as work:
            return _numbers(work.campaign, estimand)
    said = Said.read(path)
    rows = label_rows(said)
    always = (*item_columns("", said.roles), "annotator", "chance")
    names = dict.fromkeys(name for row in rows for name in row) or always
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def _numbers(campaign: Campaign, estimand: str) -> pa.Table:
    """A row an arm; a row a list where the campaign is about ranked lists."""
    task, level = own_lists(campaign), campaign.spec.level
    if task is None:
        return tidy_table(campaign.surface(estimand).frame(level))
    require_pool(estimand)
    return tidy_table(list_frame(answer_lists(campaign, task, level)))


def label_rows(said: Said) -> list[dict[str, Any]]:
    """A row per item and annotator: label and true levels as they stand, and the item's chance."""
    ledger, roles = said.ledger, said.roles
    plain, rows = label_column("", roles, said.spec.metric), []
    for item in dict.fromkeys((*ledger.told, *ledger.gold)):
        labels, levels = ledger.told.get(item, {}), ledger.gold.get(item, {})
        for annotator in dict.fromkeys((*labels, *levels)):
            row: dict[str, Any] = dict(item_columns(item, roles))
            label = labels.get(annotator)
            named = label if isinstance(label, dict) else {} if label is None else {"": label}
            row.update({f"label:{n}" if n else plain: value for n, value in named.items()})
            true = levels.get(annotator, {})
            row.update({level_column(name): true.get(name) for name in roles.guesses})
            row["annotator"] = annotator
            row["chance"] = ledger.chance(item)
            rows.append(row)
    return rows
