"""How finely the score is cut: by the arms that have items, not by those that could."""

import numpy as np
import pytest
from numpy.random import default_rng

import worlds
from spotheight.pool.layout import FEW_ARMS, SCORE_CELLS

ROWS = FEW_ARMS + 2000


def score_cells(*words: np.ndarray, further: tuple[str, ...] = ()) -> int:
    """Into how many cells the score is cut where these are the attributes x0, x1 and so on."""
    levels = {f"x{place}": column.astype(str) for place, column in enumerate(words)}
    numbers = {name: default_rng(seed).random(ROWS) for seed, name in enumerate(("score", "age"))}
    pool = worlds.small("column", {**levels, **numbers}, *levels, *further, score="score")
    [cells] = pool.layout.score_cells.values()
    return len(cells.levels)


@pytest.mark.parametrize("further", [(), ("age:bins=4",)], ids=["words", "a number too"])
def test_combinations_that_do_not_occur_leave_the_score_fine(further):
    """300 x 300 combinations are possible, 300 occur."""
    level = np.arange(ROWS) % 300
    assert score_cells(level, level, further=further) == SCORE_CELLS


def test_many_arms_with_items_make_it_coarse():
    row = np.arange(ROWS)
    assert score_cells(row // 300, row % 300) < SCORE_CELLS
