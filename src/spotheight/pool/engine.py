"""Pool behind Ibis: rows stay in their engine, only counts and the chosen items leave it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from spotheight.arms import MISSING, Attribute, Recipe
from spotheight.pool import coding
from spotheight.pool import names as c
from spotheight.pool.base import PoolBase
from spotheight.pool.cells import Cells
from spotheight.pool.coding import BLOCK, Columns, GroupCounts
from spotheight.pool.growth import table_buckets
from spotheight.pool.layout import NO_SCORE, bin_of, resolve, source_column
from spotheight.pool.reading.embedded import Column, Table
from spotheight.pool.reading.frames import columns_of
from spotheight.pool.roles import probability_columns, require_score
from spotheight.types import FloatArray, IntArray

_BIN = "bin"

SCANNED = 500_000
"""Rows that leave the engine at a time where each of them has to be looked at."""


@dataclass(frozen=True, eq=False)
class TablePool(PoolBase):
    """Items behind an Ibis expression over canonical columns."""

    table: Table = field(repr=False)
    scenes: None = None

    def __len__(self) -> int:
        return int(self.table.count().to_pyarrow().as_py())

    def _looked_up(self, recipe: Recipe, service: str) -> Attribute:
        return resolve(self.table, recipe, self.roles, service)

    def cells(self, attributes: Sequence[Attribute], service: str) -> Cells:
        score_cells = self.score_cells(service)
        keyed = self._keyed(attributes, service, score_cells)
        names = [*_named(attributes), _BIN]
        grouped = keyed.group_by(names).aggregate(
            count=keyed.count(),
            score=keyed[c.score_of(service)].mean(),
            price=keyed[c.PRICE].mean(),
            weight=keyed[c.WEIGHT].sum(),
        )
        found = columns_of(grouped.to_pyarrow())
        groups = GroupCounts(
            _codes(found, attributes),
            found[_BIN].astype(np.int64),
            found["count"].astype(np.int64),
            *(found[name] for name in ("score", "price", "weight")),
        )
        return coding.cells_of(attributes, service, score_cells, groups)

    @property
    def _facts(self) -> Table:
        """All but what is only shown to people, which may be gigabytes."""
        shown = [name for name in self.table.columns if name.startswith(c.payload_of(""))]
        return self.table.drop(*shown)

    def blocks(self) -> Iterator[Columns]:
        table, parts = self._facts, -(-len(self) // SCANNED)
        for part in range(parts):
            block = table.filter(table[c.ID].hash().abs() % parts == part).to_pyarrow()
            for start in range(0, block.num_rows, BLOCK):
                yield columns_of(block.slice(start, BLOCK))

    def _keyed(
        self, attributes: Sequence[Attribute], service: str, score_cells: Attribute
    ) -> Table:
        """The table with a column per attribute's level, and the score cell."""
        levels = {
            name: _level(self.table[source_column(attribute.column, service)], attribute)
            for name, attribute in _named(attributes).items()
        }
        bins = _level(self.table[c.score_of(service)], score_cells)
        return self.table.mutate(**levels, **{_BIN: bins})

    def class_scores(self, cells: Cells) -> FloatArray:
        attributes = cells.partition.attributes
        keyed = self._keyed(attributes, cells.service, NO_SCORE)
        names = probability_columns(self.roles, cells.service)
        means = {f"mean{place}": keyed[name].mean() for place, name in enumerate(names)}
        found = columns_of(keyed.group_by([*_named(attributes)]).aggregate(**means).to_pyarrow())
        scores = np.full((cells.arms, len(names)), np.nan)
        arm = cells.partition.find(_codes(found, attributes))
        means_found = np.column_stack([found[name] for name in means])
        scores[arm[arm >= 0]] = means_found[arm >= 0]
        return np.round(scores, 12)

    def pick(
        self, cells: Cells, ranks: Mapping[int, Sequence[int]], without: Collection[str]
    ) -> dict[tuple[int, int], str]:
        if not ranks:
            return {}
        attributes = cells.partition.attributes
        names = [*_named(attributes), _BIN]
        keyed = self._keyed(attributes, cells.service, cells.score_cells)
        keys = ibis.memtable(_cell_keys(cells, list(ranks)))
        inside = keyed.inner_join(keys, names).select("cell", c.ID)
        if without:
            taken = ibis.memtable(pa.table({c.ID: pa.array(list(without), pa.string())}))
            inside = inside.filter(inside[c.ID].notin(taken[c.ID]))
        ranked = inside.mutate(rank=ibis.row_number().over(group_by="cell", order_by=c.ID))
        wanted = ibis.memtable(_pairs(ranks))
        found = ranked.semi_join(wanted, ["cell", "rank"]).to_pyarrow().to_pylist()
        return {(row["cell"], row["rank"]): row[c.ID] for row in found}

    def listed(
        self, attributes: Sequence[Attribute], services: Sequence[str], n: int | None
    ) -> Columns:
        levels = [*_named(attributes)]
        keyed = self._keyed(attributes, services[0], NO_SCORE)
        if n is not None:
            ranks = {
                f"rank{place}": _rank(keyed, require_score(self.roles, service), levels)
                for place, service in enumerate(services)
            }
            ranked = keyed.mutate(**ranks)
            keyed = ranked.filter(reduce(or_, (ranked[name] < n for name in ranks)))
        found = columns_of(keyed.to_pyarrow())
        order = np.lexsort((found[c.ID].astype(str), *_codes(found, attributes).T[::-1]))
        return {name: found[name][order] for name in self.table.columns}

    def rows(self, items: Sequence[str]) -> Columns:
        wanted = pa.table({c.ID: pa.array(list(items), pa.string()), "place": range(len(items))})
        found = columns_of(self.table.inner_join(ibis.memtable(wanted), c.ID).to_pyarrow())
        if len(found["place"]) < len(items):
            present = set(found[c.ID])
            self.refuse_unknown([item for item in items if item not in present])
        order = np.argsort(found.pop("place"))
        return {name: values[order] for name, values in found.items()}

    def _some_ids(self, n: int) -> list[str]:
        return self.table.select(c.ID).limit(n).to_pyarrow()[c.ID].to_pylist()

    def sample(self, n: int) -> Columns:
        step = -(-len(self) // n)
        place = ibis.row_number().over(order_by=c.ID)
        ranked = self._facts.mutate(place=place)
        chosen = ranked.filter(ranked["place"] % step == 0).order_by(c.ID).drop("place")
        return columns_of(chosen.to_pyarrow())

    def silences(self, service: str) -> int:
        name = c.prediction_of(service)
        if name not in self.table.columns:
            return 0
        return int(self.table.filter(self.table[name].isnull()).count().to_pyarrow().as_py())

    def id_buckets(self) -> dict[str, int]:
        return table_buckets(self.table)

    def known(self) -> Columns:
        known = ibis.literal(False)
        for name in c.truth_columns(self.table.columns):
            known = known | self.table[name].notnull()
        return columns_of(self._facts.filter(known).order_by(c.ID).to_pyarrow())

    def _answering(self, column: str, prediction: str) -> "TablePool":
        return replace(self, table=self.table.filter(self.table[column] == prediction))


def _rank(table: Table, score: str, levels: Sequence[str]) -> Any:
    """From 0 for the highest score of each arm; endless where there is no score."""
    endless = 2**53  # the last whole number that survives as a double
    window = {"group_by": levels, "order_by": [ibis.desc(table[score], nulls_first=False), c.ID]}
    rank = ibis.row_number().over(**window)
    return table[score].isnull().ifelse(ibis.literal(endless), rank)


def _named(attributes: Sequence[Attribute]) -> dict[str, Attribute]:
    """The attributes by the columns that have their levels."""
    return {f"level{place}": attribute for place, attribute in enumerate(attributes)}


def _level(column: Column, attribute: Attribute) -> Column:
    """The level of a column: its text, or the number of its bin."""
    if not attribute.is_number:
        return column.fill_null(MISSING)
    number = column.try_cast("float64") if column.type().is_string() else column
    missing = len(attribute.levels) - 1
    return number.isnull().ifelse(missing, bin_of(number, attribute.edges)).cast("int64")


def _codes(found: Columns, attributes: Sequence[Attribute]) -> IntArray:
    """Level numbers of groups that came out of the engine."""
    rows = len(next(iter(found.values())))
    codes = np.zeros((rows, len(attributes)), dtype=np.int64)
    for place, (name, attribute) in enumerate(_named(attributes).items()):
        values = found[name]
        codes[:, place] = values if attribute.is_number else attribute.codes(values)
    return codes


def _cell_keys(cells: Cells, chosen: list[int]) -> pa.Table:
    """What the engine has to match to find the items of some cells."""
    codes = cells.partition.codes[cells.arm[chosen]]
    columns: dict[str, object] = {"cell": pa.array(chosen, pa.int64())}
    for (name, attribute), code in zip(
        _named(cells.partition.attributes).items(), codes.T, strict=True
    ):
        levels = code if attribute.is_number else [attribute.levels[one] for one in code]
        columns[name] = pa.array(levels)
    columns[_BIN] = pa.array(cells.bin[chosen])
    return pa.table(columns)


def _pairs(ranks: Mapping[int, Sequence[int]]) -> pa.Table:
    pairs = [(cell, rank) for cell, wanted in ranks.items() for rank in wanted]
    cells, places = zip(*pairs, strict=True)
    return pa.table({"cell": pa.array(cells, pa.int64()), "rank": pa.array(places, pa.int64())})
