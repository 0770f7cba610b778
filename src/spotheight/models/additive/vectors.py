"""Whitened vectors of cells: their inner products are covariances of log odds."""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular

from spotheight.models.additive.model import AdditiveModel
from spotheight.numerics.regression.design import Matrix, Sparse, dense, row_products
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray, IntArray

RARE = 1 / 16
"""A column is rare where no label has touched it and at most this share of the arms has it.

Such columns are kept sparse. A name with a thousand levels has hundreds of them, and dense they
would cost their square for every arm.
"""


@dataclass(frozen=True, eq=False)
class Vectors:
    """Whitened vector of every cell: the sum of those of its arm and its score cell.

    Slopes have few columns, so that of an arm's slope is not written out: it is ``of_slope`` times
    the arm's row of ``slopes``. Rare columns come last, those of slopes apart.
    """

    cells: Cells = field(repr=False)
    slope: FloatArray = field(repr=False)
    of_arm: FloatArray = field(repr=False)
    of_bin: FloatArray = field(repr=False)
    of_slope: FloatArray = field(repr=False)
    slopes: Sparse = field(repr=False)
    rare: Sparse = field(repr=False)
    rare_slope: Sparse = field(repr=False)

    @classmethod
    def of_model(cls, model: AdditiveModel) -> "Vectors":
        """Columns of arms, score cells and slopes, turned until their covariance is one."""
        terms, fit, cells = model.terms, model.mode, model.cells
        of_arms, of_curve, of_slopes = terms.split
        spread = model.spreads(fit)
        rare, plain = _untouched(model)

        def whitened(part: slice, block: Matrix, seen: FloatArray | None = None) -> FloatArray:
            known, free = (dense(_rows(block, part, chosen)) for chosen in (model.touched, plain))
            if seen is not None:
                # What a labelled arm's own term takes over, its columns no longer carry.
                known[:, model.seen_arms] -= seen
            solved = solve_triangular(fit.factor, known, lower=True, check_finite=False)
            return np.vstack([solved, free * spread[plain, None]])

        arms, slopes = (part.T.tocsr() for part in (terms.arms, terms.slopes))
        shared = np.setdiff1d(np.arange(slopes.shape[0]), rare - of_slopes.start)
        return cls(
            cells,
            terms.position[cells.bin],
            whitened(of_arms, arms, dense(fit.cross).T / fit.pull),
            whitened(of_curve, terms.curve.T),
            whitened(of_slopes, np.eye(slopes.shape[0])[:, shared]),
            terms.slopes[:, shared],
            *(
                sparse.diags(spread[rare]) @ _rows(block, part, rare)
                for part, block in ((of_arms, arms), (of_slopes, slopes))
            ),
        )

    def vector(self, cell: int) -> FloatArray:
        """Of one cell."""
        arm, bin_ = self.cells.arm[cell], self.cells.bin[cell]
        steep = self.of_slope @ dense(self.slopes[arm]).ravel()
        common = self.of_arm[:, arm] + self.of_bin[:, bin_] + self.slope[cell] * steep
        rare = self.rare[:, [arm]] + self.slope[cell] * self.rare_slope[:, [arm]]
        return np.concatenate([common, dense(rare).ravel()])

    def dot(self, vector: FloatArray) -> FloatArray:
        """The product of a vector with that of every cell."""
        common, rare = np.split(vector, [len(self.of_arm)])
        by_arm, by_bin, by_slope = (common @ v for v in (self.of_arm, self.of_bin, self.of_slope))
        by_arm = by_arm + self.rare.T @ rare
        steep = self.slopes @ by_slope + self.rare_slope.T @ rare
        return by_arm[self.cells.arm] + by_bin[self.cells.bin] + self.slope * steep[self.cells.arm]

    def gathered(self, share: FloatArray) -> tuple[FloatArray, Sparse]:
        """(columns, arms): sums over each arm's cells, weighted; the common and the rare ones."""
        cells = self.cells
        by_bin = sparse.csr_matrix(
            (share, (cells.arm, cells.bin)), shape=(cells.arms, self.of_bin.shape[1])
        )
        total, steep = cells.arm_sum(share), cells.arm_sum(share * self.slope)
        tilted = sparse.diags(steep) @ self.slopes
        common = self.of_arm * total + (by_bin @ self.of_bin.T).T + (tilted @ self.of_slope.T).T
        return common, self.rare @ sparse.diags(total) + self.rare_slope @ sparse.diags(steep)

    def across(self, lift: FloatArray, rare: Sparse) -> FloatArray:
        """The product of every cell's vector with the one that its arm has here, in two parts."""
        arm, bin_ = self.cells.arm, self.cells.bin
        by_arm = np.einsum("da,da->a", lift, self.of_arm) + row_products(self.rare.T, rare.T)
        by_slope = row_products(self.slopes, lift.T @ self.of_slope)
        by_slope += row_products(self.rare_slope.T, rare.T)
        return by_arm[arm] + (lift.T @ self.of_bin)[arm, bin_] + self.slope * by_slope[arm]

    def form(self, middle: FloatArray | None) -> FloatArray:
        """The quadratic form y' M y of every cell's common columns, or y'y of all its columns."""
        x, arm, bin_ = self.slope, self.cells.arm, self.cells.bin
        a, b, s = self.of_arm, self.of_bin, self.of_slope
        ma, mb, ms = (a, b, s) if middle is None else (middle @ a, middle @ b, middle @ s)
        aa, bb = (np.einsum("dk,dk->k", u, v) for u, v in ((a, ma), (b, mb)))
        ss = row_products(self.slopes, self.slopes @ (s.T @ ms))
        if middle is None:
            aa = aa + row_products(self.rare.T, self.rare.T)
            ss = ss + row_products(self.rare_slope.T, self.rare_slope.T)
        as_ = row_products(self.slopes, a.T @ ms)
        ab, sb = a.T @ mb, self.slopes @ (s.T @ mb)
        return (
            aa[arm] + bb[bin_] + x**2 * ss[arm]
            + 2 * (ab[arm, bin_] + x * as_[arm] + x * sb[arm, bin_])
        )  # fmt: skip


