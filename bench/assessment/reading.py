"""Columns of tables, and the runs behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from bench.assessment.passes import Study
from bench.assessment.store import Store
from spotheight.types import FloatArray

Row = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """A column of a table: whose runs, and which reading of them."""

    column: str
    study: Study
    reading: str


@dataclass(frozen=True)
class Reader:
    """Readings of studies, each file read once."""

    store: Store
    _known: dict[Study, Mapping[str, FloatArray]] = field(default_factory=dict, repr=False)

    def readings(self, study: Study) -> Mapping[str, FloatArray]:
        """All of a study, (readings, runs) each; empty where nothing was run."""
        if study not in self._known:
            self._known[study] = self.store.readings(study)
        return self._known[study]

    def columns(self, sources: list[Source]) -> dict[str, FloatArray]:
        """Those that have runs."""
        found = {one.column: self.readings(one.study).get(one.reading) for one in sources}
        return {name: array for name, array in found.items() if array is not None}


def cells_of(values: dict[str, FloatArray]) -> Row:
    """The mean of every column with its standard error, and which one is best."""
    cells = {
        name: {"mean": float(v.mean()), "error": float(v.std() / len(v) ** 0.5), "runs": len(v)}
        for name, v in values.items()
    }
    return {"cells": cells, "best": best_of(values)}


def best_of(values: dict[str, FloatArray]) -> str:
    """The lowest of columns, where a paired test tells it from the next; else none.

    Wilcoxon's signed-rank test at 5%, as in the paper; runs are paired by their number.
    """
    order = sorted(values, key=lambda name: float(values[name].mean()))
    if len(order) < 2:
        return ""
    runs = min(len(values[name]) for name in order[:2])
    first, second = (values[name][:runs] for name in order[:2])
    if np.array_equal(first, second):
        return ""
    return order[0] if wilcoxon(first, second).pvalue < 0.05 else ""
