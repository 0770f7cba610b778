"""Label sheet: items to be labelled, as rows that a person can fill in."""

import json
from collections.abc import Sequence

from spotheight.exchange.cells import csv_text
from spotheight.exchange.sheet import CHANCE, WHY, Sheet
from spotheight.history.events import Query
from spotheight.pool import names as c
from spotheight.pool.coding import Columns
from spotheight.pool.protocol import Pool

Row = dict[str, str | float | None]


def query_rows(queries: Sequence[Query], pool: Pool, sheet: Sheet) -> list[Row]:
    """A row a query: the item's name, payload, why, chance, an empty label."""
    columns = pool.rows([query.item for query in queries]) if queries else {}
    return [_row(query, place, columns, sheet) for place, query in enumerate(queries)]


def _row(query: Query, place: int, columns: Columns, sheet: Sheet) -> Row:
    row: Row = dict.fromkeys(sheet.headings)
    row.update({shown: columns[c.payload_of(name)][place] for name, shown in sheet.payload.items()})
    row.update(sheet.named(query.item))
    for service, heading in sheet.answers.items():
        row[heading] = columns[c.prediction_of(service)][place]
    row[WHY], row[CHANCE] = query.why, query.chance
    return row


def as_csv(rows: Sequence[Row], sheet: Sheet) -> str:
    """Rows as CSV with a header."""
    return csv_text(sheet.headings, ([row[name] for name in sheet.headings] for row in rows))


def as_json(rows: Sequence[Row]) -> str:
    """Rows as a JSON list."""
    return json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n"
