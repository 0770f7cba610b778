"""A belief about items by arm and score cell, read off as a number per arm."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator, default_rng
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import expit, ndtri

from spotheight.beliefs.terms import Terms
from spotheight.evidence import Counts
from spotheight.numerics.design import Sparse
from spotheight.numerics.multilevel import FIXED_VARIANCE, Laplace, Problem, laplace
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray, IntArray, NarrowArray

POINTS = 24
"""Plausible scales over which the belief is averaged."""

DRAWS = 1000
NORMAL_FROM = 25.0
"""Hits of an arm whose number has at least this variance are drawn from a normal."""

TOGETHER = 4_000_000
"""Numbers in flight while drawing: cells times draws of one block."""


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

    @cached_property
    def points(self) -> tuple[tuple[Laplace, ...], FloatArray]:
        """Fits at plausible scales and their weights: the uncertainty of the scales.

        Points through the Gaussian at the mode, weighted by the evidence over that Gaussian;
        weights are cut at one over the root of their number (Ionides 2008).
        """
        # A Latin hypercube: every coordinate is spread evenly over its normal.
        rng = default_rng(0)
        ranks = [rng.permutation(POINTS) for _ in self.mode.log_scale]
        normal = ndtri((np.array(ranks).T + 0.5) / POINTS)
        spread = np.linalg.cholesky(np.linalg.inv(self.information))
        fits, weights = [], []
        for step in normal:
            log_scale = self.mode.log_scale + spread @ step
            fit = laplace(self.problem, log_scale, self.mode, tolerance=1e-4)
            fits.append(fit)
            weights.append(fit.log_evidence + self.problem.log_prior(log_scale) + step @ step / 2)
        weight = np.exp(np.array(weights) - max(weights))
        weight = np.minimum(weight / weight.sum(), POINTS**-0.5)
        return tuple(fits), weight / weight.sum()

    def draw_chances(self, n: int, rng: Generator) -> NarrowArray:
        """The chance of a hit in every cell, (cells, draws)."""
        fits, weight = self.points
        times = rng.multinomial(n, weight)
        chances = np.empty((len(self.cells), n), dtype=np.float32)
        end = np.cumsum(times)
        for fit, k, stop in zip(fits, times, end, strict=True):
            if k:
                chances[:, stop - k : stop] = self._draw(fit, k, rng)
        return chances

    def spreads(self, fit: Laplace) -> FloatArray:
        """The prior standard deviation of every column of the terms."""
        learned = np.exp(fit.log_scale[np.maximum(self.terms.family, 0)])
        return np.where(self.terms.family >= 0, learned, np.sqrt(FIXED_VARIANCE))

    def _draw(self, fit: Laplace, n: int, rng: Generator) -> NarrowArray:
        terms, cells = self.terms, self.cells
        noise = rng.standard_normal((len(fit.weight), n))
        moved = solve_triangular(fit.factor, noise, lower=True, trans="T", check_finite=False)
        weight = self.spreads(fit)[:, None] * rng.standard_normal((len(terms.family), n))
        weight[self.touched] = fit.weight[:, None] + moved
        of_arms, of_curve, of_slopes = terms.split
        arm = terms.arms @ weight[of_arms] + self._arm_terms(fit, moved, rng)
        curve = terms.curve @ weight[of_curve]
        eta = arm.astype(np.float32)[cells.arm]
        eta += curve.astype(np.float32)[cells.bin]
        if terms.slopes.shape[1]:
            slope = (terms.slopes @ weight[of_slopes]).astype(np.float32)[cells.arm]
            eta += slope * terms.position.astype(np.float32)[cells.bin][:, None]
        return expit(eta, out=eta)

    def _arm_terms(self, fit: Laplace, moved: FloatArray, rng: Generator) -> FloatArray:
        """Each arm's own term: from its prior, or given the weights where it has labels."""
        n = moved.shape[1]
        spread = np.exp(fit.log_scale[-1]) * self.terms.spread
        term = rng.standard_normal((self.cells.arms, n)) * spread[:, None]
        held = fit.pull[:, None]
        mean = fit.term[:, None] - (fit.cross @ moved) / held
        term[self.seen_arms] = mean + rng.standard_normal(mean.shape) / np.sqrt(held)
        return term

    @cached_property
    def gather(self) -> Sparse:
        """(arms, cells): adds cells up."""
        size = len(self.cells)
        return sparse.csr_matrix(
            (np.ones(size), (self.cells.arm, np.arange(size))), shape=(self.cells.arms, size)
        )


