"""Strata: what items are drawn from."""

from dataclasses import dataclass, field

import numpy as np

from spotheight.pool import coding
from spotheight.pool import names as c
from spotheight.pool.cells import Cells
from spotheight.pool.coding import Columns
from spotheight.pool.protocol import Pool
from spotheight.types import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Strata:
    """A part of a pool, cut so that every item is drawn from one stratum, by its likeliest levels.

    Args:
        cells: The strata; statistics see these too, unless items belong elsewhere as well.
        only: The answer that the service gives to all of them, where the part is cut by it.
    """

    pool: Pool
    cells: Cells = field(repr=False)
    only: str | None = None

    def holds(self, columns: Columns) -> BoolArray:
        """Which items of the whole pool are in this part."""
        if self.only is None:
            return np.ones(coding.length(columns), dtype=bool)
        return np.asarray(columns[c.prediction_of(self.cells.service)] == self.only, dtype=bool)

    def some(self, columns: Columns) -> Columns:
        """Those of them."""
        inside = self.holds(columns)
        return {name: values[inside] for name, values in columns.items()}

    def place(self, columns: Columns) -> IntArray:
        """The stratum of each item, -1 for one outside."""
        return np.where(self.holds(columns), coding.place_in_cells(columns, self.cells), -1)
