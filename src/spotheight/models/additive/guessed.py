"""Latent arms in the additive surface: labels of items that only probably lie in an arm.

An item's chance of a hit is the mean over the arms that it may lie in, so labels say much about
means over arms that are taken for each other and little about their differences (see
``numerics.composite``). That holds if items of an arm are hit alike, whatever the attribute models
say of them. Where they are not, labels seen through guesses would teach the wrong attributes; a
family of terms of their own takes up what they say otherwise than labels of items whose levels
were told. Its scale is learned like any other.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from spotheight.evidence import Evidence
from spotheight.models.additive.terms import SIZE_FAMILY, Terms
from spotheight.numerics.regression.alike import kinds_of
from spotheight.numerics.regression.composite import CompositeDesign, slopes
from spotheight.numerics.regression.design import Sparse, dense, row_products
from spotheight.numerics.regression.multilevel import Problem
from spotheight.numerics.sums import sum_by
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray, IntArray

SURE = 1e-9
"""A chance this near to one leaves no doubt."""

DOUBT = 0.3
"""Prior scale of what labels say otherwise through guesses, beside .8 for all attributes."""


@dataclass(frozen=True, eq=False)
class Guessed:
    """Labelled items without duplicates: by where they may lie and by score cell.

    Args:
        terms: The columns; the last ones of arms are those of doubt, zero for an item whose arm is
            known.
        doubted: (arms, columns): what columns of doubt are made of.
        belongs: (kinds of items, arms), sparse: chances that add up to one.
        bin: The score cell of each kind.
        hits: Of each kind.
        trials: Likewise.
    """

    terms: Terms = field(repr=False)
    doubted: FloatArray = field(repr=False)
    belongs: Sparse = field(repr=False)
    bin: IntArray = field(repr=False)
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)

    @classmethod
    def of(cls, evidence: Evidence, terms: Terms) -> "Guessed":
        """From a row per item and arm."""
        rows, cells = evidence.rows, evidence.cells
        kept = (rows.weight * evidence.counted > 0) & (rows.arm >= 0)
        items, first, item = np.unique(rows.item[kept], return_index=True, return_inverse=True)
        size = (len(items), cells.arms)
        belongs = sparse.csr_matrix((rows.weight[kept], (item, rows.arm[kept])), size)
        bins = cells.bin[rows.cell[kept][first]]
        trials = evidence.counted[kept][first]
        hits = trials * evidence.hit[kept][first]
        ends = belongs.indptr.astype(np.int64)
        score = np.repeat(bins, np.diff(ends))
        one, kind = kinds_of(ends, belongs.indices, belongs.data, score)
        sums = (sum_by(kind, values, len(one)) for values in (hits, trials))
        guessed = cls(terms, np.zeros((cells.arms, 0)), belongs[one], bins[one], *sums)
        doubted = _doubted(terms, cells, guessed.belongs.T @ (guessed.trials * guessed.doubt))
        return replace(guessed, terms=_with_doubt(terms, doubted), doubted=doubted)

    @cached_property
    def doubt(self) -> FloatArray:
        """How little is known of each kind's arm: the deviation of a draw from its chances."""
        alike = row_products(self.belongs, self.belongs)
        return np.where(alike > 1 - SURE, 0.0, np.sqrt(np.maximum(1 - alike, 0.0)))

    @cached_property
    def likeliest(self) -> IntArray:
        """The arm that each kind most probably lies in."""
        return np.asarray(self.belongs.argmax(axis=1)).ravel()

    @cached_property
    def seen_arms(self) -> IntArray:
        """The arms that are some kind's likeliest: those whose own terms labels speak of."""
        return np.unique(self.likeliest)

    @cached_property
    def touched(self) -> IntArray:
        """The columns that some kind has."""
        arms = np.unique(self.belongs.indices)
        parts = (self.terms.arms[arms], self.terms.curve[self.bin], self.terms.slopes[arms])
        found = [np.asarray(abs(part).sum(axis=0)).ravel() for part in parts]
        found[0][len(found[0]) - self.doubted.shape[1] :] = 1.0
        return np.flatnonzero(np.concatenate(found))

    @cached_property
    def _row(self) -> IntArray:
        """The kind of every chance."""
        return np.repeat(np.arange(len(self.bin)), np.diff(self.belongs.indptr))

    def eta(self, weight: FloatArray, term: FloatArray) -> FloatArray:
        """The predictor of every kind in every arm that it may lie in."""
        terms, arm, row = self.terms, self.belongs.indices, self._row
        of_arms, of_curve, of_slopes = terms.split
        by_arm = terms.arms @ weight[of_arms] + term
        by_row = terms.curve[self.bin] @ weight[of_curve]
        tilt = terms.slopes @ weight[of_slopes]
        otherwise = self.doubted @ weight[of_arms][self._doubt_columns]
        eta = by_arm[arm] + by_row[row] + terms.position[self.bin][row] * tilt[arm]
        return eta + self.doubt[row] * otherwise[arm]

    @property
    def _doubt_columns(self) -> slice:
        end = self.terms.arms.shape[1]
        return slice(end - self.doubted.shape[1], end)

    def problem(self, weight: FloatArray, term: FloatArray) -> Problem:
        """Local linear model: logistic rows that say what the kinds say near this place."""
        terms, rows = self.terms, np.arange(len(self.bin))
        slope, level = slopes(self.belongs, self.eta(weight, term))
        own = self._columns(slope)
        share = np.asarray(slope[rows, self.likeliest]).ravel()
        offset = level - own @ weight[self.touched] - share * term[self.likeliest]
        group = np.searchsorted(self.seen_arms, self.likeliest)
        none = np.zeros((len(self.seen_arms), 0))
        design = CompositeDesign(
            none, own, none, np.zeros(len(rows)), group, offset=offset, share=share
        )
        family, spread = terms.family[self.touched], terms.spread[self.seen_arms]
        return Problem(design, self.hits, self.trials, family, terms.prior_scale, spread)

    def _columns(self, slope: Sparse) -> FloatArray:
        """By how much each kind's predictor moves with every weight that is touched."""
        terms = self.terms
        arms = dense(slope @ terms.arms)
        arms[:, self._doubt_columns] = self.doubt[:, None] * (slope @ self.doubted)
        curve = np.asarray(slope.sum(axis=1)) * terms.curve[self.bin]
        steep = terms.position[self.bin][:, None] * dense(slope @ terms.slopes)
        return np.hstack([arms, curve, steep])[:, self.touched]


