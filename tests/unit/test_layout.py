"""How finely the score is cut: by the arms that have items, not by those that could."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from spotheight.pool.layout import FEW_ARMS, SCORE_CELLS

ROWS = FEW_ARMS + 2000


def table(*columns: np.ndarray) -> pa.Table:
    words = {f"x{place}": column.astype(str) for place, column in enumerate(columns)}
    return pa.table(
        {
            "id": np.arange(ROWS).astype(str),
            "prediction": np.repeat("yes", ROWS),
            "score": default_rng(0).random(ROWS),
            "age": default_rng(1).random(ROWS),
            **words,
        }
    )


def score_cells(source: pa.Table, *attributes: str) -> int:
    pool = worlds.pool(
        source, id="id", prediction="prediction", score="score", attributes=attributes
    )
    [cells] = pool.layout.score_cells.values()
    return len(cells.levels)


@pytest.mark.parametrize("attributes", [(), ("age:bins=4",)], ids=["words", "a number too"])
def test_combinations_that_do_not_occur_leave_the_score_fine(attributes):
    """300 x 300 combinations are possible, 300 occur."""
    level = np.arange(ROWS) % 300
    assert score_cells(table(level, level), "x0", "x1", *attributes) == SCORE_CELLS


def test_many_arms_with_items_make_it_coarse():
    row = np.arange(ROWS)
    assert score_cells(table(row // 300, row % 300), "x0", "x1") < SCORE_CELLS
