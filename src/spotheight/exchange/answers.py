"""Labels that come back in a file."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from spotheight.errors import InputError, did_you_mean
from spotheight.exchange.queries import LABEL, label_column, level_column
from spotheight.metrics import Metric
from spotheight.pool import names as c
from spotheight.pool.roles import Roles
from spotheight.pool.source import delimiter_of

ANNOTATOR = "annotator"


@dataclass(frozen=True)
class Answers:
    """Labels by annotator and item, and the row in which each item stood.

    Args:
        labels: By annotator and item.
        row_of: The row of each item.
        empty: How many rows say nothing.
        levels: True levels of guessed attributes, by annotator, item and attribute.
        unread: Guessed attributes under whose bare name the file has a column, which says nothing.
    """

    labels: Mapping[str, Mapping[str, object]]
    row_of: Mapping[str, int] = field(repr=False)
    empty: int = 0
    levels: Mapping[str, Mapping[str, Mapping[str, object]]] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()


def read_answers(text: str, name: str, roles: Roles, metric: Metric, annotator: str) -> Answers:
    """Read CSV, a JSON list, or JSON lines; rows without a label are left out.

    Args:
        text: The file's text.
        name: The file's name, for messages.
        roles: Tell the columns' names.
        metric: Tells what a label is.
        annotator: Whose labels these are where a row does not say.
    """
    is_json = text.lstrip()[:1] in ("[", "{")
    rows = _json_rows(text, name) if is_json else _csv_rows(text, name, str(roles.id))
    labels: dict[str, dict[str, object]] = {}
    row_of: dict[str, int] = {}
    levels: dict[str, dict[str, Mapping[str, object]]] = {}
    empty, unread = 0, frozenset[str]()
    bare = _bare_names(roles)
    for number, row in rows:
        unread |= _unread(row, bare)
        label, said = _label(row, roles, metric, name), _levels(row, roles)
        if label is None and not said:
            empty += 1
            continue
        item = _item(row, roles, name, number)
        who = str(row.get(ANNOTATOR) or annotator)
        row_of.setdefault(item, number)
        if said:
            known = levels.setdefault(who, {}).get(item, {})
            levels[who][item] = _joined(known, said, f"{name}, row {number}: item {item!r}")
        if label is None:
            continue
        by = labels.setdefault(who, {})
        if item in by and by[item] != label:
            raise InputError(
                f"{name}, row {number}: item {item!r} is labelled {label!r} here "
                f"and {by[item]!r} in row {row_of[item]}; keep one of them."
            )
        by[item], row_of[item] = label, number
    return Answers(labels, row_of, empty, levels, unread)


Row = Mapping[str, object]


def _csv_rows(text: str, name: str, id: str) -> Iterable[tuple[int, Row]]:
    text = text.removeprefix("\ufeff")
    # Spreadsheets write what is usual in their country between cells.
    delimiter = delimiter_of(io.StringIO(text))
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, strict=True)
    if not reader.fieldnames:
        raise InputError(f"{name} is empty; it needs a header with the id and a column {LABEL!r}.")
    if doubled := [
        column for column, times in Counter(reader.fieldnames).items() if column and times > 1
    ]:
        raise InputError(f"{name} has two columns {doubled[0]!r}; keep one of them.")
    if reader.line_num == len(text.splitlines()) and id not in reader.fieldnames:
        # No row will complain: this is a table of one row that has no header.
        hint = did_you_mean(id, reader.fieldnames)
        raise InputError(f"{name} has no column {id!r}; {hint}")
    try:
        # Line 1 is the header, so that numbers agree with what an editor shows.
        for number, row in enumerate(reader, start=2):
            if None in row or None in row.values():
                raise InputError(
                    f"{name}, row {number}: it has more or fewer cells than the header; put a cell "
                    f"that holds {delimiter!r} between quotes."
                )
            yield number, row
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}.") from None


def _json_rows(text: str, name: str) -> Iterable[tuple[int, Row]]:
    is_list = text.lstrip().startswith("[")
    try:
        rows = (
            json.loads(text) if is_list else [json.loads(s) for s in text.splitlines() if s.strip()]
        )
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is no JSON: {error}.") from None
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(f"{name}, row {number}: expected an object, got {row!r}.")
        yield number, row


def _item(row: Row, roles: Roles, name: str, number: int) -> str:
    assert roles.id is not None
    parts = []
    for column in (roles.id, roles.category):
        if column is None:
            continue
        if column not in row:
            raise InputError(f"{name} has no column {column!r}; {did_you_mean(column, list(row))}")
        if row[column] in (None, ""):
            raise InputError(f"{name}, row {number}: the {column} is empty.")
        parts.append(str(row[column]))
    return c.JOINT.join(parts)


def _levels(row: Row, roles: Roles) -> dict[str, object]:
    """What a row says of guessed attributes; raise where it speaks of others."""
    own = {level_column(name) for name in roles.guesses} | set(roles.payload)
    for column, value in row.items():
        if column.startswith(level_column("")) and column not in own and value not in (None, ""):
            name = column.removeprefix(level_column(""))
            raise InputError(
                f"The column {column!r} tells true levels of {name!r}, which is no guessed "
                f"attribute; {did_you_mean(name, roles.guesses)}"
            )
    said = {name: row.get(level_column(name)) for name in roles.guesses}
    return {name: value for name, value in said.items() if value not in (None, "")}


def _bare_names(roles: Roles) -> list[str]:
    """Guessed attributes under whose name a file has no other business with a column."""
    guesses = {column for pairs in roles.guesses.values() for _, column in pairs}
    return [
        name
        for name, pairs in roles.guesses.items()
        if pairs and name not in guesses and name not in roles.payload
    ]


def _unread(row: Row, bare: Iterable[str]) -> frozenset[str]:
    """Attributes whose true levels seem to be meant by a column that is not looked at."""
    said = (name for name in bare if row.get(name) not in (None, ""))
    return frozenset(name for name in said if level_column(name) not in row)


def _joined(known: Row, said: Row, where: str) -> Row:
    """Levels from several rows of one item, which may add to each other and not contradict."""
    for name in known.keys() & said.keys():
        if known[name] != said[name]:
            raise InputError(
                f"{where} has {level_column(name)} {said[name]!r} here "
                f"and {known[name]!r} in an earlier row; keep one of them."
            )
    return {**known, **said}


def _label(row: Row, roles: Roles, metric: Metric, name: str) -> object | None:
    columns = {s.name: label_column(s.name, roles, metric) for s in roles.services}
    if all(column not in row for column in columns.values()) and not _levels(row, roles):
        wanted = next(iter(columns.values()))
        raise InputError(f"{name} has no column {wanted!r}; {did_you_mean(wanted, list(row))}")
    said = {service: row.get(column) for service, column in columns.items()}
    filled = {service: value for service, value in said.items() if value not in (None, "")}
    if not filled:
        return None
    return filled if metric.reads == "verdict" else next(iter(filled.values()))
