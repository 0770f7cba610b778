"""Parser of label files: what people filled in, as CSV or JSON."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from spotheight.errors import InputError, did_you_mean
from spotheight.exchange.cells import read_csv
from spotheight.exchange.sheet import ANNOTATOR, LABEL, TRUTH, WHY, Sheet, level_column
from spotheight.metrics import Metric
from spotheight.pool import names as c
from spotheight.pool.reading.delimited import DELIMITERS, delimiter_of
from spotheight.pool.roles import Roles


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
    reader = _Reader(name, roles, Sheet.of(roles, metric), metric.reads == "verdict")
    text = text.removeprefix("\ufeff")
    is_json = text.lstrip()[:1] in ("[", "{") and not reader.is_headed(text)
    rows = _json_rows(text, name) if is_json else _csv_rows(text, name, reader)
    labels: dict[str, dict[str, object]] = {}
    row_of: dict[str, int] = {}
    levels: dict[str, dict[str, Mapping[str, object]]] = {}
    empty, unread, bare = 0, frozenset[str](), _bare_names(roles)
    for number, row in rows:
        unread |= _unread(row, bare)
        label, said = reader.label(row), reader.levels(row)
        if label is None and not said:
            empty += 1
            continue
        item = reader.item(row, number)
        who = reader.annotator(row) or annotator
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


@dataclass(frozen=True)
class _Reader:
    """What the rows of one file say."""

    name: str
    roles: Roles
    sheet: Sheet
    is_verdict: bool

    def is_headed(self, text: str) -> bool:
        """Whether the first line of a text has our headings, so that it is CSV."""
        return self.delimiter(text) is not None

    def delimiter(self, text: str) -> str | None:
        """What stands between cells, by the headings that are known; nothing where none is."""
        known = {self.sheet.id, str(self.roles.id)}
        line = text.split("\n", 1)[0].rstrip("\r")
        for delimiter in DELIMITERS:
            with suppress(csv.Error):
                header = next(read_csv(line, delimiter), (1, []))[1]
                if len(header) > 1 and known & set(header):
                    return delimiter
        return None

    def annotator(self, row: Row) -> str:
        """Who labelled, where the row says so and the column is ours."""
        keys = [(self.roles.id, self.sheet.id), (self.roles.category, self.sheet.category)]
        if any(own == ANNOTATOR and shown not in row for own, shown in keys):
            return ""
        return str(row.get(ANNOTATOR) or "")

    def item(self, row: Row, number: int) -> str:
        """The item's name, under our heading or under the user's own."""
        parts = []
        pairs = ((self.sheet.id, self.roles.id), (self.sheet.category, self.roles.category))
        for heading, own in pairs:
            if heading is None or own is None:
                continue
            column = heading if heading in row else own
            if column not in row:
                hint = did_you_mean(heading, list(row))
                raise InputError(f"{self.name} has no column {heading!r}; {hint}")
            if row[column] in (None, ""):
                raise InputError(f"{self.name}, row {number}: the {column} is empty.")
            parts.append(str(row[column]))
        return c.JOINT.join(parts)

    def label(self, row: Row) -> object | None:
        """The label, or the verdicts by service; nothing where the row has none."""
        columns = self._label_columns(row)
        if all(column not in row for column in columns.values()) and not self.levels(row):
            wanted = next(iter(columns.values()))
            hint = did_you_mean(wanted, list(row))
            raise InputError(f"{self.name} has no column {wanted!r}; {hint}")
        said = {service: row.get(column) for service, column in columns.items()}
        filled = {service: value for service, value in said.items() if value not in (None, "")}
        if not filled:
            return None
        return filled if self.is_verdict else next(iter(filled.values()))

    def _label_columns(self, row: Row) -> Mapping[str, str]:
        """Where labels stand; a file of an earlier version had the user's own under ours."""
        ours = self.sheet.renamed(self.roles).values()
        is_old = WHY in row or LABEL in (self.roles.id, self.roles.category)
        is_old = is_old and self.sheet.had_truth and TRUTH in row
        if is_old and not any(shown in row for shown in ours):
            return {name: TRUTH if h == LABEL else h for name, h in self.sheet.labels.items()}
        return self.sheet.labels

    def levels(self, row: Row) -> dict[str, object]:
        """What a row says of guessed attributes; raise where it speaks of others."""
        own = self.sheet.levels
        for column, value in row.items():
            is_level = column.startswith(level_column("")) and column not in own.values()
            if is_level and value not in (None, ""):
                name = column.removeprefix(level_column(""))
                raise InputError(
                    f"The column {column!r} tells true levels of {name!r}, which is no guessed "
                    f"attribute; {did_you_mean(name, own)}"
                )
        said = {name: row.get(column) for name, column in own.items()}
        return {name: value for name, value in said.items() if value not in (None, "")}


def _csv_rows(text: str, name: str, reader: _Reader) -> Iterable[tuple[int, Row]]:
    # Spreadsheets write what is usual in their country between cells.
    delimiter = reader.delimiter(text) or delimiter_of(io.StringIO(text, newline=""))
    try:
        (_, header), *rows = list(read_csv(text, delimiter)) or [(1, [])]
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}.") from None
    if not header:
        raise InputError(f"{name} is empty; it needs a header with the id and a column {LABEL!r}.")
    if doubled := [column for column, times in Counter(header).items() if column and times > 1]:
        raise InputError(f"{name} has two columns {doubled[0]!r}; keep one of them.")
    if not rows:
        reader.item(dict.fromkeys(header, "-"), 1)  # a table of one row that has no header?
    for number, cells in rows:
        if len(cells) != len(header):
            raise InputError(
                f"{name}, row {number}: it has more or fewer cells than the header; put a cell "
                f"that holds {delimiter!r} between quotes."
            )
        yield number, dict(zip(header, cells, strict=True))


def _json_rows(text: str, name: str) -> Iterable[tuple[int, Row]]:
    is_list = text.lstrip().startswith("[")
    # Other line ends than \n, such as U+2028, may stand inside a text.
    texts = [text] if is_list else [line for line in text.split("\n") if line.strip()]
    try:
        found = [json.loads(one) for one in texts]
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is no JSON that can be read: {error}.") from None
    for number, row in enumerate(found[0] if is_list else found, start=1):
        if not isinstance(row, dict):
            raise InputError(f"{name}, row {number}: expected an object, got {row!r}.")
        yield number, row


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
