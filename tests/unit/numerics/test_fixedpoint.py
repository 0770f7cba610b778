"""Fixed points: against the solution of the equations themselves."""

import numpy as np
import pytest

from spotheight.numerics.regression.fixedpoint import REMEMBERED, next_place

RNG = np.random.default_rng(3)


def followed(slope: np.ndarray, level: np.ndarray, times: int) -> np.ndarray:
    """Where looking ``times`` times at the map ``slope x + level`` ends."""
    place, places, moves = np.zeros(len(level)), [], []
    for _ in range(times):
        places.append(place)
        moves.append(slope @ place + level - place)
        place = next_place(places, moves)
    return place


@pytest.mark.parametrize("steepest", [0.6, -0.9, -1.8, 4.0])
def test_a_linear_map_is_solved_whether_following_it_would_get_there_or_not(steepest):
    """In one more look than it has dimensions, and nothing is forgotten with so few of them."""
    size = REMEMBERED - 1
    turned = np.linalg.qr(RNG.normal(size=(size, size)))[0]
    slope = turned @ np.diag([steepest, 0.5, -0.3]) @ turned.T
    level = RNG.normal(size=size)
    expected = np.linalg.solve(np.eye(size) - slope, level)
    np.testing.assert_allclose(followed(slope, level, size + 1), expected, rtol=1e-8)


def test_one_look_follows_the_map():
    np.testing.assert_array_equal(next_place([np.ones(2)], [np.array([1.0, -2])]), [2, -1])


def test_a_map_that_has_come_to_rest_is_left_where_it_is():
    place = RNG.normal(size=3)
    found = next_place([place, place], [np.zeros(3), np.zeros(3)])
    np.testing.assert_array_equal(found, place)
