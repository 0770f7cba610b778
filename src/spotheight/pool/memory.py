"""Pool in memory: columns as arrays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spotheight.arms import SCORE, Attribute, Recipe, distinct_rows, find_sorted
from spotheight.numerics.sums import sum_by, turns
from spotheight.pool import coding
from spotheight.pool import names as c
from spotheight.pool.base import PoolBase
from spotheight.pool.cells import Cells
from spotheight.pool.coding import BLOCK, Columns, GroupCounts
from spotheight.pool.growth import count_buckets
from spotheight.pool.layout import Layout, resolve, source_column, text_attribute
from spotheight.pool.reading.frames import arrow_of, columns_of, order_of
from spotheight.pool.reading.source import open_source
from spotheight.pool.roles import Roles, probability_columns, require_score
from spotheight.pool.scenes import Scenes
from spotheight.types import FloatArray, IntArray

NarrowInts = NDArray[np.signedinteger]
"""Level numbers in as few bytes as they need: forty for each of a million rows add up."""


@dataclass(frozen=True, eq=False)
class ColumnPool(PoolBase):
    """Items in memory, ordered by id, so that ranks inside a cell are ranks of rows."""

    columns: Columns = field(repr=False)
    scenes: Scenes | None = field(default=None, repr=False)
    _coded: dict[tuple[Attribute, str], NarrowInts] = field(
        default_factory=dict, repr=False, init=False
    )
    _placed: WeakKeyDictionary[Cells, IntArray] = field(
        default_factory=WeakKeyDictionary, repr=False, init=False
    )
    _last: list[tuple[Cells, IntArray, IntArray]] = field(
        default_factory=list, repr=False, init=False
    )

    @classmethod
    def of(cls, found: pa.Table, roles: Roles, layout: Layout, fingerprint: str) -> "ColumnPool":
        """From the rows of a canonical table."""
        order = order_of(found[c.ID])
        columns = columns_of(found)
        for name, values in columns.items():
            columns[name] = values[order]  # one by one, so that few columns are here twice
        return cls(roles, layout, fingerprint, columns)

    def __len__(self) -> int:
        return coding.length(self.columns)

    def _row_of(self, items: Collection[str]) -> IntArray:
        """The row of each item, -1 where there is none; rows are in the order of ids."""
        return find_sorted(self.columns[c.ID], np.array([*items], dtype=object))

    def _looked_up(self, recipe: Recipe, service: str) -> Attribute:
        source = source_column(recipe.column, service)
        is_guessed = recipe.column in self.roles.guesses
        is_words = not (recipe.is_number or is_guessed or recipe.column == SCORE)
        if is_words and source in self.columns:
            return text_attribute(set(self.columns[source].tolist()), recipe)
        # As a pool in an engine does it, so that edges are the same to the last digit.
        arrays = {c.ID: pa.nulls(len(self), pa.string())}
        if source in self.columns:
            arrays[source] = arrow_of(self.columns[source])
        return resolve(open_source(pa.table(arrays)), recipe, self.roles, service)

    def cells(self, attributes: Sequence[Attribute], service: str) -> Cells:
        score_cells = self.score_cells(service)
        codes = self._level_codes(attributes, service)
        bins = coding.score_bins(self.columns, score_cells, service)
        first, group = distinct_rows(np.column_stack([codes, bins.astype(codes.dtype)]))
        groups = self._groups(codes[first].astype(np.int64), bins[first], group, service)
        cells = coding.cells_of(attributes, service, score_cells, groups)
        self._placed[cells] = group  # both are in the order of levels and bins
        return cells

    def _level_codes(self, attributes: Sequence[Attribute], service: str) -> NarrowInts:
        """A row of level numbers for each row; every attribute is looked up only once."""
        for attribute in attributes:
            if (attribute, service) not in self._coded:
                found = coding.level_codes(self.columns, (attribute,), service)[:, 0]
                narrow = np.int16 if len(attribute.levels) < 1 << 15 else np.int32
                self._coded[attribute, service] = found.astype(narrow)
        none = np.zeros((len(self), 0), dtype=np.int16)
        return np.column_stack([none, *(self._coded[a, service] for a in attributes)])

    def blocks(self) -> Iterator[Columns]:
        starts = range(0, len(self), BLOCK)
        return (self._take(np.arange(i, min(i + BLOCK, len(self)))) for i in starts)

    def _groups(
        self, codes: IntArray, bins: IntArray, group: IntArray, service: str
    ) -> GroupCounts:
        count = np.bincount(group)

        def mean(name: str) -> FloatArray:
            return sum_by(group, self.columns[name], len(count)) / count

        score, price, weight = map(mean, (c.score_of(service), c.PRICE, c.WEIGHT))
        return GroupCounts(codes, bins, count, score, price, weight * count)

    def class_scores(self, cells: Cells) -> FloatArray:
        codes = self._level_codes(cells.partition.attributes, cells.service)
        arm = cells.partition.find(codes)
        means = []
        for name in probability_columns(self.roles, cells.service):
            known = np.flatnonzero(~np.isnan(self.columns[name]) & (arm >= 0))
            held = sum_by(arm[known], np.ones(len(known)), cells.arms)
            total = sum_by(arm[known], self.columns[name][known], cells.arms)
            means.append(np.divide(total, held, out=np.full(cells.arms, np.nan), where=held > 0))
        return np.round(np.column_stack(means), 12)

    def pick(
        self, cells: Cells, ranks: Mapping[int, Sequence[int]], without: Collection[str]
    ) -> dict[tuple[int, int], str]:
        free, taken = np.ones(len(self), dtype=bool), self._row_of(without)
        free[taken[taken >= 0]] = False
        ids = self.columns[c.ID]
        order, start = self._order(cells)
        picked = {}
        for cell, wanted in ranks.items():
            members = order[start[cell] : start[cell + 1]]
            left = members[free[members]]
            picked.update({(cell, rank): str(ids[left[rank]]) for rank in wanted})
        return picked

    def _order(self, cells: Cells) -> tuple[IntArray, IntArray]:
        """Rows by cell, and where each cell starts; kept, for a campaign asks the same cells."""
        if not self._last or self._last[0][0] is not cells:
            place = self._placed.get(cells)
            if place is None:
                place = coding.place_in_cells(self.columns, cells)
            start = np.concatenate([[0], np.cumsum(cells.count)])
            self._last[:] = [(cells, np.argsort(place, kind="stable"), start)]
        return self._last[0][1:]

    def listed(
        self, attributes: Sequence[Attribute], services: Sequence[str], n: int | None
    ) -> Columns:
        _, arm = distinct_rows(self._level_codes(attributes, services[0]))
        kept = np.full(len(self), n is None)
        if n is not None:
            for service in services:
                kept[self._best(arm, self.columns[require_score(self.roles, service)], n)] = True
        rows = np.flatnonzero(kept)
        return self._take(rows[np.argsort(arm[rows], kind="stable")])

    def _best(self, arm: IntArray, score: FloatArray, n: int) -> IntArray:
        """The rows of the ``n`` highest scores in each arm."""
        known = np.flatnonzero(~np.isnan(score))
        order = known[np.lexsort((known, -score[known], arm[known]))]
        return order[turns(arm[order]) < n]

    def rows(self, items: Sequence[str]) -> Columns:
        row = self._row_of(items)
        self.refuse_unknown([item for item, place in zip(items, row, strict=True) if place < 0])
        return self._take(row)

    def _some_ids(self, n: int) -> list[str]:
        return self.columns[c.ID][:n].tolist()

    def _take(self, rows: IntArray) -> Columns:
        return {name: values[rows] for name, values in self.columns.items()}

    def sample(self, n: int) -> Columns:
        return self._take(np.arange(0, len(self), -(-len(self) // n)))

    def silences(self, service: str) -> int:
        answers = self.columns.get(c.prediction_of(service), ())
        return sum(answer is None for answer in answers)

    def id_buckets(self) -> dict[str, int]:
        beside = [] if self.scenes is None else [self.scenes.crowds, self.scenes.detections]
        return count_buckets(chain(self.columns[c.ID], *(rows.ids for rows in beside)))

    def known(self) -> Columns:
        return self._take(
            np.flatnonzero(coding.filled(self.columns, c.truth_columns(self.columns)))
        )

    def _answering(self, column: str, prediction: str) -> "ColumnPool":
        rows = np.flatnonzero(self.columns[column] == prediction)
        return replace(self, columns=self._take(rows))