@dataclass(frozen=True, eq=False)
class AdditivePosterior:
    """A number per arm: the mean chance of its items, or the share of hits among these items.

    Args:
        model: The fitted model.
        estimand: Which of the two.
        seen: Hits and trials among the labelled.
        rest: Unlabelled items that count, by arm.
        left: Unlabelled items, by cell.
    """

    model: AdditiveModel
    estimand: Literal["rate", "pool"]
    seen: Counts = field(repr=False)
    rest: FloatArray = field(repr=False)
    left: IntArray = field(repr=False)

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        """The expected number given each draw of the model, averaged; and draws, (draws, arms)."""
        return self._draw_both(DRAWS, default_rng(0))

    @property
    def mean(self) -> FloatArray:
        return self._drawn[0]

    @property
    def variance(self) -> FloatArray:
        return self._drawn[1].var(axis=0)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        tail = (1 - level) / 2
        low, high = np.quantile(self._drawn[1], [tail, 1 - tail], axis=0, method="inverted_cdf")
        return low, high

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        draws = self._draw_both(n, rng)[1]
        return draws if where is None else draws[:, where]

    def _draw_both(self, n: int, rng: Generator) -> tuple[FloatArray, FloatArray]:
        block = max(1, min(n, TOGETHER // max(len(self.model.cells), 1)))
        total = np.zeros(self.model.cells.arms)
        draws = np.empty((n, self.model.cells.arms))
        for start in range(0, n, block):
            size = min(block, n - start)
            expected, drawn = self._block(size, rng)
            total += expected.sum(axis=1)
            draws[start : start + size] = drawn.T
        # Draws must not come sorted by scale, for callers may take them in parts.
        return total / n, draws[rng.permutation(n)]

    def _block(self, n: int, rng: Generator) -> tuple[FloatArray, FloatArray]:
        """Expected and drawn numbers of each arm, (arms, draws)."""
        gather, cells = self.model.gather, self.model.cells
        chance = self.model.draw_chances(n, rng)
        rate = _scaled(gather, cells.count) @ chance / cells.arm_sum(cells.count)[:, None]
        if self.estimand == "rate":
            return rate, rate
        in_rest = np.maximum(cells.arm_sum(self.left), 1e-9)[:, None]
        rest_hits = _scaled(gather, self.left) @ chance
        rest_rate = np.where(in_rest >= 1, rest_hits / in_rest, rate)
        size = np.maximum(self.seen.trials + self.rest, 1e-9)[:, None]
        hits = self._rest_hits(chance, rest_rate, rng)
        known = self.seen.hits[:, None]
        empty = self.seen.trials + self.rest <= 0
        expected = (known + self.rest[:, None] * rest_rate) / size
        drawn = (known + hits) / size
        return np.where(empty[:, None], rate, expected), np.where(empty[:, None], rate, drawn)

    def _rest_hits(self, chance: NarrowArray, rate: FloatArray, rng: Generator) -> FloatArray:
        """Hits among the unlabelled items that count.

        Item by item where every item counts and lies in one arm; otherwise only an arm's expected
        number of counting items is known, and they are drawn at the arm's rate.
        """
        if not np.array_equal(self.model.cells.arm_sum(self.left), self.rest):
            clipped = np.clip(rate, 0, 1)
            return rng.binomial(self.rest.astype(np.int64)[:, None], clipped).astype(float)
        return _sums_of_draws(self.model, self.left, chance, rng)


def _sums_of_draws(
    model: AdditiveModel, left: IntArray, chance: NarrowArray, rng: Generator
) -> FloatArray:
    """Sums over each arm of draws for its items: one by one in small arms, else by a normal."""
    gather, cells = model.gather, model.cells
    mean = _scaled(gather, left) @ chance
    variance = np.maximum(mean - _scaled(gather, left) @ chance**2, 0.0)
    noise = rng.standard_normal(mean.shape, dtype=np.float32)
    total = np.rint(np.clip(mean + np.sqrt(variance) * noise, 0, cells.arm_sum(left)[:, None]))
    small = variance.mean(axis=1) < NORMAL_FROM
    alone = np.flatnonzero(small[cells.arm] & (left == 1))
    some = np.flatnonzero(small[cells.arm] & (left > 1))
    hits = np.zeros((cells.arms, chance.shape[1]))
    drawn = rng.random((len(alone), chance.shape[1]), dtype=np.float32) < chance[alone]
    hits += gather[:, alone] @ drawn.astype(np.float32)
    hits += gather[:, some] @ rng.binomial(left[some, None], chance[some].astype(float))
    return np.where(small[:, None], hits, total)


def _scaled(gather: Sparse, weight: IntArray) -> Sparse:
    return (gather @ sparse.diags(weight.astype(np.float32))).tocsr().astype(np.float32)
