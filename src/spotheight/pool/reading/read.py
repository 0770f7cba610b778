"""Reading a pool: the door from any table and its roles to a pool."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from spotheight.arms import Recipe
from spotheight.pool.engine import TablePool
from spotheight.pool.layout import Layout, lay_out
from spotheight.pool.memory import ColumnPool
from spotheight.pool.protocol import Pool
from spotheight.pool.reading.canonical import canonical
from spotheight.pool.reading.checks import check_table
from spotheight.pool.reading.embedded import Table, reading
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.models import guessed_columns
from spotheight.pool.reading.source import ROW, numbered, open_source, taken_out
from spotheight.pool.reading.wide import widened
from spotheight.pool.roles import SOLE, Roles, named_services, require_one_service
from spotheight.pool.scenes import split_scenes

ROWS_IN_MEMORY = 1_000_000
"""A larger table stays in its engine, unless the caller says otherwise."""

LETTERS_IN_MEMORY = 1 << 28
"""Likewise one with more text than this: a column of two gigabytes fits no Arrow array."""


def read_pool(
    source: object,
    *,
    id: str | None,
    prediction: str | Mapping[str, str] | None = None,
    score: str | Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    in_memory: bool | None = None,
    **roles: object,
) -> Pool:
    """A pool from a path, from a pandas, Polars, Arrow or Ibis table, or from dicts.

    Args:
        source: CSV, Parquet, JSON lines, Arrow or Excel by its ending; a table, a dict of columns
            or a list of dicts; ``PoolFiles(pattern, is_pattern=True)`` for a table in parts.
        id: The column with the item's name; ``None`` numbers the rows.
        prediction: The column with the answer, or one for each service by name.
        score: Likewise, how sure the service was.
        attributes: ``NAME``, ``NAME:bins=4``, ``NAME:edges=18,65``, ``NAME:ordered=S,M,L``,
            ``@prediction`` or ``@score:bins=10``.
        in_memory: Keep the columns here or leave them in the engine; by default by size.
        roles: Further fields of ``Roles``: ``label``, ``system``, ``category``, ``weight``, ...;
            ``threshold=Threshold(.5, "yes", "no")`` reads answers off scores;
            ``probabilities`` maps each class to the column with its probability; ``guessed`` maps
            each attribute that is only guessed to the column with the chance that it is there, to a
            column for each level, to an ``AttributeModel``, or to ``None`` for a bare guess.
    """
    columns = {
        field: {SOLE: value} if isinstance(value, str) else dict(value or {})  # type: ignore[call-overload]
        for field, value in (
            ("prediction", prediction), ("score", score), ("verdict", roles.pop("verdict", None))
        )
    }  # fmt: skip
    names = list(dict.fromkeys(name for named in columns.values() for name in named))
    pairs = tuple(dict(roles.pop("probabilities", {})).items())  # type: ignore[call-overload]
    require_one_service(names, pairs)
    threshold = roles.pop("threshold", None)
    silent = [name for name in names if threshold and name not in columns["prediction"]]
    services = named_services(
        **columns,
        probabilities=dict.fromkeys(names, pairs),
        threshold=dict.fromkeys(silent, threshold),
    )
    noisy = roles.pop("noisy_label", ())
    roles["noisy_label"] = (noisy,) if isinstance(noisy, str) else tuple(noisy)  # type: ignore[arg-type]
    recipes = tuple(Recipe.parse(text) for text in attributes)
    source, guesses = guessed_columns(source, roles.pop("guessed", {}))  # type: ignore[arg-type]
    named = {recipe.column for recipe in recipes}
    recipes = (*recipes, *(Recipe(name) for name in guesses if name not in named))
    all_roles = Roles(
        id=id,
        services=services,
        attributes=recipes,
        **{"guesses": guesses, **roles},  # type: ignore[arg-type]
    )
    return open_pool(source, all_roles, in_memory=in_memory)


def open_pool(
    source: object,
    roles: Roles,
    *,
    layout: Layout | None = None,
    fingerprint: str | None = None,
    in_memory: bool | None = None,
    rows: int | None = None,
) -> Pool:
    """A pool under known roles; a table that was checked before brings its layout along.

    ``fingerprint`` is the source's and ``rows`` how many it has, where that is known; ``in_memory``
    keeps the columns here or leaves them in the engine, by default by size.
    """
    pool = _opened(source, roles, layout, in_memory, rows)
    return replace(pool, fingerprint=fingerprint or _fingerprint(source, pool))


def _fits_in_memory(table: Table, rows: int | None) -> bool:
    """Whether a table is small enough to be taken out of its engine unasked."""
    if rows is None:
        rows = int(fetched(table.aggregate(rows=table.count()))["rows"][0].as_py())
    if rows > ROWS_IN_MEMORY:
        return False
    texts = [name for name in table.columns if table[name].type().is_string()]
    letters = fetched(table.aggregate(**{name: table[name].length().sum() for name in texts}))
    return sum(letters[name][0].as_py() or 0 for name in texts) <= LETTERS_IN_MEMORY


def _opened(
    source: object,
    roles: Roles,
    layout: Layout | None,
    in_memory: bool | None,
    rows: int | None,
) -> ColumnPool | TablePool:
    """The pool without its fingerprint; a pool in memory leaves the engine behind here."""
    raw, scenes = open_source(source), None
    with reading("the table"):  # a file may be readable up to some row only
        if roles.scene is not None:
            raw, scenes = split_scenes(raw, roles, is_known=layout is not None)
            in_memory = True
        if roles.id is None:
            raw, roles = numbered(raw), replace(roles, id=ROW)
        raw, roles = widened(raw, roles)
        table = canonical(raw, roles)
        rows = check_table(raw, table, roles) if layout is None else rows
        layout = layout or lay_out(table, roles)
        if in_memory is None:
            in_memory = _fits_in_memory(table, rows)
        if not in_memory:
            return TablePool(roles, layout, "", table)
        taken = taken_out(table, source)
    return replace(ColumnPool.of(taken, roles, layout, ""), scenes=scenes)


def _fingerprint(source: object, pool: Pool) -> str:
    """A file's bytes, or for a table in memory its ids and what statistics see of it.

    Mean scores stay out: an engine adds in any order, and their last digits change by themselves.
    """
    if isinstance(source, (str, Path, PoolFiles)):
        return PoolFiles.of(source).fingerprint
    digest = hashlib.sha256(repr((pool.layout, pool.id_buckets())).encode())
    for service in pool.roles.services:
        cells = pool.cells(pool.layout.attributes, service.name)
        for values in (cells.arm, cells.bin, cells.count):
            digest.update(values.tobytes())
    return f"cells:{digest.hexdigest()}"
