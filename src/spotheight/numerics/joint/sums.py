"""Partition function and marginals of a pairwise model: sums over all combinations of levels.

A row i gives the combination a = (a_1, .., a_K) the log weight sum_k e_ik(a_k) + psi(a), where
psi(a) = sum_{k<l} theta_kl(a_k, a_l) is the same for all rows. The levels of all attributes stand
side by side on one axis: e is (rows, levels), theta is (levels, levels), zero outside its blocks
k < l.

The attributes are cut in two halves with A and B combinations. A row's weight is then
x_a exp(psi(a, b)) y_b, so that the sums of all rows are three matrix products and there is no
exponential per row and combination.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spotheight.numerics.joint.levels import Levels, combinations
from spotheight.types import FloatArray

BLOCK = 2**22
"""Numbers an array may hold at most; rows are taken in blocks of so many."""

EXCLUDED = -1e5
"""The log weight of a level that is known not to be: its exponential is exactly 0."""

STEEPEST = 600.0
"""A psi that is further below the largest counts as this far: products stay above zero."""


class Sums(NamedTuple):
    """What a sum over all combinations says of rows that have weights of their own.

    ``log`` is the log of each row's sum; ``marginal`` (rows, levels) the chance of each level;
    ``pair`` (levels, levels) the chance of two levels together, summed over rows by their weight.
    """

    log: FloatArray
    marginal: FloatArray
    pair: FloatArray


def outer(parts: Sequence[Any], by: np.ufunc) -> Any:
    """The product or sum of every combination, one term of each part: (rows, combinations)."""
    out = parts[0]
    for part in parts[1:]:
        both = by(out[:, :, None], part[:, None, :])
        out = both.reshape(len(part), out.shape[1] * part.shape[1])
    return out


@dataclass(frozen=True, eq=False)
class Half:
    """Some neighbouring attributes: where their levels stand, and their combinations."""

    span: slice
    slices: tuple[slice, ...]
    design: FloatArray

    @classmethod
    def of(cls, levels: Levels, start: int, stop: int) -> "Half":
        """The attributes from ``start`` to before ``stop``, with a one for each level present."""
        counts, slices = levels.counts[start:stop], levels.slices[start:stop]
        span = slice(sum(levels.counts[:start]), sum(levels.counts[:stop]))
        codes = combinations(counts)
        design = np.zeros((len(codes), sum(counts)))
        for place, column in zip(slices, codes.T, strict=True):
            design[np.arange(len(codes)), place.start - span.start + column] = 1.0
        return cls(span, slices, design)

    def products(self, factors: FloatArray) -> FloatArray:
        """Each row's product of the factors (rows, levels) of every combination."""
        parts = [factors[:, place] for place in self.slices]
        return outer(parts, np.multiply) if parts else np.ones((len(factors), 1))

    def inner(self, theta: FloatArray) -> FloatArray:
        """The part of psi that lies inside this half."""
        return np.sum(self.design @ theta[self.span, self.span] * self.design, axis=1)


@dataclass(frozen=True, eq=False)
class ExactSum:
    """The sum over all combinations, exactly, with memory that does not grow with the rows."""

    levels: Levels
    block: int = BLOCK

    @cached_property
    def halves(self) -> tuple[Half, Half]:
        """The attributes before the cut, and the others."""
        cut = self.levels.cut
        return Half.of(self.levels, 0, cut), Half.of(self.levels, cut, self.levels.size)

    def potential(self, theta: FloatArray) -> FloatArray:
        """The value of psi for every combination, (A, B)."""
        first, second = self.halves
        across = first.design @ theta[first.span, second.span] @ second.design.T
        return across + first.inner(theta)[:, None] + second.inner(theta)

    def __call__(self, unary: FloatArray, theta: FloatArray, weight: FloatArray) -> Sums:
        """Sum over all combinations for rows with these e, this theta and these weights."""
        psi = self.potential(theta)
        top = float(psi.max())
        table = np.exp(np.maximum(psi - top, -STEEPEST))
        log, marginal = np.empty(len(unary)), np.empty_like(unary)
        both = np.zeros_like(table)
        for rows in self._blocks(len(unary)):
            log[rows], marginal[rows], share = self._block(unary[rows], table, weight[rows])
            both += share
        return Sums(log + top, marginal, self._pairs(both * table))

    def _blocks(self, rows: int) -> Iterator[slice]:
        step = max(1, self.block // max(len(half.design) for half in self.halves))
        return (slice(at, at + step) for at in range(0, rows, step))

    def _block(
        self, unary: FloatArray, table: FloatArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log sums and marginals of some rows, and their weights by combination but for psi."""
        first, second = self.halves
        high = self.levels.highest(unary)
        factors = np.exp(unary - high)
        x, y = first.products(factors), second.products(factors)
        seen = x @ table
        total = np.einsum("ib,ib->i", seen, y)
        x /= total[:, None]
        marginal = np.hstack(
            [(x * (y @ table.T)) @ first.design, (seen * y / total[:, None]) @ second.design]
        )
        return (
            np.log(total) + high[:, self.levels.starts].sum(axis=1),
            marginal,
            (x * weight[:, None]).T @ y,
        )

    def _pairs(self, both: FloatArray) -> FloatArray:
        """How often two levels occur together, from the mass of every combination."""
        first, second = self.halves
        pair = np.zeros((self.levels.total, self.levels.total))
        pair[first.span, first.span] = (first.design.T * both.sum(axis=1)) @ first.design
        pair[second.span, second.span] = (second.design.T * both.sum(axis=0)) @ second.design
        pair[first.span, second.span] = first.design.T @ both @ second.design
        return np.where(self.levels.above, pair, 0.0)
