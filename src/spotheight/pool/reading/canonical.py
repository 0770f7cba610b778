"""Canonical table: our own column names, a row an item, text as text, numbers as doubles."""

import ibis
import numpy as np

from spotheight.arms import SCORE, Recipe
from spotheight.errors import InputError, require_column
from spotheight.pool import names as c
from spotheight.pool.reading.embedded import Column, Table
from spotheight.pool.roles import Roles, Service, Threshold


def canonical(table: Table, roles: Roles) -> Table:
    """Select, cast and rename: text stays text, numbers become doubles, empty text becomes null."""
    columns = _item_columns(table, roles)
    for service in roles.services:
        columns.update(_service_columns(table, service))
    for recipe in roles.attributes:
        if not recipe.is_built_in:
            columns[c.attribute_of(recipe.column)] = _attribute_column(table, recipe, roles)
    for pairs in roles.guesses.values():
        columns.update({c.guess_of(column): chance(table, column) for _, column in pairs})
    columns.update({c.gold_of(name): text(table, column) for name, column in roles.gold.items()})
    columns.update({c.payload_of(name): text(table, name) for name in roles.payload})
    return table.select(**columns)


def _item_columns(table: Table, roles: Roles) -> dict[str, Column]:
    columns = {c.ID: _item_id(table, roles)}
    if roles.category is not None:
        columns[c.CATEGORY] = text(table, roles.category)
    if roles.label is not None:
        columns[c.LABEL] = text(table, roles.label)
    for column in roles.noisy_label:
        columns[c.noisy_of(column)] = number(table, column)
    for name, role in ((c.WEIGHT, roles.weight), (c.PRICE, roles.price)):
        columns[name] = ibis.literal(1.0) if role is None else number(table, role)
    return columns


def _item_id(table: Table, roles: Roles) -> Column:
    assert roles.id is not None  # numbered() has given every row an id by now
    name = text(table, roles.id)
    return name if roles.category is None else name + c.JOINT + text(table, roles.category)


def _service_columns(table: Table, service: Service) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    if service.prediction is not None:
        answer = text(table, service.prediction)
        if service.words:
            answer = answer.substitute(dict(service.words)).nullif("")  # a word for no answer
        columns[c.prediction_of(service.name)] = answer
    score = ibis.null("float64") if service.score is None else number(table, service.score)
    columns[c.score_of(service.name)] = score
    if service.threshold is not None:
        narrow = str(table[service.score].type()) == "float32"
        columns[c.prediction_of(service.name)] = _by_threshold(score, service.threshold, narrow)
    if service.verdict is not None:
        columns[c.verdict_of(service.name)] = number(table, service.verdict)
    for cls, column in service.probabilities:
        columns[c.probability_of(service.name, cls)] = number(table, column)
    return columns


def _by_threshold(score: Column, threshold: Threshold, is_narrow: bool) -> Column:
    """Without a score there is no answer; .7 in single precision is a hair below .7."""
    value = float(np.float32(threshold.value)) if is_narrow else threshold.value
    word = (score >= value).ifelse(threshold.positive, threshold.negative)
    return score.isnull().ifelse(ibis.null("string"), word)


def _attribute_column(table: Table, recipe: Recipe, roles: Roles) -> Column:
    if roles.guesses.get(recipe.column):
        return _likeliest(table, roles.guesses[recipe.column])
    column = recipe.column.rpartition(":")[0]
    if recipe.column not in table.columns and column in (*table.columns, SCORE):
        raise InputError(
            f"Attribute {recipe.column!r} is cut in no way that is known; there is "
            f"{column}:bins=4, {column}:widths=4, {column}:edges=1,2 and {column}:ordered=S,M,L."
        )
    return number(table, recipe.column) if recipe.is_number else text(table, recipe.column)


def _likeliest(table: Table, pairs: tuple[tuple[str, str], ...]) -> Column:
    """The level with the highest chance; the first of equals."""
    top = ibis.greatest(*(chance(table, column) for _, column in pairs))
    return ibis.cases(*((chance(table, column) == top, level) for level, column in pairs))


def chance(table: Table, name: str) -> Column:
    """A column of chances; ``1 - COL`` is what COL leaves over."""
    other = name.removeprefix(c.LEFT_OVER)
    if name not in table.columns and other != name:
        return 1 - number(table, other)
    return number(table, name)


def text(table: Table, name: str) -> Column:
    """A column as text; a whole number kept as a float reads like a whole number."""
    require_column(name, table.columns)
    column = table[name]
    plain = column.cast("string")
    if column.type().is_floating():
        whole = column.try_cast("int64")  # null for what no whole number can hold
        is_whole = (whole.cast("float64") == column) & (column.abs() < 1e15)
        plain = is_whole.fill_null(False).ifelse(whole.cast("string"), plain)
        plain = column.isnan().ifelse(ibis.null("string"), plain)
    return plain.nullif("")


def number(table: Table, name: str) -> Column:
    """A column as doubles; text that is no number is refused when the table is checked."""
    require_column(name, table.columns)
    column = table[name]
    if column.type().is_string():
        return column.nullif("").try_cast("float64")
    if column.type().is_temporal():
        raise InputError(
            f"Column {name!r} holds dates or times, where a number is needed; name it without a "
            f"cut, or add a column such as the year or the month to the table."
        )
    return column.cast("float64")
