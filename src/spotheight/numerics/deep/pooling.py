"""Nearest-neighbour pooling of the counts of arms with few labels."""

import numpy as np

from spotheight.numerics.deep.latent import square_distances
from spotheight.types import FloatArray

FEW = 5
"""Arms with fewer labels than this are pooled (Piratla et al. 2021, appendix C)."""

NEAR = 3
"""With so many arms, themselves among them."""

BLOCK = 1 << 22
"""So many distances are held at once."""

SAME = 1e-9
"""Distances that differ by less are the same, whatever the last bits say."""


def pooled(
    places: FloatArray, hits: FloatArray, trials: FloatArray, *, is_weighted: bool
) -> tuple[FloatArray, FloatArray]:
    """Hits and trials with sparse arms averaged over their neighbours.

    Only arms that have labels are handed over, a row each: the others have nothing to lend. Where
    several arms are equally far and not all of them are needed, all share the place, so that the
    order of arms means nothing.

    Args:
        places: Where arms lie; the kernel between two is exp(-d^2 / 2).
        hits: Of each arm.
        trials: Likewise.
        is_weighted: Whether neighbours count by the kernel, or alike.

    >>> line = np.arange(4.0)[:, None]
    >>> pooled(line, np.array([1.0, 0, 9, 9]), np.array([1.0, 1, 9, 9]), is_weighted=False)[1]
    array([3.66666667, 3.66666667, 9.        , 9.        ])
    """
    hits, trials = hits.copy(), trials.copy()
    counts = np.column_stack([hits, trials])
    sparse = np.flatnonzero(trials < FEW)
    rows = max(1, BLOCK // max(1, len(trials)))
    for start in range(0, len(sparse), rows):
        some = sparse[start : start + rows]
        square = square_distances(places[some], places)
        square[np.arange(len(some)), some] = 0.0
        share = _shares(square) * (np.exp(-0.5 * square) if is_weighted else 1.0)
        hits[some], trials[some] = (share @ counts / share.sum(axis=1, keepdims=True)).T
    return hits, trials


def _shares(square: FloatArray) -> FloatArray:
    """1 for the nearest, and a part of the places left for each of those that tie for them."""
    last = min(NEAR, square.shape[1]) - 1
    edge = np.partition(square, last, axis=1)[:, last : last + 1]
    closer, tied = square < edge - SAME, np.abs(square - edge) <= SAME
    left = last + 1 - closer.sum(axis=1, keepdims=True)
    return closer + tied * left / tied.sum(axis=1, keepdims=True)
