"""Precision and average precision of ranked lists whose labels are not all known.

A list holds items, the best first, each true with a chance p of its own, apart from the others; a
known label has p 0 or 1. The rest are items that were not listed: they are ranked last, are never
found, and count among the N true ones, of which average precision is the mean.

Many lists at once are ``Lists``: rows belong to categories, and each of several systems ranks the
rows of every category. There results have shapes (systems, categories) and (systems, rows).

Several labels at once may be chosen by one ranking: while the other chances stay, a label that is
asked for but not yet known leaves the expected slopes of the others as they are. Their ``change``
can only have been set too low, and only where that label may turn a slope's sign, so where it is
about 0; precision at k, and average precision with known N, have no such slopes. What does make
two labels tell the same thing is a model that both of them teach, of which nothing is known here.
Steps of independent labels add up as squares, so for a batch ``spread`` is the better ranking.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spotheight.numerics.ranking.change import Tilted
from spotheight.types import FloatArray, IntArray


def expected_precision(p: FloatArray, k: int) -> float:
    """The expected share of true items among the first ``k``, or in the whole list if shorter.

    >>> expected_precision(np.array([1.0, 0.5, 0.0]), 2)
    0.75
    """
    return float(np.mean(p[:k])) if len(p) else 0.0


def precision_slope(length: int, k: int) -> FloatArray:
    """What a true label adds to the precision at ``k`` over a false one, for each item listed.

    >>> precision_slope(3, 2)
    array([0.5, 0.5, 0. ])
    """
    return (np.arange(length) < k) / max(min(k, length), 1)


def change(p: FloatArray, slope: FloatArray) -> FloatArray:
    """How far each item's label is expected to move an expectation, up or down.

    Args:
        p: The chance of each item to be true.
        slope: The expectation if it is, less that if it is not. For the gap between two systems
            take the difference of their slopes, for a mean over categories divide by their number.

    >>> change(np.array([0.5, 0.1, 1.0]), np.array([0.1, -0.5, 0.2]))
    array([0.05, 0.09, 0.  ])
    """
    return 2 * p * (1 - p) * np.abs(slope)


def spread(p: FloatArray, slope: FloatArray) -> FloatArray:
    """The standard deviation of the step that each label makes in an expectation.

    Asking for the largest leaves the least variance behind. Beside ``change`` it thinks more of
    an unlikely label that would move much.

    >>> spread(np.array([0.5, 0.1, 1.0]), np.array([0.1, -0.5, 0.2]))
    array([0.05, 0.15, 0.  ])
    """
    return np.sqrt(p * (1 - p)) * np.abs(slope)


def average_precision(z: FloatArray, positives: FloatArray) -> FloatArray:
    """The mean over all true items of the precision at each one's rank, 0 for one not listed.

    Args:
        z: Labels, 0 or 1, of the items listed, the best first on the last axis.
        positives: How many items are true, listed or not: a number for each list.

    >>> average_precision(np.array([[1, 0, 1], [0, 0, 0]]), np.array([4, 0]))
    array([0.41666667, 0.        ])
    """
    found = np.cumsum(z, axis=-1, dtype=float)
    found *= z
    total = found @ (1 / np.arange(1, z.shape[-1] + 1))
    return np.divide(total, positives, out=np.zeros_like(total), where=np.asarray(positives) > 0)


@dataclass(frozen=True, eq=False)
class Lists:
    """How several systems rank the rows of every category.

    Args:
        rows: The rows, category after category.
        start: Where in ``rows`` each category begins, and the end.
        order: For each system, places within the category, the best first, category after
            category; those not listed come last. (systems, rows)
        length: How many rows each system lists of each category. (systems, categories)
    """

    rows: IntArray
    start: IntArray
    order: IntArray
    length: IntArray

    @classmethod
    def of(cls, score: FloatArray, category: IntArray, categories: int) -> "Lists":
        """From the scores, (systems, rows); NaN where a system does not list a row.

        Of equal scores the earlier row is the better.
        """
        rows = np.argsort(category, kind="stable")
        sizes = np.bincount(category, minlength=categories)
        start = np.concatenate([[0], np.cumsum(sizes)])
        grouped = category[rows]
        order = np.stack([np.lexsort((-one[rows], grouped)) for one in score])
        listed = [np.bincount(category[~np.isnan(one)], minlength=categories) for one in score]
        return cls(rows, start, order - start[grouped], np.stack(listed))

    def __iter__(self) -> Iterator[tuple[IntArray, list[IntArray]]]:
        """The rows of each category, and the places that each system lists of them."""
        for c, (begin, end) in enumerate(zip(self.start[:-1], self.start[1:], strict=True)):
            order = self.order[:, begin:end]
            yield (
                self.rows[begin:end],
                [one[:n] for one, n in zip(order, self.length[:, c], strict=True)],
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Systems and categories."""
        systems, categories = self.length.shape
        return systems, categories


def expected_precisions(p: FloatArray, lists: Lists, k: int) -> FloatArray:
    """The expected precision at ``k`` of every system in every category; 0 for an empty list."""
    values = [[expected_precision(p[rows[one[:k]]], k) for one in listed] for rows, listed in lists]
    return np.array(values).T.reshape(lists.shape)


def precision_slopes(lists: Lists, k: int) -> FloatArray:
    """What a true label of each row adds to its category's precision at ``k``, for every system."""
    slope = np.zeros(lists.order.shape)
    for rows, listed in lists:
        for system, one in enumerate(listed):
            slope[system, rows[one]] = precision_slope(len(one), k)
    return slope


def average_precisions(z: FloatArray, lists: Lists) -> FloatArray:
    """The average precision of draws of all labels, (draws, rows), as (draws, systems, categories).

    The rows are all there is: N is counted among them.
    """
    values = np.empty((len(z), *lists.shape))
    for c, (rows, listed) in enumerate(lists):
        inside = z[:, rows]
        positives = inside.sum(axis=-1, dtype=float)
        for system, one in enumerate(listed):
            values[:, system, c] = average_precision(inside[:, one], positives)
    return values


def expected_average_precisions(
    p: FloatArray, lists: Lists, positives: FloatArray | None = None
) -> FloatArray:
    """The expected average precision of every system in every category.

    ``p`` has the chance of each row, ``positives`` how many of each category are true, if known.
    """
    values = np.empty(lists.shape)
    for c, (rows, listed) in enumerate(lists):
        tilted = Tilted.of(p[rows], None if positives is None else float(positives[c]))
        values[:, c] = [tilted.value(one) for one in listed]
    return values


def average_precision_slopes(
    p: FloatArray, lists: Lists, positives: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """The expected average precisions, and what a true label of each row adds to its category's.

    The arguments are those of ``expected_average_precisions``, which costs half as much.
    """
    values, slopes = np.empty(lists.shape), np.empty(lists.order.shape)
    for c, (rows, listed) in enumerate(lists):
        tilted = Tilted.of(p[rows], None if positives is None else float(positives[c]))
        for system, one in enumerate(listed):
            values[system, c], slopes[system, rows] = tilted.value_and_slope(one)
    return values, slopes
