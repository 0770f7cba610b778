"""Placement: which arms items belong to, for certain or by what guessed attributes leave open."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse

from spotheight.arms import Attribute
from spotheight.numerics.joint import Spread
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.sums import sum_by
from spotheight.pool import names as c
from spotheight.pool.cells import Cells, Parts
from spotheight.pool.chances import NOTHING_KNOWN, ArmChances, Known, Reach
from spotheight.pool.coding import Columns, level_codes
from spotheight.pool.strata import Strata
from spotheight.types import IntArray


@dataclass(frozen=True, eq=False)
class ToldLevels:
    """True levels of guessed attributes, as people told them.

    Args:
        columns: Of the items of which something was told.
        codes: (items, attributes): the level's number, -1 where nobody said.
    """

    columns: Columns = field(repr=False)
    attributes: tuple[str, ...]
    codes: IntArray = field(repr=False)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {item: row for row, item in enumerate(self.columns[c.ID])}

    def known(self, columns: Columns) -> Known:
        """By attribute, what is told of some items."""
        row = np.array([self._row.get(item, -1) for item in columns[c.ID]], dtype=np.int64)
        codes = np.where(row[:, None] >= 0, self.codes[row], -1)
        return dict(zip(self.attributes, codes.T, strict=True))


class Placement(Protocol):
    """Where items belong, and the doubt about it, for arms that some attributes cut."""

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        """Whether every item lies in just one arm of these attributes."""
        ...

    def spread(self, columns: Columns, attributes: Sequence[Attribute], service: str) -> Spread:
        """All arms that each row may belong to, with weights that add up to one."""
        ...

    def kinds(self, columns: Columns, strata: Strata) -> tuple[IntArray, Spread]:
        """The kind of each row, and kinds spread over arms, whatever was told of single items."""
        ...

    def cells(self, strata: Strata) -> Cells:
        """What statistics see: the items by the arms that they belong to."""
        ...

    def arms(self, strata: Strata) -> int:
        """How many arms items may belong to, whatever was told of single items."""
        ...

    def landing(self, strata: Strata, cells: Cells) -> Sparse | None:
        """(strata, cells), sparse: how probably an item of a stratum counts in each cell.

        Nothing where the cells are the strata.
        """
        ...


@dataclass(frozen=True)
class CertainPlacement:
    """Every item lies in the arm of its levels."""

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        return True

    def spread(self, columns: Columns, attributes: Sequence[Attribute], service: str) -> Spread:
        codes = level_codes(columns, attributes, service)
        return Spread(np.arange(len(codes)), codes, np.ones(len(codes)))

    def kinds(self, columns: Columns, strata: Strata) -> tuple[IntArray, Spread]:
        spread = self.spread(columns, strata.cells.partition.attributes, strata.cells.service)
        return spread.row, spread

    def cells(self, strata: Strata) -> Cells:
        return strata.cells

    def arms(self, strata: Strata) -> int:
        return strata.cells.arms

    def landing(self, strata: Strata, cells: Cells) -> Sparse | None:
        return None


@dataclass(frozen=True, eq=False)
class GuessedPlacement:
    """Items belong to several arms by chances, unless people told their true levels.

    Args:
        chances: P(arm | item), from the guesses.
        told: What people told, if anything.
    """

    chances: ArmChances
    told: ToldLevels | None = None
    _moved: dict[Strata, Cells] = field(default_factory=dict, init=False, repr=False)

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        return self.chances.is_certain(attributes)

    def spread(self, columns: Columns, attributes: Sequence[Attribute], service: str) -> Spread:
        known = NOTHING_KNOWN if self.told is None else self.told.known(columns)
        return self.chances.spread(columns, attributes, service, known)

    def kinds(self, columns: Columns, strata: Strata) -> tuple[IntArray, Spread]:
        return self.chances.kinds(columns, strata.cells)

    def cells(self, strata: Strata) -> Cells:
        if self.told is None:
            return self._expected(strata)
        if strata not in self._moved:
            self._moved[strata] = self._mended(strata, self.told.columns)
        return self._moved[strata]

    def arms(self, strata: Strata) -> int:
        return self._expected(strata).arms

    def _expected(self, strata: Strata) -> Cells:
        if self.is_certain(strata.cells.partition.attributes):
            return strata.cells
        return self.chances.population(strata)

    def _mended(self, strata: Strata, told: Columns) -> Cells:
        """With the items whose levels were told where they truly belong."""
        columns = strata.some(told)
        attributes, service = strata.cells.partition.attributes, strata.cells.service
        before = self.chances.spread(columns, attributes, service)
        after = self.spread(columns, attributes, service)
        cell = strata.place(columns)[np.concatenate([before.row, after.row])]
        held = np.concatenate([-before.weight, after.weight])
        parts = Parts.of(strata.cells, cell, np.zeros_like(cell), held)
        codes = np.concatenate([before.codes, after.codes])
        return self._expected(strata).moved(codes, parts)

    def landing(self, strata: Strata, cells: Cells) -> Sparse | None:
        own = strata.cells
        if cells is own:
            return None
        reach = self._reach(strata)
        held = reach.held.tocoo()
        place = cells.find(cells.partition.find(reach.partition.codes)[held.col], own.bin[held.row])
        found = place >= 0
        row, data, place = held.row[found], held.data[found], place[found]
        total = np.maximum(sum_by(row, data, len(own)), 1e-12)
        return sparse.csr_matrix((data / total[row], (row, place)), (len(own), len(cells)))

    def _reach(self, strata: Strata) -> Reach:
        """A bare guess is believed, but true levels that were told move items to other cells."""
        own = strata.cells
        if not self.is_certain(own.partition.attributes):
            return self.chances.reach(strata)
        here = (np.ones(len(own)), (np.arange(len(own)), own.arm))
        return Reach(own.partition, sparse.csr_matrix(here, shape=(len(own), own.arms)))
