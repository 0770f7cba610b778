"""The terms of an additive surface: which columns each arm and each score cell has."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy import sparse
from scipy.special import logit

from spotheight.numerics.multilevel import Sparse
from spotheight.numerics.smooth import smooth_basis
from spotheight.numerics.sums import sum_by
from spotheight.pool.cells import Cells
from spotheight.space import MISSING, Attribute
from spotheight.types import FloatArray, IntArray

PAIR_COLUMNS = 1500
"""Pairs are taken in, those with the fewest combinations first, until they have so many columns."""

CURVE_COLUMNS = 8
"""A smooth curve over the score needs no more."""

MAIN, PAIR, SLOPE, CURVE, ARM = 1.0, 0.7, 0.5, 1.0, 0.7
"""Prior scales on the logit scale, of all attributes together, of all pairs together, and so on.

Before any label, attributes may move the odds of a hit by a factor of e or so, and what is
particular to pairs and to arms by a factor of two.
"""

EDGE = 0.002
"""Scores nearer to 0 or 1 say no more about an item than this."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns of the linear predictor: per arm, per score cell, and slopes that join the two.

    The predictor of an item in arm a and score cell s is
    ``arms[a] w + curve[s] v + position[s] (slopes[a] u)``, with a term of its own for every arm.

    Args:
        arms: (arms, columns), sparse: intercept, attributes, pairs.
        curve: (score cells, columns): a line, a curve, and whether the score is missing.
        slopes: (arms, columns), sparse: by how much the line is steeper in some arms.
        position: Where each score cell lies on the line.
        family: The family of each column in this order, -1 for those without.
        names: What each family is called, the arms' own terms last.
        prior_scale: Of each family.
    """

    arms: Sparse = field(repr=False)
    curve: FloatArray = field(repr=False)
    slopes: Sparse = field(repr=False)
    position: FloatArray = field(repr=False)
    family: IntArray = field(repr=False)
    names: tuple[str, ...]
    prior_scale: FloatArray

    @classmethod
    def of(cls, cells: Cells) -> "Terms":
        """Terms for the arms and score cells of a pool."""
        attributes = cells.partition.attributes
        mains = {place: _main(cells, place) for place in range(len(attributes))}
        mains = {place: main for place, main in mains.items() if main.shape[1]}
        pairs = _pairs(cells, list(mains))
        position, line, walk = _curve(cells)
        slopes = list(mains.values()) if line.shape[1] else []
        one = sparse.csr_matrix(np.ones((cells.arms, 1)))
        families = _Families()
        families.add("", 0.0, one)
        for place, main in mains.items():
            families.add(attributes[place].name, MAIN / np.sqrt(len(mains)), main)
        families.add("pairs of attributes", PAIR, *pairs)
        families.add("", 0.0, line)
        families.add("curve of the score", CURVE, walk)
        families.add("score by attribute", SLOPE, *slopes)
        nothing = sparse.csr_matrix((cells.arms, 0))
        return cls(
            sparse.hstack([one, *mains.values(), *pairs], format="csr"),
            np.hstack([line, walk]),
            sparse.hstack([nothing, *slopes], format="csr") / max(np.sqrt(len(mains)), 1.0),
            position,
            np.array(families.of_column, dtype=np.int64),
            (*families.names, "arms"),
            np.array([*families.scales, ARM]),
        )

    @cached_property
    def split(self) -> tuple[slice, slice, slice]:
        """Which weights belong to arms, curve and slopes."""
        a, b = self.arms.shape[1], self.arms.shape[1] + self.curve.shape[1]
        return slice(0, a), slice(a, b), slice(b, b + self.slopes.shape[1])

    def columns(self, arm: IntArray, bin: IntArray) -> Sparse:
        """All columns of items in these arms and score cells."""
        slopes = self.slopes[arm].multiply(self.position[bin][:, None])
        parts = [self.arms[arm], sparse.csr_matrix(self.curve[bin]), slopes]
        return sparse.hstack(parts, format="csr")


class _Families:
    """Gives every column the number of its family while columns are put side by side."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.scales: list[float] = []
        self.of_column: list[int] = []

    def add(self, name: str, scale: float, *blocks: Sparse) -> None:
        """Count in some columns; without a name they have no learned scale."""
        columns = sum(block.shape[1] for block in blocks)
        if columns and name:
            self.names.append(name)
            self.scales.append(scale)
        self.of_column += [len(self.names) - 1 if name else -1] * columns


