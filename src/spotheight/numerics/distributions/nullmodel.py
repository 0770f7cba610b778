"""Bayesian averaging with a null model, in which all rows have one chance of a hit.

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
"""The log evidence that a model needs to be surer than so many rows alone are: what Jeffreys (1961)
calls strong. With less, chance alone would now and then make it too sure where rows are few."""

DOUBT = np.log(4.0)
"""The log evidence that nothing needs to weigh as much as a model in where the number lies. Where
rows were chosen for their doubt, a plain share of hits is a bad guess if anything does matter."""

TINY = 1e-9
"""No share is taken for nearer to 0 or 1."""


def null_odds(hits: float, misses: float, log_evidence: float) -> float:
    """Log Bayes factor of the null model: how much likelier rows are by it than by a model.

    >>> round(null_odds(1, 0, np.log(0.5)), 9)
    0.0
    """
    alone = betaln(hits + JEFFREYS, misses + JEFFREYS) - betaln(JEFFREYS, JEFFREYS)
    return float(alone - log_evidence)


def averaged(levels: FloatArray, odds: float, hits: float, misses: float) -> FloatArray:
    """Model-averaged draws of the mean over everything: moved by the null model, in their order.

    First they become draws of what both say together, where nothing has to overcome some doubt.
    Then, if they are closer together than those of a share of so many rows, they are spread around
    their mean, as far as the model's evidence falls short of its burden.
    """
    together = _mixed(levels, float(expit(odds - DOUBT)), hits + JEFFREYS, misses + JEFFREYS)
    centre, rows = float(np.clip(together.mean(), TINY, 1 - TINY)), hits + misses + 2 * JEFFREYS
    if together.var() >= centre * (1 - centre) / (rows + 1):
        return together
    return _mixed(together, float(expit(odds + BURDEN)), centre * rows, (1 - centre) * rows)


def _mixed(levels: FloatArray, share: float, a: float, b: float) -> FloatArray:
    """Draws of a mixture, in the order of these: with the chance ``share`` of a Beta."""
    order = np.argsort(levels)
    rank = (np.arange(len(levels)) + 0.5) / len(levels)
    grid = np.sort(np.concatenate([levels, betaincinv(a, b, rank)]))
    drawn = np.interp(grid, levels[order], rank, left=0.0, right=1.0)
    below = share * betainc(a, b, grid) + (1 - share) * drawn
    moved = np.empty(len(levels))
    moved[order] = np.interp(rank, below, grid)
    return moved
