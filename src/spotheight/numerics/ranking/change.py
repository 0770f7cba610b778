"""Expected average precision, and its slope in every label.

Items are true (z_i = 1) with chances p_i, apart from one another. A list ranks some of them, from
1; N of all are true. With S = sum_k z_k (z_1 + ... + z_k) / k over the list, average precision is
AP = S / N, and 0 if N is.

N leaves the denominator by a sum of powers, 1/N = sum w t^N. Weighting by t^N leaves the items
independent, item i with chance q_i = p_i t / g_i where g_i = 1 - p_i + p_i t, and weighs
G = prod g_i in all; so E[AP] = sum w G F with F = sum_k (q_k / k)(1 + sum_{i<k} q_i). E[AP] is
linear in each p_i, with slope

    D_i = E[AP | z_i = 1] - E[AP | z_i = 0] = sum w (G / g_i) (S_i t / g_i - (1 - t) F),

S_i = (1 + sum_{j<i} q_j) / i + sum_{k>i} q_k / k in the list and 0 outside. If N is known there is
the one node t = 1, with w = 1/N.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from spotheight.types import FloatArray, IntArray

TOLERANCE = 1e-10
"""How far E[AP] may be from its exact value; slopes, as differences of two, twice as far."""

MOST_NODES = 40
"""Of the rule for many true items. Where it needs more, few are true, and the other is exact."""

FEW = 10.0
"""True items expected: below, N reaches its least, 1, too easily for the rule for many."""

FRACTIONS = 1 - np.linspace(1, 0, 41) ** 2
"""Of the expected number of true items: where the error of the rule is bounded."""


@dataclass(frozen=True, eq=False)
class Tilted:
    """Quadrature in N: every item's chance at each node; lists of the same items share it.

    Args:
        weight: w G at each.
        q: (nodes, items).
        over: 1 / g, (nodes, items).
    """

    t: FloatArray
    weight: FloatArray
    q: FloatArray
    over: FloatArray

    @classmethod
    def of(cls, p: FloatArray, positives: float | None = None) -> "Tilted":
        """From the chances of all items, in any order, and N if it is known."""
        if positives is None:
            t, w = powers(p)
        else:  # one node, which changes no chance
            t, w = np.ones(1), np.array([1 / positives if positives > 0 else 0.0])
        g = np.multiply.outer(t - 1, p)
        # A product of 100,000 factors may be less than the smallest number; its logarithm is not.
        weight = w * np.exp(np.log1p(g).sum(axis=-1))
        g += 1
        over = np.divide(1, g, out=g)
        q = over * p
        q *= t[:, None]
        return cls(t, weight, q, over)

    def value(self, listed: IntArray) -> float:
        """E[AP] of the list of these items, the best first."""
        q = _columns(self.q, listed)
        return float(self.weight @ np.vecdot(q, _precision(q)))

    def value_and_slope(self, listed: IntArray) -> tuple[float, FloatArray]:
        """E[AP] of the list of these items, the best first, and D of all items."""
        q = _columns(self.q, listed)
        gain = _precision(q)
        found = np.vecdot(q, gain)
        q *= 1 / _ranks(q)
        below = np.cumsum(q, axis=-1)
        gain -= below
        gain += below[:, -1:]
        over = _columns(self.over, listed)
        gain *= over
        gain *= over
        slope = -(self.weight * (1 - self.t) * found) @ self.over
        slope[listed] += (self.weight * self.t) @ gain
        return float(self.weight @ found), slope


def _columns(values: FloatArray, listed: IntArray) -> FloatArray:
    """``values[:, listed]``, at half its price: places are known to lie inside."""
    out = np.empty((len(values), len(listed)))
    return np.take(values, listed, axis=1, out=out, mode="clip") if len(listed) else out


def _ranks(q: FloatArray) -> FloatArray:
    return np.arange(1.0, q.shape[-1] + 1)


def _precision(q: FloatArray) -> FloatArray:
    """The expected precision at each rank, if the item there is true."""
    found = np.cumsum(q, axis=-1)
    found -= q
    found += 1
    found *= 1 / _ranks(q)
    return found


def powers(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Quadrature: nodes t and weights w with 1/N = sum w t^N wherever the true number N may lie.

    Gauss-Legendre in t with n nodes is exact for N up to 2n: it serves where few are true.
    Gauss-Laguerre in -m log t, with m = E[N], errs by a share of about ((m - N) / (m + N))^2n: it
    needs 3 to 8 nodes where hundreds are true. The smaller rule is taken, 40 nodes at most.
    """
    certain, possible = int(np.count_nonzero(p == 1)), int(np.count_nonzero(p))
    mean, variance = float(p.sum()), float(p @ (1 - p))
    legendre = int(np.ceil((min(possible, mean + _reach(variance)) + 1) / 2))
    laguerre = _laguerre_size(certain, mean, variance)
    if legendre <= laguerre:
        t, w = _legendre(legendre)
        return t, w / t
    x, w = _laguerre(laguerre)
    return np.exp(-x / mean), w / mean


def _reach(variance: float) -> float:
    """How far N lies above its mean with a chance of TOLERANCE at most, by Bernstein."""
    doubt = -np.log(TOLERANCE)
    return float(doubt / 3 + np.sqrt(doubt**2 / 9 + 2 * variance * doubt))


def _laguerre_size(certain: int, mean: float, variance: float) -> int:
    """How many nodes keep the expected error below TOLERANCE; too many if none do.

    The chance that N is so low is bounded by Bernstein and by Chernoff for a Poisson law, which
    has the wider tail. A known label may move N by one.
    """
    if mean < FEW:
        return MOST_NODES + 1
    unsure = mean - certain
    fall = (1 - FRACTIONS) * unsure
    bernstein = fall**2 / np.maximum(2 * (variance + fall / 3), 1e-300)
    f = np.maximum(FRACTIONS, 1e-300)
    tail = -np.maximum(bernstein, unsure * (1 - f + f * np.log(f)))
    low = np.maximum(mean - fall - 1, 1)
    share = (mean - low) / (mean + low)
    n = np.arange(1, MOST_NODES + 1)
    # Between two fractions: the chance of the upper one with the error of the lower.
    error = 2 * np.exp(tail[1:, None] + np.log(share[:-1, None]) * 2 * n).sum(axis=0)
    return 1 + int(np.count_nonzero(error > TOLERANCE))


@lru_cache(maxsize=256)
def _legendre(n: int) -> tuple[FloatArray, FloatArray]:
    node, weight = np.polynomial.legendre.leggauss(n)
    return (node + 1) / 2, weight / 2


@lru_cache(maxsize=256)
def _laguerre(n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes x and weights that integrate f(x) itself rather than e^-x f(x)."""
    node, weight = np.polynomial.laguerre.laggauss(n)
    return node, weight * np.exp(node)
