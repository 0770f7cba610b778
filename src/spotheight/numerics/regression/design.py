"""Design matrix of a linear predictor whose columns are mostly shared by all rows of a group."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray, IntArray

Sparse = Any
"""A scipy sparse matrix: scipy's stubs do not cover what is used here."""

Matrix = Any
"""A dense array or a sparse matrix; both know ``@``."""

DENSE_PRODUCTS = 2e8
"""Up to so many products of two numbers a dense matrix is as fast as any."""

SPARSE_COST = 40.0
"""How much longer one product of two numbers takes in a sparse matrix than in a dense one."""


@dataclass(frozen=True, eq=False)
class Design:
    """Row r of group g has the predictor ``shared[g] w + own[r] v + slope[r] (steep[g] u)``.

    The weights stand in this order: w, v, u. Sums over rows collapse to sums over groups, so that
    a fit costs what its groups cost.

    Args:
        shared: (groups, columns), the same for all rows of a group.
        own: (rows, columns), dense and few.
        steep: (groups, columns), multiplied by the row's slope.
        slope: Of each row.
        group: Of each row, numbered from 0 without gaps.
    """

    shared: Matrix = field(repr=False)
    own: FloatArray = field(repr=False)
    steep: Matrix = field(repr=False)
    slope: FloatArray = field(repr=False)
    group: IntArray = field(repr=False)

    @property
    def columns(self) -> int:
        """How many weights there are."""
        return self.shared.shape[1] + self.own.shape[1] + self.steep.shape[1]

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return self.shared.shape[0]

    @cached_property
    def parts(self) -> tuple[slice, slice, slice]:
        """Which weights are shared, own, and steep."""
        first, second = self.shared.shape[1], self.shared.shape[1] + self.own.shape[1]
        return slice(0, first), slice(first, second), slice(second, self.columns)

    @cached_property
    def member(self) -> Sparse:
        """(groups, rows): adds rows up."""
        rows = len(self.group)
        return sparse.csr_matrix(
            (np.ones(rows), (self.group, np.arange(rows))), shape=(self.groups, rows)
        )

    def gather(self, values: FloatArray) -> FloatArray:
        """Values of rows added up by group."""
        return sum_by(self.group, values, self.groups)

    def lifted(self, term: FloatArray) -> FloatArray:
        """What every row has of its group's term."""
        return term[self.group]

    def dropped(self, values: FloatArray) -> FloatArray:
        """The transpose of ``lifted``."""
        return self.gather(values)

    def lifted_variance(self, variance: FloatArray) -> FloatArray:
        """The variance that every row has of its group's term."""
        return variance[self.group]

    def predict(self, weight: FloatArray) -> FloatArray:
        """The predictor of every row, without its group's term."""
        shared, own, steep = (weight[part] for part in self.parts)
        by_group = (self.shared @ shared)[self.group] + self.own @ own
        return by_group + self.slope * (self.steep @ steep)[self.group]

    def pull_back(self, values: FloatArray) -> FloatArray:
        """The transpose of ``predict``."""
        by_group, by_slope = self.gather(values), self.gather(values * self.slope)
        return np.concatenate(
            [self.shared.T @ by_group, self.own.T @ values, self.steep.T @ by_slope]
        )

    def reduced(
        self, curvature: FloatArray, precision: FloatArray
    ) -> tuple[FloatArray, Matrix, FloatArray]:
        """What is left of X'WX when every group's own term is eliminated; U; and s.

        ``curvature`` is the diagonal of W, ``precision`` that of the terms' prior. U is the cross
        part, groups by columns, s the diagonal of the terms' part: the result is X'WX - U' U / s.
        """
        flat = self.gather(curvature)
        tilted = self.gather(curvature * self.slope)
        bent = self.gather(curvature * self.slope**2)
        pull = flat + precision
        weighted = self.own * curvature[:, None]
        own_flat, own_tilted = (
            self.member @ weighted,
            self.member @ (weighted * self.slope[:, None]),
        )
        shared, own, steep = self.parts
        hessian = np.empty((self.columns, self.columns))
        # A prior's precision keeps both weights of squares above zero.
        hessian[shared, shared] = weighted_square(self.shared, flat - flat**2 / pull)
        hessian[shared, steep] = _product(self.shared, tilted - flat * tilted / pull, self.steep)
        hessian[steep, steep] = weighted_square(self.steep, bent - tilted**2 / pull)
        hessian[shared, own] = self.shared.T @ (own_flat * (1 - flat / pull)[:, None])
        hessian[steep, own] = self.steep.T @ (own_tilted - own_flat * (tilted / pull)[:, None])
        hessian[own, own] = self.own.T @ weighted - own_flat.T @ (own_flat / pull[:, None])
        hessian[own, shared] = hessian[shared, own].T
        hessian[own, steep] = hessian[steep, own].T
        hessian[steep, shared] = hessian[shared, steep].T
        if sparse.issparse(self.shared):
            cross = [_scaled(self.shared, flat), own_flat, _scaled(self.steep, tilted)]
            return hessian, sparse.hstack(cross, format="csr"), pull
        written = np.empty((self.groups, self.columns))
        np.multiply(self.shared, flat[:, None], out=written[:, shared])
        written[:, own] = own_flat
        np.multiply(self.steep, tilted[:, None], out=written[:, steep])
        return hessian, written, pull

    def rows(self) -> FloatArray:
        """All columns of every row, written out."""
        steep = dense(self.steep)[self.group] * self.slope[:, None]
        return np.hstack([dense(self.shared)[self.group], self.own, steep])

    def compact(self) -> "Design":
        """The same design in the form that is faster to multiply."""
        shared = self.shared.tocsr()
        products = shared.shape[0] * float(shared.shape[1]) ** 2
        kept = float(np.sum(np.diff(shared.indptr).astype(float) ** 2))
        if products > max(DENSE_PRODUCTS, SPARSE_COST * kept):
            return self
        dense = (shared.toarray(), self.own, self.steep.toarray(), self.slope, self.group)
        return Design(*dense)


def dense(matrix: Matrix) -> FloatArray:
    """The matrix as an array."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def row_products(left: Sparse, right: Matrix) -> FloatArray:
    """The product of each row with the same row of the other matrix."""
    return np.asarray(left.multiply(right).sum(axis=1)).ravel()


def _product(left: Matrix, weight: FloatArray, right: Matrix) -> FloatArray:
    """The product left' diag(weight) right."""
    return dense(left.T @ _scaled(right, weight))


def weighted_square(matrix: Matrix, weight: FloatArray) -> FloatArray:
    """The product matrix' diag(weight) matrix, for weights that are not negative."""
    # A matrix times itself takes half the work of two matrices.
    rooted = _scaled(matrix, np.sqrt(np.maximum(weight, 0.0)))
    return dense(rooted.T @ rooted)


def _scaled(matrix: Matrix, weight: FloatArray) -> Matrix:
    """Rows times their weights."""
    if isinstance(matrix, np.ndarray):
        return matrix * weight[:, None]
    diagonal: Sparse = sparse.diags(weight)
    return diagonal @ matrix
