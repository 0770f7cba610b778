"""Fitted multilevel model behind an additive surface, averaged over plausible scales."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import expit

from spotheight.models.additive.terms import Terms
from spotheight.numerics.distributions.nullmodel import null_odds
from spotheight.numerics.distributions.skewed import Skewed
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.regression.multilevel import Laplace, Problem, variances_of
from spotheight.numerics.regression.plausible import plausible_fits
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray, IntArray, NarrowArray

POINTS, FEWEST_POINTS = {100: 96, 300: 48}, 24
"""Plausible scales over which the belief is averaged, by the most columns that a fit may have for
so many. Few columns are fitted in a millisecond, and scales that few labels tell of are worth more
points: with a quarter of them, chances of small pools are off by two points."""

NEGLIGIBLE = 0.002
"""Points of less weight are left out: all of them together hardly get a draw."""

AT_ONCE = 1000
"""Places whose chances are reckoned at a time: their numbers stay near the processor."""


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """The fitted model behind both estimands of an additive surface.

    Args:
        cells: What the pool holds.
        terms: The columns.
        problem: The labels.
        seen_arms: The arm of each group of the problem.
        touched: The column of the terms behind each column of the problem; labels say nothing about
            the others.
        mode: The fit at the most plausible scales.
        information: Of the log scales there.
    """

    cells: Cells
    terms: Terms
    problem: Problem = field(repr=False)
    seen_arms: IntArray = field(repr=False)
    touched: IntArray = field(repr=False)
    mode: Laplace = field(repr=False)
    information: FloatArray = field(repr=False)

    def only(self, arms: IntArray) -> tuple["AdditiveModel", IntArray]:
        """The same model read at some arms, seen ones among them, and which cells it has."""
        cells, kept = self.cells.only(arms)
        seen_arms = np.searchsorted(arms, self.seen_arms)
        return replace(self, cells=cells, terms=self.terms.only(arms), seen_arms=seen_arms), kept

    @cached_property
    def _plausible(self) -> tuple[list[Laplace], FloatArray, float]:
        columns = len(self.mode.weight)
        number = next((n for most, n in POINTS.items() if columns <= most), FEWEST_POINTS)
        return plausible_fits(self.problem, self.mode, self.information, number)

    @cached_property
    def points(self) -> tuple[tuple[Skewed, ...], FloatArray]:
        """Fits at plausible scales, with their shapes, and their weights."""
        fits, weight, _ = self._plausible
        kept = np.flatnonzero(weight > NEGLIGIBLE)
        shapes = tuple(Skewed.of(self.problem, fits[point]) for point in kept)
        return shapes, weight[kept] / weight[kept].sum()

    @cached_property
    def null_model(self) -> tuple[float, float, float]:
        """Log Bayes factor of the model in which no attribute and no score matters; hits, misses.

        Without labels nothing speaks for it.
        """
        hits, trials = float(self.problem.hits.sum()), float(self.problem.trials.sum())
        if trials == 0:
            return -np.inf, 0.0, 0.0
        misses = trials - hits
        return null_odds(hits, misses, self._plausible[2]), hits, misses

    @cached_property
    def places(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Arm, score cell and number of items of every cell.

        An arm that only guesses had put items into may have lost them all to others by what was
        told; one item of middling score leaves it a chance of a hit to speak of.
        """
        cells = self.cells
        empty = np.flatnonzero(cells.arm_sum(cells.count) == 0)
        middle = np.full(len(empty), np.argmin(np.abs(self.terms.position)))
        return (
            np.concatenate([cells.arm, empty]),
            np.concatenate([cells.bin, middle]),
            np.concatenate([cells.count, np.ones(len(empty))]),
        )

    def draw_chances(self, n: int, rng: Generator) -> NarrowArray:
        """Joint draws of the chance of a hit in every place, (places, draws)."""
        fits, weight = self.points
        sizes = (self.cells.arms, len(self.terms.position), self.cells.arms)
        parts = tuple(np.empty((size, n), dtype=np.float32) for size in sizes)
        ends = np.rint(n * np.cumsum(weight)).astype(int)
        starts = np.concatenate([[0], ends[:-1]])
        # A stream for each point: labels that hardly move the weights hardly move the draws.
        for fit, stream, start, end in zip(fits, rng.spawn(len(fits)), starts, ends, strict=True):
            if end > start:
                drawn = self._draw(fit, end - start, stream)
                for part, values in zip(parts, drawn, strict=True):
                    part[:, start:end] = values
        return self._chances(*parts)

    def _chances(self, arm: NarrowArray, curve: NarrowArray, slope: NarrowArray) -> NarrowArray:
        """The chance of a hit in every place, from what its arm and its score cell have drawn."""
        places_arm, places_bin, _ = self.places
        position = self.terms.position.astype(np.float32)[places_bin][:, None]
        chances = np.empty((len(places_arm), arm.shape[1]), dtype=np.float32)
        for start in range(0, len(places_arm), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            eta = arm[places_arm[some]]
            eta += curve[places_bin[some]]
            if self.terms.slopes.shape[1]:
                eta += slope[places_arm[some]] * position[some]
            expit(eta, out=chances[some])
        return chances

    def spreads(self, fit: Laplace) -> FloatArray:
        """The prior standard deviation of every column of the terms."""
        return np.sqrt(variances_of(self.terms.family, fit.log_scale))

    def arm_spreads(self, fit: Laplace) -> FloatArray:
        """The prior standard deviation of every arm's own term."""
        return np.exp(fit.log_scale[-1]) * self.terms.spread

    def _draw(
        self, shape: Skewed, n: int, rng: Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What arms, score cells and slopes add to the predictor, (each, draws)."""
        fit, terms = shape.fit, self.terms
        noise = rng.standard_normal((len(fit.weight), n))
        moved = solve_triangular(fit.factor, noise, lower=True, trans="T", check_finite=False)
        weight = self.spreads(fit)[:, None] * rng.standard_normal((len(terms.family), n))
        weight[self.touched] = fit.weight[:, None] + moved
        of_arms, of_curve, of_slopes = terms.split
        arm = terms.arms @ weight[of_arms] + self._arm_terms(shape, moved, rng)
        return arm, terms.curve @ weight[of_curve], terms.slopes @ weight[of_slopes]

    def _arm_terms(self, shape: Skewed, moved: FloatArray, rng: Generator) -> FloatArray:
        """Each arm's own term: from its prior, or given the weights where it has labels."""
        fit, n = shape.fit, moved.shape[1]
        term = rng.standard_normal((self.cells.arms, n)) * self.arm_spreads(fit)[:, None]
        held = fit.pull[:, None]
        mean = fit.term[:, None] - (fit.cross @ moved) / held
        drawn = mean + rng.standard_normal(mean.shape) / np.sqrt(held)
        term[self.seen_arms] = shape.bend(moved, drawn)
        return term

    def gather(self, weight: FloatArray | IntArray) -> Sparse:
        """(arms, places): adds places up, weighted."""
        arm = self.places[0]
        size = (self.cells.arms, len(arm))
        return sparse.csr_matrix(
            (weight.astype(np.float32), (arm, np.arange(len(arm)))), shape=size
        )