def _main(cells: Cells, place: int) -> Sparse:
    """A column a level; for an ordered attribute columns of a smooth function of the level."""
    attribute = cells.partition.attributes[place]
    codes = cells.partition.codes[:, place]
    present = np.unique(codes)
    if len(present) < 2:
        return sparse.csr_matrix((cells.arms, 0))
    if attribute.is_ordered and len(attribute.levels) > 2:
        return sparse.csr_matrix(_smooth_levels(attribute, codes, cells.mass)[codes])
    return _one_hot(np.searchsorted(present, codes), len(present))


def _smooth_levels(attribute: Attribute, codes: IntArray, mass: FloatArray) -> FloatArray:
    """(levels, columns): a random walk over the levels; a missing value stands apart."""
    levels = len(attribute.levels)
    known = levels - 1 if attribute.levels[-1] == MISSING else levels
    items = sum_by(codes, mass, levels)[:known]
    walk = smooth_basis(np.arange(known, dtype=float), items + 1e-9, known)
    columns = np.zeros((levels, walk.shape[1] + levels - known))
    columns[:known, : walk.shape[1]] = walk
    columns[known:, walk.shape[1] :] = 1.0
    return columns


def _one_hot(codes: IntArray, levels: int) -> Sparse:
    rows = np.arange(len(codes))
    return sparse.csr_matrix((np.ones(len(codes)), (rows, codes)), shape=(len(codes), levels))


def _pairs(cells: Cells, told: list[int]) -> list[Sparse]:
    """A column a combination of two attributes; with two attributes alone those are the arms."""
    if len(told) < 3:
        return []
    codes = cells.partition.codes
    found = []
    for first, second in combinations(told, 2):
        joint = codes[:, first] * len(cells.partition.attributes[second].levels) + codes[:, second]
        levels, level = np.unique(joint, return_inverse=True)
        found.append((len(levels), _one_hot(level, len(levels))))
    found.sort(key=lambda pair: pair[0])
    total = np.cumsum([size for size, _ in found])
    kept = [
        pair for (_, pair), columns in zip(found, total, strict=True) if columns <= PAIR_COLUMNS
    ]
    return [pair / np.sqrt(len(kept)) for pair in kept]


def _curve(cells: Cells) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Position of each score cell; the line and whether the score is missing; the curve."""
    bins = len(cells.score_cells.levels)
    items = sum_by(cells.bin, cells.count, bins)
    score = sum_by(cells.bin, cells.count * np.nan_to_num(cells.score), bins)
    score = np.divide(score, items, out=np.full(bins, np.nan), where=items > 0)
    missing = np.zeros(bins, dtype=bool)
    missing[cells.bin[np.isnan(cells.score)]] = True
    known = (items > 0) & ~missing
    if known.sum() < 2:
        return np.zeros(bins), np.zeros((bins, 0)), np.zeros((bins, 0))
    position = _line(score, items, known)
    basis = smooth_basis(position[known], items[known], CURVE_COLUMNS)
    walk = np.zeros((bins, basis.shape[1]))
    walk[known] = basis
    apart = [missing[:, None].astype(float)] if missing.any() else []
    return position, np.hstack([position[:, None], *apart]), walk


def _line(score: FloatArray, items: FloatArray, known: np.ndarray) -> FloatArray:
    """The logit of a probability, or of the mid-rank of any other score; mean 0, deviation 1."""
    chance = np.where(known, score, 0.5)
    if chance[known].min() < 0 or chance[known].max() > 1:
        order = np.argsort(np.where(known, score, np.inf))
        held = np.where(known, items, 0)[order]
        rank = np.empty(len(score))
        rank[order] = (np.cumsum(held) - held / 2) / held.sum()
        chance = np.where(known, rank, 0.5)
    line = logit(np.clip(chance, EDGE, 1 - EDGE))
    centre = np.average(line[known], weights=items[known])
    spread = np.sqrt(np.average((line[known] - centre) ** 2, weights=items[known]))
    return np.where(known, (line - centre) / max(float(spread), 1e-9), 0.0)
