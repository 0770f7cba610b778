"""Variance shares: how much of the variance between arms goes with each attribute."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import csc_array, diags_array

from spotheight.arms import Partition
from spotheight.beliefs.reading import Reading
from spotheight.beliefs.surface import Surface
from spotheight.numerics.portions import portions
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray, IntArray

DRAWS = 400
"""The 5% point of 400 draws lies between the 3.2% and the 6.8% point, nine times in ten."""

FEWEST_DRAWS = 50
"""For hundreds of thousands of arms, whose shares hardly differ from draw to draw."""

ROOM = 10_000_000
"""Cells times draws that take half a second; more cells get fewer draws."""

MOST_LEVELS = 2500
"""Levels of all attributes, which are solved for at once; half a second on one core."""

RIDGE = 1e-9
"""Levels that always go together have no parts of their own; this much of a level splits them."""

FLAT = 1e-12
"""A variance below the rounding of the draws: the arms are all alike."""


@dataclass(frozen=True)
class VarianceShares:
    """How much of the variance between arms goes with each attribute alone, the largest first.

    Attributes that go together count the same differences twice, so the shares need not add up
    to one.

    Args:
        attributes: By name: the variance of the levels' means over the variance of the arms.
        combinations: What no sum over attributes explains; none where levels are too many to tell.
    """

    attributes: Mapping[str, Reading]
    combinations: Reading | None


def variance_shares(surface: Surface, level: float = 0.9) -> VarianceShares | None:
    """Which attributes matter for the service on such inputs; arms weigh by their items that count.

    Each joint draw of the rates is split on its own, so intervals carry what is unknown of the
    rates. None without attributes, where an arm is unknown, and where all arms are alike.
    """
    names = [attribute.name for attribute in surface.partition.attributes]
    weight = surface.weight
    if not names or not weight.any() or np.isnan(surface.mean[weight > 0]).any():
        return None
    split = _Split.of(surface.partition, weight / weight.sum())
    blocks = [split.parts(block) for block in _blocks(surface.of("rate"))]
    *parts, total = np.concatenate(blocks, axis=1)
    is_split = total > FLAT
    if not is_split.any():
        return None
    shares = [np.clip(part[is_split] / total[is_split], 0, 1) for part in parts]
    readings = [Reading.of(share, level, "rate") for share in shares]
    found = sorted(zip(names, readings, strict=False), key=lambda pair: -pair[1].mean)
    return VarianceShares(dict(found), readings[-1] if len(readings) > len(names) else None)


def _blocks(surface: Surface) -> Iterator[FloatArray]:
    """Joint draws, (arms, draws), as many at a time as fit."""
    turns = max(FEWEST_DRAWS, min(DRAWS, ROOM // len(surface.cells)))
    rng = default_rng(surface.seed)
    for size in portions(turns, ROOM // surface.cells.arms):
        yield np.ascontiguousarray(surface.draw(size, rng).T, dtype=float)


@dataclass(frozen=True, eq=False)
class _Split:
    """Takes the variance of arms apart; weights add up to one.

    Args:
        weight: How much each arm counts.
        levels: (levels of all attributes, arms): which arms have a level, over the root of how much
            the level counts, so that squares add up to variances.
        first: Where each attribute's levels begin.
        factor: The Cholesky factor of how levels go together; none where they are too many.
    """

    weight: FloatArray
    levels: csc_array
    first: IntArray
    factor: FloatArray | None

    @classmethod
    def of(cls, partition: Partition, weight: FloatArray) -> "_Split":
        sizes = [len(attribute.levels) for attribute in partition.attributes]
        first = np.cumsum([0, *sizes[:-1]])
        arms, width = partition.codes.shape
        level = (partition.codes + first).ravel()
        by_level = sum_by(level, np.repeat(weight, width), sum(sizes))
        # A level may hold nothing that counts; then its arms do not count either.
        root = np.sqrt(np.where(by_level > 0, by_level, 1.0))[level]
        shape = (sum(sizes), arms)
        levels = csc_array((1 / root, level, width * np.arange(arms + 1)), shape=shape)
        return cls(weight, levels, first, _factor(levels, weight))

    def parts(self, rates: FloatArray) -> FloatArray:
        """Variances in each draw: by attribute, beyond all of them, total; (parts, draws)."""
        apart = rates - self.weight @ rates
        total = self.weight @ apart**2
        means = self.levels @ (self.weight[:, None] * apart)
        alone = np.add.reduceat(means**2, self.first, axis=0)
        if self.factor is None:
            return np.vstack([alone, total])
        fitted = solve_triangular(self.factor, means, lower=True, check_finite=False)
        return np.vstack([alone, total - (fitted**2).sum(axis=0), total])


def _factor(levels: csc_array, weight: FloatArray) -> FloatArray | None:
    """The Cholesky factor of the covariance of levels; with it, least squares in one step."""
    if levels.shape[0] > MOST_LEVELS:
        return None
    root = np.asarray(levels @ weight)
    covariance = (levels @ diags_array(weight) @ levels.T).toarray() - np.outer(root, root)
    return np.asarray(cholesky(covariance + RIDGE * np.eye(len(root)), lower=True))
