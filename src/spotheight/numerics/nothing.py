"""How likely it is that nothing matters, and how sure a number may then be.

A model whose terms are free to be small still believes in all of them before it has seen any row,
and takes a part of what is chance for what they explain. What it knows of the mean over everything
is then more than so many rows can tell where no term matters. So the model has to show that its
terms do, by its evidence against one chance for all rows (Kass & Raftery 1995).
"""

import numpy as np
from scipy.special import betainc, betaincinv, betaln, expit

from spotheight.types import FloatArray

JEFFREYS = 0.5
"""Pseudo-counts of hits and of misses."""

BURDEN = np.log(10.0)
"""The log evidence at which the model and nothing at all count alike: what Jeffreys (1961) calls
strong. With less, chance alone would now and then make a number too sure where rows are few."""

TINY = 1e-9
"""No share is taken for nearer to 0 or 1."""


def chance_of_nothing(hits: float, misses: float, log_evidence: float) -> float:
    """How likely one chance of a hit for all rows is, beside a model with this log evidence.

    >>> round(chance_of_nothing(1, 0, np.log(0.5) + BURDEN), 9)
    0.5
    """
    alone = betaln(hits + JEFFREYS, misses + JEFFREYS) - betaln(JEFFREYS, JEFFREYS)
    return float(expit(BURDEN + alone - log_evidence))


def spread_out(levels: FloatArray, share: float, labels: float) -> FloatArray:
    """Draws of a share, spread until they are draws of a mixture; their order and centre stay.

    With the chance ``share`` the number is as sure as a share of so many labels is, else as it was.
    Draws that are spread wider than those of such a share stay as they are.
    """
    centre = float(np.clip(levels.mean(), TINY, 1 - TINY))
    a, b = (part * (labels + 2 * JEFFREYS) for part in (centre, 1 - centre))
    if levels.var() >= centre * (1 - centre) / (a + b + 1):
        return levels
    order = np.argsort(levels)
    rank = (np.arange(len(levels)) + 0.5) / len(levels)
    grid = np.sort(np.concatenate([levels, betaincinv(a, b, rank)]))
    drawn = np.interp(grid, levels[order], rank, left=0.0, right=1.0)
    below = share * betainc(a, b, grid) + (1 - share) * drawn
    moved = np.empty(len(levels))
    moved[order] = np.interp(rank, below, grid)
    return moved