def _doubted(terms: Terms, cells: Cells, weight: FloatArray) -> FloatArray:
    """Columns of the guessed attributes and of arms' sizes, each zero on average over what counts.

    What is true of all items does not hang on where they lie.
    """
    guessed = {a.name for a in cells.partition.attributes if a.is_guessed}
    names = [number for number, name in enumerate(terms.names) if name in guessed | {SIZE_FAMILY}]
    arms = terms.arms.shape[1]
    columns = dense(terms.arms[:, np.flatnonzero(np.isin(terms.family[:arms], names))])
    return columns - np.average(columns, axis=0, weights=np.maximum(weight, SURE))


def _with_doubt(terms: Terms, doubted: FloatArray) -> Terms:
    """The terms with columns that say nothing of an item whose arm is known."""
    arms = terms.arms.shape[1]
    none: Sparse = sparse.csr_matrix(doubted.shape)
    last = len(terms.names) - 1
    family = np.where(terms.family == last, last + 1, terms.family)
    return replace(
        terms,
        arms=sparse.hstack([terms.arms, none], format="csr"),
        family=np.concatenate([family[:arms], np.full(doubted.shape[1], last), family[arms:]]),
        names=(*terms.names[:-1], "guesses", terms.names[-1]),
        prior_scale=np.array([*terms.prior_scale[:-1], DOUBT, terms.prior_scale[-1]]),
    )
