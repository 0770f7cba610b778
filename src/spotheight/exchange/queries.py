"""Items to be labelled, as rows that a person can fill in."""

import csv
import io
import json
from collections.abc import Sequence

from spotheight.log import Query
from spotheight.metrics import Metric
from spotheight.pool import names as c
from spotheight.pool.coding import Columns
from spotheight.pool.protocol import Pool
from spotheight.pool.roles import Roles

LABEL, WHY, CHANCE, ANSWER = "label", "why", "chance", "answer"
TRUTH = "truth"
"""The column for a label where the table has a column ``label`` of its own."""


def label_column(service: str, roles: Roles, metric: Metric) -> str:
    """The column for a label; with verdicts on several services each has its own."""
    if metric.reads == "verdict" and len(roles.services) > 1:
        return f"{LABEL}:{service}"
    return TRUTH if LABEL in (roles.id, roles.category, *roles.payload) else LABEL


def query_rows(
    queries: Sequence[Query], pool: Pool, metric: Metric
) -> list[dict[str, str | float | None]]:
    """A row a query: the user's id under its own name, payload, why, chance, an empty label."""
    columns = pool.rows([query.item for query in queries]) if queries else {}
    return [_row(query, place, columns, pool, metric) for place, query in enumerate(queries)]


def _row(
    query: Query, place: int, columns: Columns, pool: Pool, metric: Metric
) -> dict[str, str | float | None]:
    roles = pool.roles
    row: dict[str, str | float | None] = dict.fromkeys(query_columns(roles, metric))
    row.update(item_columns(query.item, roles))
    row.update({name: columns[c.payload_of(name)][place] for name in roles.payload})
    for service, column in _answer_columns(roles, metric).items():
        row[column] = columns[c.prediction_of(service)][place]
    row[WHY], row[CHANCE] = query.why, query.chance
    return row


def query_columns(roles: Roles, metric: Metric) -> list[str]:
    """The columns of items to be labelled, in order."""
    item = item_columns("", roles)
    answers = _answer_columns(roles, metric).values()
    labels = [label_column(service.name, roles, metric) for service in roles.services]
    levels = [level_column(name) for name in roles.guesses]
    return list(dict.fromkeys((*item, *roles.payload, *answers, WHY, CHANCE, *labels, *levels)))


def _answer_columns(roles: Roles, metric: Metric) -> dict[str, str]:
    """Where a judge gets to see what each service answered."""
    if metric.reads != "verdict":
        return {}
    answering = [service.name for service in roles.services if service.prediction is not None]
    several = len(roles.services) > 1
    return {name: f"{ANSWER}:{name}" if several else ANSWER for name in answering}


def level_column(attribute: str) -> str:
    """The column for the true level of an attribute that is only guessed."""
    return f"true:{attribute}"


def item_columns(item: str, roles: Roles) -> dict[str, str]:
    """An item's name under the user's own column names."""
    assert roles.id is not None
    if roles.category is None:
        return {roles.id: item}
    name, _, category = item.rpartition(c.JOINT)
    return {roles.id: name, roles.category: category}


def as_csv(rows: Sequence[dict[str, str | float | None]], columns: Sequence[str]) -> str:
    """Rows as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: Sequence[dict[str, str | float | None]]) -> str:
    """Rows as a JSON list."""
    return json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n"
