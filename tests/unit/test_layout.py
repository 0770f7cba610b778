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


@pytest.mark.parametrize("kind", ["column", "table"])
@pytest.mark.parametrize("missing", [0, 5])
def test_a_score_of_zero_has_a_cell_of_its_own_however_rare(kind, missing):
    some = default_rng(0).uniform(0.2, 1, 1997 - missing).tolist()
    score = [*[0.0] * 3, *[None] * missing, *some]
    pool = worlds.small(kind, {"a": np.repeat("x", 2000), "score": score}, "a", score="score")
    cells = pool.cells(pool.layout.attributes, "service")
    assert cells.count[cells.score == 0].sum() == 3
    assert cells.count[np.isnan(cells.score)].sum() == missing


def test_a_zero_that_is_not_the_lowest_score_is_cut_like_any_other():
    score = np.concatenate([np.linspace(-1, 1, 2000), [0.0]])
    pool = worlds.small("column", {"a": np.repeat("x", 2001), "score": score}, "a", score="score")
    [cells] = pool.layout.score_cells.values()
    assert len(cells.levels) == SCORE_CELLS
