"""Logistic regression of an item's truth on all that is seen of it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import DTypeLike, NDArray
from scipy.special import expit, logit

from spotheight.evidence import ItemEvidence
from spotheight.numerics.regression.blocks import (
    BlockProblem,
    Place,
    fit_blocks,
    learn_scales,
    mode_at,
)
from spotheight.numerics.regression.multilevel import NEARLY
from spotheight.numerics.regression.sampled import Sample
from spotheight.numerics.sums import sum_by
from spotheight.types import BoolArray, FloatArray, IntArray, NarrowArray

OFTEN = 5.0
"""The prior deviation of weights that all categories share, on the logit scale: wide enough for
lists on which one item in a thousand is false."""

SMALL = 1.0
"""Likewise of weights that only bend what the others say."""

VARYING = 1.0
"""By how much weights of categories may differ: the scale of a half-t prior. It decides while few
items of a category are vetted; with all of them scales from .2 to 2 were found."""

FEW = 8
"""A noisy label with no more values than this may bend at each of them; another at quartiles."""

EDGE = 1e-4
"""A probability nearer to 0 or 1 than this tells no more than this."""

IMAGINED = 2.0
"""Vetted items that the prior is worth in all: it trusts noisy labels and scores a little."""

LINE, SURE = 2.0, (4.0, 6.0)
"""Log odds, for and against: up to the first a category's curve is a line; at the others it may
leave it, each category by an amount of its own; beyond the last it runs beside it."""

FOLDS = 4
"""Parts of the items; the odds of each are foreseen by the labels of the others."""


@dataclass(frozen=True, eq=False)
class Features:
    """Columns for every item: an intercept, noisy labels, the services' scores.

    Args:
        evidence: The items.
        columns: (items, features), each about as large as 1.
        signs: Which way each column points: 1 where more of it speaks for the item, else 0.
        varies: Whether a column's weight may vary by category.
        deviation: The prior deviation of each shared weight.
    """

    evidence: ItemEvidence = field(repr=False)
    columns: FloatArray = field(repr=False)
    signs: FloatArray
    varies: BoolArray
    deviation: FloatArray

    @classmethod
    def of(cls, evidence: ItemEvidence, *, has_noisy: bool = True) -> "Features":
        """All that is seen; ``has_noisy`` says whether noisy labels are among it."""
        columns, signs = [np.ones(len(evidence))], [0.0]
        for labels in evidence.noisy.T if has_noisy else ():
            _add(columns, signs, 2 * labels - 1)
        for scores, standing in zip(evidence.score.T, evidence.standing.T, strict=True):
            if not np.isnan(scores).all():
                _add(columns, signs, _standard(scores, standing))
        varying, company = len(columns), list[FloatArray]()
        if has_noisy and evidence.noisy.size:
            columns += [_level(evidence), *_bends(evidence)]
            company = _company(evidence)
        deviation = np.repeat([OFTEN, SMALL], [len(columns), len(company)])
        varies = np.arange(len(deviation)) < varying
        signs += [0.0] * (len(deviation) - varying)
        return cls(evidence, np.column_stack(columns + company), np.array(signs), varies, deviation)

    @property
    def at_items(self) -> tuple[FloatArray, IntArray]:
        """Columns and category of every item."""
        return self.columns, self.evidence.category

    def problem(self, *, shared_only: bool = False) -> BlockProblem:
        """The regression on vetted items; ``shared_only`` lets no weight vary by category."""
        evidence, kept = self.evidence, self.evidence.is_vetted
        imagined, category, hits, trials = self._imagined()
        return BlockProblem(
            np.concatenate([self.columns[kept], imagined]),
            np.concatenate([evidence.category[kept], category]),
            len(evidence.categories),
            np.concatenate([evidence.truth[kept], hits]),
            np.concatenate([np.ones(int(kept.sum())), trials]),
            np.where(self.varies & (not shared_only), VARYING, 0.0),
            self.deviation**2,
        )

    def _imagined(self) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
        """Two items a category, of little weight: all signs good and true, all bad and false."""
        categories = len(self.evidence.categories)
        pair = np.stack([self.signs, -self.signs])
        pair[:, 0] = 1.0
        rows = np.tile(pair, (categories, 1))
        trials = np.full(2 * categories, IMAGINED / (2 * categories))
        hits = trials * np.tile([0.9, 0.1], categories)
        return rows, np.repeat(np.arange(categories), 2), hits, trials

    def model(self) -> "FittedChances":
        """The fitted regression: Hamiltonian draws of its weights, by the vetted items."""
        bent = self.bent(self.foreseen())
        problem = bent.problem()
        return FittedChances(bent, Sample.of(problem, fit_blocks(problem)))

    def foreseen(self) -> FloatArray:
        """Cross-fitted log odds of every item, by labels of other parts: none speaks for itself.

        Of items that are not vetted, the mean over all parts.
        """
        evidence, problem = self.evidence, self.problem()
        vetted, part = evidence.is_vetted, np.arange(len(evidence)) % FOLDS
        mode, used = learn_scales(problem), np.ones(len(problem.trials))
        odds = np.zeros(len(evidence))
        for one in range(FOLDS):
            used[: vetted.sum()] = part[vetted] != one
            others = replace(problem, hits=problem.hits * used, trials=problem.trials * used)
            # Other labels pull elsewhere: slopes are taken anew where the search begins.
            start = Place.of(others, mode.place.at)
            weight = mode_at(others, mode.log_scale, start, NEARLY).place.weight
            said = np.einsum("rf,rf->r", self.columns, weight[evidence.category])
            odds += np.where(vetted, said * (part == one), said / FOLDS)
        return odds

    def bent(self, odds: FloatArray) -> "Features":
        """With spline columns: each category's curve may leave the line where odds are long.

        Vetted items are mostly doubtful ones, which say how steep the line is there and not what
        becomes of it further out. Only the few sure items among them do, category by category.
        """
        ends = [end for side in (1, -1) for end in _ends(side * odds) if end.any()]
        more = len(ends)
        return replace(
            self,
            columns=np.column_stack([self.columns, *ends]),
            signs=np.append(self.signs, np.zeros(more)),
            varies=np.append(self.varies, np.ones(more, dtype=bool)),
            deviation=np.append(self.deviation, np.full(more, SMALL)),
        )


@dataclass(frozen=True, eq=False)
class FittedChances:
    """Posterior of a regression: chances of items, averaged over draws of its weights."""

    features: Features = field(repr=False)
    sample: Sample = field(repr=False)

    @property
    def chance(self) -> FloatArray:
        """Of every item to be true."""
        return self.sample.chance(*self.features.at_items)

    def draw(self, n: int, rng: Generator, where: IntArray) -> FloatArray:
        return self._chances(self.sample.draw(n, rng), where)

    def spread(self, where: IntArray) -> NarrowArray:
        chance: NarrowArray = self._chances(self.sample.each, where, np.float32)
        chance -= chance.mean(axis=0)
        chance /= np.sqrt(np.float32(len(chance)))
        return chance

    def _chances(self, weight: FloatArray, where: IntArray, kind: DTypeLike = float) -> Any:
        """(draws, items), in numbers of this kind."""
        chance: NDArray[Any] = np.empty((len(weight), len(where)), dtype=kind)
        category = self.features.evidence.category[where]
        for one in np.unique(category):
            inside = np.flatnonzero(category == one)
            columns = self.features.columns[where[inside]].astype(kind, copy=False)
            chance[:, inside] = expit(weight[:, one].astype(kind, copy=False) @ columns.T)
        return chance


def _add(columns: list[FloatArray], signs: list[float], values: FloatArray) -> None:
    """A column, and another one that tells where it is missing."""
    missing = np.isnan(values)
    columns.append(np.where(missing, 0.0, values))
    signs.append(1.0)
    if missing.any() and not missing.all():
        columns.append(missing - missing.mean())
        signs.append(0.0)


def _bends(evidence: ItemEvidence) -> list[FloatArray]:
    """Where the line over a noisy label may bend: three raters of five may be as good as all."""
    columns = []
    for labels in evidence.noisy.T:
        for knot in _knots(labels[~np.isnan(labels)]):
            above = np.maximum(2 * (np.nan_to_num(labels, nan=knot) - knot), 0.0)
            columns.append(above - above.mean())
    return columns


def _knots(labels: FloatArray) -> FloatArray:
    """Inner values, or inner quartiles where there are many; none of a label that is yes or no."""
    values = np.unique(labels)
    return values[1:-1] if len(values) <= FEW else np.unique(np.quantile(labels, [0.25, 0.5, 0.75]))


def _company(evidence: ItemEvidence) -> list[FloatArray]:
    """Noisy labels by how many services returned the item: beside a no their number says more."""
    services = np.sum(~np.isnan(evidence.score), axis=1)
    spread = services.std()
    return [(2 * evidence.guess - 1) * (services - services.mean()) / spread] if spread else []


def _ends(odds: FloatArray) -> list[FloatArray]:
    """How near long odds are to each of ``SURE``, from 0 to 1."""
    knots = (LINE, *SURE)
    return [np.interp(odds, knots, row) for row in np.eye(len(knots))[1:]]


def _level(evidence: ItemEvidence) -> FloatArray:
    """The mean noisy label of each item's category; mean 0, deviation 1 over categories.

    How common noisy labels are tells of a category's level, vetted or not.
    """
    size = len(evidence.categories)
    held = np.maximum(sum_by(evidence.category, np.ones(len(evidence)), size), 1)
    mean = sum_by(evidence.category, evidence.guess, size) / held
    spread = mean.std()
    return ((mean - mean.mean()) / (spread if spread > 0 else 1.0))[evidence.category]


def _standard(scores: FloatArray, standing: FloatArray) -> FloatArray:
    """The logit of a probability, or of the mid-rank of any other score; mean 0, deviation 1."""
    is_chance = np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1
    curve = logit(np.clip(scores if is_chance else standing, EDGE, 1 - EDGE))
    spread = np.nanstd(curve)
    return (curve - np.nanmean(curve)) / (spread if spread > 0 else 1.0)
