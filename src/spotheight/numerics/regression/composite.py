"""Composite link, made linear: rows that only probably lie in one place or another.

Row r lies in place j with chance p_rj, and a hit there has the chance expit(e_j). Its own chance of
a hit is P_r = sum_j p_rj expit(e_j), and near a given e its logit moves by sum_j l_rj de_j, where
l_rj = p_rj v_j / (P_r (1 - P_r)) and v_j = expit'(e_j). A logistic row with these columns has the
right gradient and the right expected information there (Thompson & Baker 1981), so that going on
from there until nothing moves ends at the mode of the mixture, and the information of the last
step says how much rows tell of places that they cannot tell apart: of their mean all, of their
difference nothing.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from spotheight.numerics.regression.design import Design, Matrix, Sparse, weighted_square
from spotheight.types import FloatArray

SMALLEST = 1e-6
"""No chance of a hit is taken for nearer to 0 or 1."""


@dataclass(frozen=True, eq=False)
class CompositeDesign(Design):
    """Design of rows that lie in several places; all columns are the rows' own.

    Args:
        offset: Of each row's predictor.
        share: How much each row has of its group's term, from 0 to 1.
    """

    offset: FloatArray = field(kw_only=True, repr=False)
    share: FloatArray = field(kw_only=True, repr=False)

    def lifted(self, term: FloatArray) -> FloatArray:
        found = term[self.group]
        return found * (self.share if term.ndim == 1 else self.share[:, None])

    def dropped(self, values: FloatArray) -> FloatArray:
        return self.gather(self.share * values)

    def lifted_variance(self, variance: FloatArray) -> FloatArray:
        return self.share**2 * variance[self.group]

    def predict(self, weight: FloatArray) -> FloatArray:
        return self.offset + self.own @ weight

    def reduced(
        self, curvature: FloatArray, precision: FloatArray
    ) -> tuple[FloatArray, Matrix, FloatArray]:
        pull = self.gather(curvature * self.share**2) + precision
        cross = self.member @ (self.own * (curvature * self.share)[:, None])
        hessian = weighted_square(self.own, curvature) - weighted_square(cross, 1 / pull)
        return hessian, cross, pull


def slopes(belongs: Sparse, eta: FloatArray) -> tuple[Sparse, FloatArray]:
    """Derivatives of each row's logit in the predictors of its places, and that logit.

    Args:
        belongs: (rows, places), sparse: chances of places, adding up to one in each row.
        eta: The predictor of every entry of ``belongs``, in the order of its data.
    """
    chance = expit(eta)
    row = np.repeat(np.arange(belongs.shape[0]), np.diff(belongs.indptr))
    mixed = np.clip(np.bincount(row, belongs.data * chance), SMALLEST, 1 - SMALLEST)
    data = belongs.data * chance * (1 - chance) / (mixed * (1 - mixed))[row]
    return sparse.csr_matrix((data, belongs.indices, belongs.indptr), belongs.shape), logit(mixed)
