"""Continuation-ratio regression: steps of overlaps, in which pairs of an object share an effect.

Whoever vets an object tells something of every detection near it: an outline smaller than its box
spoils them all. Such rows are no evidence apart from each other, so each object has a term of its
own, of a spread that is learned; what is not vetted gets such a term in every draw, the same for
all services and thresholds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_triangular
from scipy.special import expit

from spotheight.numerics.distributions.skewed import centred
from spotheight.numerics.regression.design import Design
from spotheight.numerics.regression.multilevel import Laplace, Problem, fit_scales
from spotheight.numerics.regression.plausible import plausible_fits
from spotheight.types import FloatArray, IntArray

POINTS = 8
"""Plausible scales to average over."""

EXPECTED = 50
"""Draws that an expected chance is the mean of: off by .05, which only sorts pairs."""

FIRM = 1e-2
"""How far the term of an imagined object varies, in units of a real one's."""


@dataclass(frozen=True, eq=False)
class StepRows:
    """Steps that were tried, and how they came out.

    Args:
        columns: What is seen of each, (rows, columns).
        margin: How far above the threshold it seemed to be, whose weight varies by category.
        category: Of each row.
        item: The object of each row; those below 0 are imagined.
        hits: Steps that succeeded, fractions allowed.
        trials: Likewise.
    """

    columns: FloatArray = field(repr=False)
    margin: FloatArray = field(repr=False)
    category: IntArray = field(repr=False)
    item: IntArray = field(repr=False)
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)

    def problem(self, categories: int, prior_scale: FloatArray) -> Problem:
        """As a regression; scales are of categories' levels, of their slopes, and of objects."""
        names, first, group = np.unique(self.item, return_index=True, return_inverse=True)
        kinds = (self.category[first][:, None] == np.arange(categories)).astype(float)
        design = Design(kinds, self.columns, kinds, self.margin, group.ravel())
        width = self.columns.shape[1]
        family = np.repeat([0, -1, 1], [categories, width, categories])
        spread = np.where(names < 0, FIRM, 1.0)
        return Problem(design, self.hits, self.trials, family, prior_scale, spread)


@dataclass(frozen=True, eq=False)
class StepFit:
    """Laplace fits to tried steps at plausible scales, and how plausible each is."""

    fits: tuple[Laplace, ...] = field(repr=False)
    share: FloatArray
    categories: int

    @classmethod
    def of(cls, rows: StepRows, categories: int, prior_scale: FloatArray) -> "StepFit":
        """Points through the Gaussian at the most plausible scales, weighted by their evidence."""
        problem = rows.problem(categories, prior_scale)
        mode, information = fit_scales(problem)
        fits, share, _ = plausible_fits(problem, mode, information, POINTS)
        return cls(tuple(centred(problem, fit) for fit in fits), share / share.sum(), categories)

    def draw(self, n: int, rng: Generator) -> "StepDraws":
        """Plausible weights, and how far objects differ."""
        weight, spread = np.empty((n, len(self.fits[0].weight))), np.empty(n)
        at = (rng.permutation(n) + rng.random()) / max(n, 1)
        part = np.searchsorted(np.cumsum(self.share[:-1]), at)
        for number, fit in enumerate(self.fits):
            mine = np.flatnonzero(part == number)
            noise = rng.standard_normal((len(fit.weight), len(mine)))
            moved = solve_triangular(fit.factor, noise, lower=True, trans="T", check_finite=False)
            weight[mine] = fit.weight + moved.T
            spread[mine] = np.exp(fit.log_scale[-1])
        return StepDraws(weight, spread, self.categories)


@dataclass(frozen=True, eq=False)
class StepDraws:
    """Weights of every draw, and the spread of objects' terms."""

    weight: FloatArray = field(repr=False)
    spread: FloatArray = field(repr=False)
    categories: int

    def terms(self, items: int, rng: Generator) -> FloatArray:
        """Of objects that are not vetted, (draws, objects)."""
        return self.spread[:, None] * rng.standard_normal((len(self.spread), items))

    def passing(
        self, steps: Sequence[FloatArray], category: IntArray, term: FloatArray
    ) -> FloatArray:
        """Of some pairs to pass each threshold, (draws, pairs, thresholds).

        Args:
            steps: The columns of every step, whose second is the margin.
            category: Of each pair.
            term: Of each pair's object, (draws, pairs).
        """
        level, own, slope = np.split(
            self.weight, [self.categories, self.weight.shape[1] - self.categories], axis=1
        )
        same, steep = level[:, category] + term, slope[:, category]
        passing = np.empty((len(steps), *term.shape))
        for number, columns in enumerate(steps):
            eta = own @ columns.T
            eta += same
            eta += steep * columns[:, 1]
            expit(eta, out=passing[number])
        np.multiply.accumulate(passing, axis=0, out=passing)
        return np.moveaxis(passing, 0, 2)