def _untouched(model: AdditiveModel) -> tuple[IntArray, IntArray]:
    """Columns that no label says anything about: those that few arms have, and the others."""
    terms = model.terms
    columns = np.setdiff1d(np.arange(len(terms.family)), model.touched)
    held = np.full(len(terms.family), model.cells.arms)
    for part, block in zip(terms.split[::2], (terms.arms, terms.slopes), strict=True):
        held[part] = block.getnnz(axis=0)
    is_rare = held[columns] <= RARE * model.cells.arms
    return columns[is_rare], columns[~is_rare]


def _rows(block: Matrix, part: slice, chosen: IntArray) -> Sparse:
    """Chosen columns of the terms as rows, of which a block holds ``part``; 0 elsewhere."""
    inside = np.flatnonzero((chosen >= part.start) & (chosen < part.stop))
    placed = sparse.csr_matrix(
        (np.ones(len(inside)), (inside, chosen[inside] - part.start)),
        shape=(len(chosen), block.shape[0]),
    )
    return placed @ sparse.csr_matrix(block)


def own_variances(model: AdditiveModel) -> FloatArray:
    """Of every arm's own term, given the shared weights."""
    own = model.arm_spreads(model.mode) ** 2
    own[model.seen_arms] = 1 / model.mode.pull
    return own


def log_odds(model: AdditiveModel) -> FloatArray:
    """Of a hit in every cell, at the mode."""
    terms, fit, cells = model.terms, model.mode, model.cells
    weight = np.zeros(len(terms.family))
    weight[model.touched] = fit.weight
    of_arms, of_curve, of_slopes = terms.split
    arm = terms.arms @ weight[of_arms]
    arm[model.seen_arms] += fit.term
    slope = terms.slopes @ weight[of_slopes]
    curve = terms.curve @ weight[of_curve]
    return arm[cells.arm] + curve[cells.bin] + terms.position[cells.bin] * slope[cells.arm]
