"""``spotheight export``."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.lists import answer_lists
from spotheight.cli.options import campaign_argument, estimand_option, force_option
from spotheight.cli.report import report_of
from spotheight.cli.subject import own_lists
from spotheight.errors import InputError
from spotheight.exchange.output import Output
from spotheight.exchange.parquet import parquet_data
from spotheight.exchange.sheet import ANNOTATOR, CHANCE, level_column
from spotheight.questions import require_pool
from spotheight.questions.numbers import tidy_table
from spotheight.report.text import report_json
from spotheight.workspace import LabelLog, Workspace, belongings


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
    kind, what = options["kind"], options["what"]
    if options["salvage"] and what != "labels":
        raise InputError("--salvage is about labels; add --what labels.")
    place = Output(output, belongings(path).has, is_forced=force)
    place.require_free()
    if what == "labels":
        log = LabelLog.salvage(path) if options["salvage"] else LabelLog.read(path)
        _write(place, kind, log)
        if log.damage is not None:
            notice(f"Saved what comes before event {log.damage.sound + 1}: {log.damage.reason}.")
        if log.is_nameless:
            notice(
                "The file cannot say any more what its columns are called; rename 'item' to the id "
                "before you tell these labels to another campaign."
            )
    else:
        with Workspace.open(path) as work:
            if kind == "json":
                place.text(report_json(report_of(work, options["estimand"])))
            else:
                _write_table(place, kind, _numbers(work.campaign, options["estimand"]))
    if place.is_file:
        notice(f"Wrote {output}.")


def _write(place: Output, kind: str, log: LabelLog) -> None:
    """Labels in the format that was asked for."""
    if kind == "json":
        place.text(json.dumps(label_rows(log), ensure_ascii=False, indent=1) + "\n")
    else:
        _write_table(place, kind, _label_table(log))


def _write_table(place: Output, kind: str, table: pa.Table) -> None:
    if kind == "csv":
        place.csv(table)
    else:
        place.data(parquet_data(table))


def _label_table(log: LabelLog) -> pa.Table:
    rows = label_rows(log)
    always = (*log.sheet.named(""), ANNOTATOR, CHANCE)
    names = dict.fromkeys(name for row in rows for name in row) or always
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def _numbers(campaign: Campaign, estimand: str) -> pa.Table:
    """A row an arm; a row a list where the campaign is about ranked lists."""
    task, level = own_lists(campaign), campaign.spec.level
    if task is None:
        return tidy_table(campaign.surface(estimand).frame(level))
    require_pool(estimand)
    return tidy_table(answer_lists(campaign, task, level).table())


def label_rows(log: LabelLog) -> list[dict[str, Any]]:
    """A row per item and annotator: label and true levels as they stand, and the item's chance."""
    ledger, sheet, rows = log.ledger, log.sheet, []
    sole = next(iter(sheet.labels.values()))
    for item in dict.fromkeys((*ledger.told, *ledger.gold)):
        labels, levels = ledger.told.get(item, {}), ledger.gold.get(item, {})
        for annotator in dict.fromkeys((*labels, *levels)):
            row: dict[str, Any] = dict(sheet.named(item))
            label = labels.get(annotator)
            if isinstance(label, Mapping):
                alone = sole if len(label) == 1 else None
                row.update(
                    {sheet.labels.get(n) or alone or f"label:{n}": v for n, v in label.items()}
                )
            elif label is not None:
                row[sole] = label
            true = levels.get(annotator, {})
            headings = {name: level_column(name) for name in true} | dict(sheet.levels)
            row.update({heading: true.get(name) for name, heading in headings.items()})
            row[ANNOTATOR] = annotator
            row[CHANCE] = ledger.chance(item)
            rows.append(row)
    return rows
