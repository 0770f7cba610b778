"""Deduplicates equal rows before fitting."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotheight.types import IntArray


def kinds_of(ends: IntArray, *columns: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Deduplicates stretches of columns: one of each kind, and which kind each stretch is.

    ``ends`` says where stretches of the columns begin, and where the last one ends; those are of a
    kind that hold the same.

    >>> kinds_of(np.array([0, 2, 3, 5]), np.array([7, 8, 9, 7, 8]))
    (array([0, 1]), array([0, 1, 0]))
    """
    kinds: dict[tuple[bytes, ...], int] = {}
    number = [
        kinds.setdefault(tuple(column[a:z].tobytes() for column in columns), len(kinds))
        for a, z in pairwise(ends.tolist())
    ]
    _, first, kind = np.unique(number, return_index=True, return_inverse=True)
    return first.astype(np.int64), kind.ravel().astype(np.int64)
