"""Checks of a canonical table: what it must satisfy before it becomes a pool."""

import re
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from spotheight.errors import InputError
from spotheight.pool import names as c
from spotheight.pool.reading.embedded import Column, Table
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.roles import Roles, probability_columns

ROUNDING = 0.01
"""Half-precision numbers of some hundred classes still add up to one within this."""

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")

_UNIT = "every value must be a number from 0 to 1"


def check_table(raw: Table, table: Table, roles: Roles) -> int:
    """Raise at the first fault of a canonical table; give back how many items it has."""
    size = _check_ids(table, roles)
    _check_numbers(raw, table, roles)
    _check_guesses(table, roles)
    _check_probabilities(table, roles)
    return size


def _check_ids(table: Table, roles: Roles) -> int:
    ids = table[c.ID]
    counted = table.aggregate(rows=table.count(), empty=ids.isnull().sum())
    counts = fetched(counted).to_pylist()[0]
    if not counts["rows"]:
        raise InputError("The table has no rows.")
    if counts["empty"]:
        raise InputError(
            f"{counts['empty']} of {counts['rows']} rows have no id in column {roles.id!r}; "
            f"every item needs one."
        )
    by_id = table.group_by(c.ID).aggregate(times=table.count())
    doubled = by_id.filter(by_id["times"] > 1).order_by(c.ID).limit(1)
    for row in fetched(doubled).to_pylist():
        raise InputError(
            f"The id {row[c.ID]!r} stands in {row['times']} rows; ids must be unique "
            f"(a table with a row per item and service needs --system)."
        )
    return int(counts["rows"])


def _check_numbers(raw: Table, table: Table, roles: Roles) -> None:
    """Numbers parse and are finite; verdicts lie in [0,1], weights and prices are positive."""
    for column, source in _number_columns(roles).items():
        _check_parsed(raw, column, source)
        _check_range(table, column, source)


def _check_guesses(table: Table, roles: Roles) -> None:
    """The chances of each guess are chances and add up to one."""
    for name, guess in roles.guesses.items():
        chances = [table[c.guess_of(column)] for _, column in guess]
        for chance, (_, column) in zip(chances, guess, strict=True):
            bad = chance.isnull() | (chance < 0) | (chance > 1)
            _refuse_first(table, bad, chance, (column, f"{_UNIT} (attribute {name})"))
        if len(chances) == 1:
            raise InputError(
                f"The attribute {name!r} has a chance for one level only; name a column for every "
                f"level, or {c.LEFT_OVER}{guess[0][1]} for what is left over."
            )
        for item, total in _not_one(table, chances):
            raise InputError(
                f"The chances of the attribute {name!r} add up to {total:.4g} for item "
                f"{item!r}, not to 1; name a column for every level."
            )


def _check_probabilities(table: Table, roles: Roles) -> None:
    """Where several classes have a probability, all of them together have one."""
    for service in roles.services:
        columns = probability_columns(roles, service.name)
        for item, total in _not_one(table, [table[column] for column in columns]):
            raise InputError(
                f"The class probabilities of item {item!r} add up to {total:.4g}, "
                f"not to 1; name a column for every class with --probability."
            )


def _not_one(table: Table, parts: Sequence[Column]) -> list[tuple[str, float]]:
    """The first item for which several parts do not add up to one, and their sum."""
    if len(parts) < 2:
        return []
    total = reduce(add, parts)
    found = _first(table, (total - 1).abs() > ROUNDING, total)
    return [(row["item"], row["value"]) for row in found]


def _first(table: Table, bad: Column, value: Column) -> list[dict[str, Any]]:
    """The first bad item and its value."""
    return fetched(table.filter(bad).select(item=table[c.ID], value=value).limit(1)).to_pylist()


def _number_columns(roles: Roles) -> dict[str, str]:
    """Canonical number columns and the user's columns behind them."""
    pairs: dict[str, str | None] = {}
    for service in roles.services:
        pairs[c.score_of(service.name)] = service.score
        pairs[c.verdict_of(service.name)] = service.verdict
        for cls, column in service.probabilities:
            pairs[c.probability_of(service.name, cls)] = column
    pairs.update({c.noisy_of(column): column for column in roles.noisy_label})
    pairs[c.WEIGHT], pairs[c.PRICE] = roles.weight, roles.price
    for recipe in roles.attributes:
        if recipe.is_number and not recipe.is_built_in:
            pairs[c.attribute_of(recipe.column)] = recipe.column
    for guess in roles.guesses.values():
        pairs.update({c.guess_of(column): column for _, column in guess})
    return {name: source for name, source in pairs.items() if source is not None}


def _check_parsed(raw: Table, column: str, source: str) -> None:
    if source not in raw.columns or not raw[source].type().is_string():
        return
    value = raw[source].nullif("")
    lost = raw.filter(value.notnull() & value.try_cast("float64").isnull())
    for row in fetched(lost.select(value=raw[source]).limit(1)).to_pylist():
        said = row["value"]
        raise InputError(
            f"Column {source!r} holds {said!r}, which is no number; {_advice(column, said)}."
        )


def _advice(column: str, value: str) -> str:
    """How to write a number, or what may stand where it is missing."""
    if _DECIMAL_COMMA.fullmatch(value):
        return f"write it with a point, as in {value.replace(',', '.')}"
    if column.split(":")[0] in ("guess", c.WEIGHT, c.PRICE):
        return "every item needs one"
    return "leave a cell empty where the value is missing"


def _check_range(table: Table, column: str, source: str) -> None:
    value = table[column]
    bad, rule = value.isnan() | value.isinf(), "every value must be finite or empty"
    kind = column.split(":")[0]
    if kind in ("verdict", "probability", "noisy"):
        bad, rule = bad | (value < 0) | (value > 1), _UNIT
    elif kind == "guess":
        rule = _UNIT  # its range is looked at with its attribute
    elif kind in (c.WEIGHT, c.PRICE):
        bad, rule = bad | value.isnull() | (value <= 0), "every value must be positive"
    _refuse_first(table, bad, value, (source, rule))


def _refuse_first(table: Table, bad: Column, value: Column, says: tuple[str, str]) -> None:
    """Raise when some row is bad; ``says`` is the column's name and the rule it breaks."""
    for row in _first(table, bad, value):
        shown = "empty" if row["value"] is None else row["value"]
        raise InputError(f"Column {says[0]!r} is {shown} for item {row['item']!r}; {says[1]}.")
