"""Layout: levels and bin edges of a pool, found once when a campaign starts and kept since."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import ibis
import numpy as np

from spotheight.arms import CATEGORY, MISSING, PREDICTION, SCORE, Attribute, Recipe, bin_names
from spotheight.errors import InputError, listed
from spotheight.pool import names as c
from spotheight.pool.reading.embedded import Column, Table
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.roles import Roles

NO_SCORE = Attribute(SCORE, SCORE, ("any", MISSING), is_number=True)
"""One cell for all, where a service gives no score."""

SCORE_CELLS = 64
"""Fine enough to lose nothing against the items' own scores on the real cases."""

FEW_ARMS = 1 << 16
"""Beyond so many arms the score is cut more coarsely, so that cells stay fewer than items."""


@dataclass(frozen=True)
class Layout:
    """The attributes of a campaign with their levels fixed, and the score cells of each service."""

    attributes: tuple[Attribute, ...] = ()
    score_cells: Mapping[str, Attribute] = field(default_factory=dict)


def lay_out(table: Table, roles: Roles) -> Layout:
    """Look at a canonical table once and fix levels and edges."""
    attributes = tuple(_for_all(table, recipe, roles) for recipe in roles.attributes)
    arms = _most_arms(table, attributes, roles)
    bins = SCORE_CELLS if arms <= FEW_ARMS else SCORE_CELLS // 8
    cells = {
        service.name: resolve(table, Recipe(SCORE, bins=bins), roles, service.name)
        for service in roles.services
        if service.score is not None
    }
    return Layout(attributes, cells)


def _most_arms(table: Table, attributes: Sequence[Attribute], roles: Roles) -> float:
    """No more arms have items: all combinations, or of words only those that occur."""
    product = _combinations(attributes)
    words = [one for one in attributes if not (one.is_number or one.is_guessed)]
    if product <= FEW_ARMS or not words:
        return product
    sources = {source_column(one.column, roles.services[0].name) for one in words}
    found = table.select(*sorted(sources)).distinct().count().to_pyarrow().as_py()
    return float(found) * product / _combinations(words)


def _combinations(attributes: Sequence[Attribute]) -> float:
    return float(np.prod([len(attribute.levels) for attribute in attributes], dtype=float))


def _for_all(table: Table, recipe: Recipe, roles: Roles) -> Attribute:
    """One attribute for every service: cut as the first one's, with the levels of all."""
    if recipe.column == SCORE and all(one.score is None for one in roles.services):
        raise InputError("No service has a score that could be cut; name its column (--score COL).")
    services = roles.services if recipe.is_built_in else roles.services[:1]
    return reduce(_extended, (resolve(table, recipe, roles, s.name) for s in services))


def resolve(table: Table, recipe: Recipe, roles: Roles, service: str) -> Attribute:
    """Fix the levels of one attribute from the values there are."""
    guess = roles.guesses.get(recipe.column)
    if guess:
        columns = tuple(c.guess_of(column) for _, column in guess)
        levels = tuple(level for level, _ in guess)
        return Attribute(recipe.column, recipe.column, levels, guesses=columns, is_guessed=True)
    if guess is not None:
        bare = resolve(table, recipe, replace(roles, guesses={}, gold={}), service)
        return replace(bare, is_guessed=True)
    source = source_column(recipe.column, service)
    if source not in table.columns:
        raise _unnamed(recipe.column, service)
    if recipe.is_number:
        return _number_attribute(table, recipe, source)
    if recipe.column == SCORE:
        raise InputError("Say how to cut the score, for example @score:bins=10.")
    found = fetched(table.select(value=table[source]).distinct())
    return text_attribute(found["value"].to_pylist(), recipe)


def _unnamed(column: str, service: str) -> InputError:
    """That an attribute has no column, and how to name one where it is built in."""
    whose = "" if column == CATEGORY else f" of the service {service!r}"
    options = {PREDICTION: "--prediction", SCORE: "--score", CATEGORY: "--category"}
    how = f"; name it with {options[column]} COL" if column in options else ""
    return InputError(f"No column is named for {column!r}{whose}{how}.")


def source_column(column: str, service: str) -> str:
    """The canonical column that an attribute reads."""
    if column == PREDICTION:
        return c.prediction_of(service)
    if column == SCORE:
        return c.score_of(service)
    if column == CATEGORY:
        return c.CATEGORY
    return c.attribute_of(column)


