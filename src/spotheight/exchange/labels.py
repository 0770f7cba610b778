"""Label table: labels as they stand, in a form that ``tell`` takes."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from spotheight.exchange.sheet import ANNOTATOR, CHANCE, Sheet, level_column
from spotheight.history.ledger import Ledger


def label_table(ledger: Ledger, sheet: Sheet) -> pa.Table:
    """The rows as a table, which has its columns even where nothing was told."""
    rows = label_rows(ledger, sheet)
    always = (*sheet.named(""), ANNOTATOR, CHANCE)
    names = dict.fromkeys(name for row in rows for name in row) or always
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def label_rows(ledger: Ledger, sheet: Sheet) -> list[dict[str, Any]]:
    """A row per item and annotator: label and true levels as they stand, and the item's chance."""
    rows = []
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
