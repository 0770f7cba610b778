"""Export: a surface, ranked lists or labels as files."""

import json
from pathlib import Path

import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.errors import require_choice
from spotheight.exchange.labels import label_rows, label_table
from spotheight.exchange.output import Output
from spotheight.exchange.parquet import parquet_data
from spotheight.exchange.sheet import Sheet
from spotheight.history.ledger import Ledger
from spotheight.questions.listanswer import require_pool
from spotheight.questions.numbers import tidy_table
from spotheight.workspace.label_log import LabelLog
from spotheight.workspace.lists import answered_lists
from spotheight.workspace.location import belongings
from spotheight.workspace.subject import own_lists
from spotheight.workspace.values import Written

KINDS = ("json", "csv", "parquet")
TABLES = ("surface", "labels")


def require_known(to: str, what: str) -> None:
    """Raise unless there is such a format and such a table."""
    require_choice("A file's format", to, KINDS)
    require_choice("What is exported", what, TABLES)


def write_labels(place: Output, to: str, ledger: Ledger, sheet: Sheet) -> None:
    """Write labels as they stand."""
    if to == "json":
        place.text(json.dumps(label_rows(ledger, sheet), ensure_ascii=False, indent=1) + "\n")
    else:
        write_table(place, to, label_table(ledger, sheet))


def write_table(place: Output, to: str, table: pa.Table) -> None:
    """Write a table as CSV or Parquet."""
    if to == "csv":
        place.csv(table)
    else:
        place.data(parquet_data(table))


def table_of(campaign: Campaign, estimand: str) -> pa.Table:
    """A row an arm; a row a list where the campaign is about ranked lists."""
    task, level = own_lists(campaign), campaign.spec.level
    if task is None:
        return tidy_table(campaign.surface(estimand).frame(level))
    require_pool(estimand)
    return tidy_table(answered_lists(campaign, task).table())


def export_labels(
    campaign: Path, target: Path, to: str, *, is_salvage: bool = False, force: bool = False
) -> Written:
    """Write the labels of a campaign whose pool may be gone, and whose file may be damaged.

    Args:
        campaign: Its file.
        target: Where to; ``-`` is standard output.
        to: csv, json or parquet.
        is_salvage: Whether the labels before the place where the file is damaged are saved.
        force: Whether another file that is there may be replaced.
    """
    require_known(to, "labels")
    place = Output(target, belongings(campaign).has, is_forced=force)
    place.require_free()
    log = LabelLog.salvage(campaign) if is_salvage else LabelLog.read(campaign)
    write_labels(place, to, log.ledger, log.sheet)
    damage = log.damage
    said = f"event {damage.sound + 1}: {damage.reason}" if damage is not None else ""
    return Written(target, said, log.is_nameless)
