"""Stretches that are alike: against comparing every pair of them."""

from itertools import pairwise

import numpy as np
import pytest

from spotheight.numerics.regression.alike import kinds_of

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("most", [1, 3])
def test_stretches_are_of_a_kind_just_where_all_columns_hold_the_same(most):
    sizes = RNG.integers(0, most + 1, 60)
    ends = np.append(0, np.cumsum(sizes))
    columns = RNG.integers(0, 2, ends[-1]), RNG.integers(0, 2, ends[-1]) / 3
    one, kind = kinds_of(ends, *columns)
    held = [tuple(tuple(column[a:z]) for column in columns) for a, z in pairwise(ends)]
    np.testing.assert_array_equal(
        kind[:, None] == kind, [[mine == other for other in held] for mine in held]
    )
    np.testing.assert_array_equal(kind[one], np.arange(len(one)))
    assert all(number == held.index(held[number]) for number in one)


def test_of_nothing_there_is_no_kind():
    one, kind = kinds_of(np.zeros(1, dtype=int), np.zeros(0))
    assert len(one) == len(kind) == 0