def text_attribute(values: Collection[str | None], recipe: Recipe) -> Attribute:
    """The levels of an attribute of words, from all different words there are."""
    missing = (MISSING,) if None in values or MISSING in values else ()
    present = sorted(value for value in values if value not in (None, MISSING))
    if not recipe.order:
        ordered = sorted(present, key=_natural)
        return Attribute(recipe.column, recipe.column, (*ordered, *missing))
    unknown = sorted(set(present) - set(recipe.order))
    if unknown:
        raise InputError(
            f"Attribute {recipe.column!r} also has the level {listed(map(repr, unknown))}; "
            f"name all its levels from low to high."
        )
    return Attribute(recipe.column, recipe.column, (*recipe.order, *missing), is_ordered=True)


def _natural(text: str) -> tuple[int, float, str]:
    """Numbers by size, before words: 2 comes before 10."""
    try:
        value = float(text)
    except ValueError:
        return (1, 0.0, text)
    return (0, value, text) if np.isfinite(value) else (1, 0.0, text)


def _number_attribute(table: Table, recipe: Recipe, source: str) -> Attribute:
    table = _with_numbers(table, recipe, source)
    column = table[source]
    known = table.filter(column.notnull())
    summary = fetched(
        table.aggregate(low=column.min(), high=column.max(), missing=column.isnull().sum())
    ).to_pylist()[0]
    if summary["low"] is None:
        return Attribute(recipe.column, recipe.column, ("any", MISSING), (), True, True)
    if recipe.edges:
        edges = recipe.edges
    elif recipe.widths:
        inner = np.linspace(summary["low"], summary["high"], recipe.widths + 1)[1:-1]
        edges = tuple(float(edge) for edge in np.unique(inner))
    else:
        edges = _quantile_edges(known, source, recipe.bins)
    missing = (MISSING,) if summary["missing"] else ()
    return Attribute(recipe.column, recipe.column, (*bin_names(edges), *missing), edges, True, True)


def _quantile_edges(known: Table, source: str, bins: int) -> tuple[float, ...]:
    """Values of the pool that split it into bins of equal weight; heavy ties make fewer bins.

    A value on a quantile belongs to the bin below it, so each bin starts at the next value above.
    """
    column = known[source]
    shares = [part / bins for part in range(1, bins)]
    found = fetched(known.aggregate(marks=column.quantile(shares))).to_pylist()[0]
    marks = np.unique(np.asarray(found["marks"], dtype=float))
    above = known.filter(column > float(marks[0]))
    by_bin = above.group_by(bin=bin_of(above[source], marks.tolist(), is_right=True))
    starts = fetched(by_bin.aggregate(start=above[source].min()))["start"].to_pylist()
    return tuple(sorted(float(start) for start in starts))


def _with_numbers(table: Table, recipe: Recipe, source: str) -> Table:
    """The table with a column of texts read as numbers, which answers may be."""
    column = table[source]
    if not column.type().is_string():
        return table
    lost = table.filter(column.notnull() & column.try_cast("float64").isnull())
    for row in fetched(lost.select(value=column).limit(1)).to_pylist():
        raise InputError(
            f"Attribute {str(recipe)!r} cuts numbers, and {recipe.column!r} holds "
            f"{row['value']!r}, which is none; name it without a cut."
        )
    return table.mutate(**{source: column.try_cast("float64")})


def bin_of(column: Column, marks: Sequence[float], *, is_right: bool = False) -> Column:
    """Bin number: how many marks lie at or below a value, or with ``is_right`` below it.

    Halved again and again: six comparisons for 64 bins instead of 63.
    """

    def within(low: int, high: int) -> Column:
        if low == high:
            return ibis.literal(low, "int64")
        middle = (low + high) // 2
        mark = float(marks[middle])
        is_below = column <= mark if is_right else column < mark
        return is_below.ifelse(within(low, middle), within(middle + 1, high))

    return within(0, len(marks))


def grown(old: Layout, fresh: Layout) -> Layout:
    """The old layout with the levels that new rows bring appended; edges and order stay."""
    pairs = zip(old.attributes, fresh.attributes, strict=True)
    return Layout(
        tuple(_extended(before, after) for before, after in pairs),
        {
            name: _extended(cells, fresh.score_cells.get(name, cells))
            for name, cells in old.score_cells.items()
        },
    )


def _extended(before: Attribute, after: Attribute) -> Attribute:
    missing = (MISSING,) if MISSING in (*before.levels, *after.levels) else ()
    levels = [level for level in before.levels if level != MISSING]
    if not before.is_number:
        levels += [level for level in after.levels if level not in (*levels, MISSING)]
    return replace(before, levels=(*levels, *missing))
