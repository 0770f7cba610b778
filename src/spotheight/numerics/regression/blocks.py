"""Logistic regression with random slopes (all weights vary by group), by Laplace's method.

Row r of group g has the predictor x_r (b + u_g): weights b that all groups share, N(0, fixed
variance), and each group's own departure u_g, N(0, T^2) with T = diag(scale). The scales are
learned, with the half-t prior of ``multilevel``. Departures are eliminated group by group, so that
a step costs rows times features squared, whatever the number of groups.

A is X'WX of each group; D = (I + T^2 A)^-1 says how much of a move of b remains in a group's
weights; A D is what the group says about b; C = (P + sum A D)^-1 is the covariance of b. Given b,
u_g has covariance D T^2. None of them divides by a scale, so a scale may be zero.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, softmax

from spotheight.numerics.regression import multilevel
from spotheight.numerics.regression.plausible import normal_points
from spotheight.types import FloatArray, IntArray, NarrowArray

EXACT, CLOSE = 1e-9, 1e-4
"""A search ends where a step promises less log density: of weights; of scales (.014 spreads)."""

FLATTEST = 0.25
"""Curvature of the log scales is taken as no less; that of their prior is about 1."""

POINTS, NODES = 8, 15
"""Plausible scales to average over; and of a quadrature, off by .001 up to a spread of 3."""


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows sorted by group: where each stood, and of each group the slice and the features."""

    order: IntArray = field(repr=False)
    parts: list[tuple[slice, FloatArray]] = field(repr=False)

    @classmethod
    def of(cls, features: FloatArray, group: IntArray, groups: int) -> "GroupedRows":
        """Sort rows by group."""
        # Small integers are sorted by radix, several times faster.
        order = np.argsort(group.astype(np.min_scalar_type(groups)), kind="stable")
        ends = np.cumsum(np.bincount(group, minlength=groups)).tolist()
        ordered = np.ascontiguousarray(features[order], dtype=float)
        return cls(order, [(slice(a, z), ordered[a:z]) for a, z in pairwise([0, *ends])])

    def predict(self, weight: FloatArray) -> FloatArray:
        """The predictor of every row, with its group's weights, (groups, features)."""
        return np.concatenate([x @ w for (_, x), w in zip(self.parts, weight, strict=True)])

    def sums(self, values: FloatArray) -> FloatArray:
        """The transpose of ``predict``."""
        return np.array([values[rows] @ x for rows, x in self.parts])

    def squares(self, values: FloatArray) -> FloatArray:
        """X' diag(values) X of each group, (groups, features, features)."""
        return np.array([(x.T * values[rows]) @ x for rows, x in self.parts])

    def forms(self, matrix: FloatArray) -> FloatArray:
        """The form x' M x of every row, with its group's matrix, (groups, features, features)."""
        pairs = zip(self.parts, matrix, strict=True)
        return np.concatenate([np.einsum("rf,rf->r", x @ m, x) for (_, x), m in pairs])


@dataclass(frozen=True, eq=False)
class BlockProblem:
    """Hits among trials in rows, with their features and groups.

    Args:
        features: (rows, features), each about as large as 1.
        group: Of each row; groups without rows are welcome.
        hits: Hits of each row, fractions allowed.
        trials: Trials of each row, fractions allowed.
        prior_scale: By how much weights may differ between groups: the scale of a half-t prior for
            each feature, 0 where all groups share one weight.
        fixed_variance: The prior variance of each shared weight.
    """

    features: FloatArray = field(repr=False)
    group: IntArray = field(repr=False)
    groups: int
    hits: FloatArray = field(repr=False)
    trials: FloatArray = field(repr=False)
    prior_scale: FloatArray
    fixed_variance: FloatArray

    @cached_property
    def by_group(self) -> tuple[GroupedRows, FloatArray, FloatArray]:
        """Rows in the order of their groups, with their hits and trials."""
        rows = GroupedRows.of(self.features, self.group, self.groups)
        return rows, self.hits[rows.order], self.trials[rows.order]

    @cached_property
    def narrow(self) -> list[tuple[NarrowArray, NarrowArray, NarrowArray]]:
        """Features, hits and trials of each group in half the digits, which take half the time."""
        rows, *counts = self.by_group
        hits, trials = (count.astype(np.float32)[:, None] for count in counts)
        return [(x.astype(np.float32), hits[inside], trials[inside]) for inside, x in rows.parts]

    @cached_property
    def learned(self) -> IntArray:
        """The features whose scale is learned."""
        return np.flatnonzero(self.prior_scale > 0)

    @property
    def log_prior_scale(self) -> FloatArray:
        """Of these features."""
        return np.log(self.prior_scale[self.learned])

    def scales(self, log_scale: FloatArray) -> FloatArray:
        """The scale of every feature."""
        scale = np.zeros(len(self.prior_scale))
        scale[self.learned] = np.exp(log_scale)
        return scale

    def scale_height(self, scale: FloatArray) -> FloatArray:
        """The log density of the log scales, a multivariate half-t; features are the last axis."""
        learned = scale[..., self.learned]
        reach = (learned / self.prior_scale[self.learned]) ** 2 / multilevel.FREEDOM
        times = multilevel.FREEDOM + len(self.learned)
        return np.asarray(np.log(learned).sum(axis=-1) - times / 2 * np.log1p(reach.sum(axis=-1)))

    def log_prior(self, log_scale: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """The same of log scales; its gradient and bend."""
        reach = np.exp(2 * (log_scale - self.log_prior_scale)) / multilevel.FREEDOM
        times, share = multilevel.FREEDOM + len(reach), reach / (1 + reach.sum())
        value = float(self.scale_height(self.scales(log_scale)))
        bend = 2 * times * (np.diag(share) - np.outer(share, share))
        return value, 1 - times * share, bend


@dataclass(frozen=True, eq=False)
class Place:
    """Weights, the shared ones first and then each group's departure, (1 + groups, features).

    With the rows' log likelihood, its slope in each group's weights, and A as ``information``.
    """

    at: FloatArray = field(repr=False)
    log_likelihood: float
    slope: FloatArray = field(repr=False)
    information: FloatArray = field(repr=False)

    @property
    def weight(self) -> FloatArray:
        """The weights of every group, (groups, features)."""
        return self.at[0] + self.at[1:]

    @classmethod
    def of(cls, problem: BlockProblem, at: FloatArray) -> "Place":
        """One pass over the rows."""
        rows, hits, trials = problem.by_group
        eta = rows.predict(at[0] + at[1:])
        # One exponential serves the chance, its variance and the likelihood.
        small = np.exp(-np.abs(eta))
        larger = 1 / (1 + small)
        chance = np.where(eta > 0, larger, small * larger)
        fit = float(hits @ eta - trials @ (np.maximum(eta, 0) + np.log1p(small)))
        slope = rows.sums(hits - trials * chance)
        return cls(at, fit, slope, rows.squares(trials * small * larger**2))


@dataclass(frozen=True, eq=False)
class BlockMode:
    """Laplace approximation at given scales: the Gaussian that touches the posterior at its mode.

    D is ``remains``, C ``covariance``. Log scales are of the learned features, scales of all. The
    density is that of the log scales, evidence by Laplace's method times prior, up to a constant.
    """

    log_scale: FloatArray
    scale: FloatArray
    place: Place = field(repr=False)
    remains: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    log_posterior: float
    log_density: float

    @classmethod
    def of(cls, problem: BlockProblem, log_scale: FloatArray, place: Place) -> "BlockMode":
        """The Gaussian with the posterior's curvature at a place."""
        scale, information = problem.scales(log_scale), place.information
        inner = np.eye(len(scale)) + scale[:, None] ** 2 * information
        remains = np.linalg.inv(inner).astype(float, copy=False)
        precision = np.diag(1 / problem.fixed_variance) + (information @ remains).sum(axis=0)
        covariance = np.linalg.inv((precision + precision.T) / 2)
        bend = np.linalg.slogdet(remains)[1].sum() + np.linalg.slogdet(covariance)[1]
        value = place.log_likelihood - 0.5 * np.sum(place.at**2 * _precision(problem, scale))
        density = value + 0.5 * (bend - np.log(problem.fixed_variance).sum())
        density += problem.log_prior(log_scale)[0]
        return cls(log_scale, scale, place, remains, covariance, float(value), float(density))

    @cached_property
    def group_covariance(self) -> FloatArray:
        """Of each group's weights b + u_g, (groups, features, features)."""
        shared = self.remains @ self.covariance @ self.remains.swapaxes(1, 2)
        both = shared + self.remains * self.scale**2
        return (both + both.swapaxes(1, 2)) / 2

    def solve(self, shared: FloatArray, own: FloatArray) -> FloatArray:
        """The Newton step for a gradient in b, and one in each u that was multiplied by T^2."""
        pulled = np.einsum("gij,gj->gi", self.remains, own)
        said = np.einsum("gij,gj->i", self.place.information, pulled)
        step = self.covariance @ (shared - said)
        return np.vstack([step, pulled + self.remains @ step - step])


def _precision(problem: BlockProblem, scale: FloatArray) -> FloatArray:
    """Of shared weights and departures before any rows; 0 for departures that do not exist."""
    own = np.divide(1, scale**2, out=np.zeros_like(scale), where=scale > 0)
    return np.vstack([1 / problem.fixed_variance, np.tile(own, (problem.groups, 1))])


def mode_at(
    problem: BlockProblem, log_scale: FloatArray, start: Place, tolerance: float = EXACT
) -> BlockMode:
    """The mode by Newton's method; it ends where a step promises less than the tolerance."""
    mode = BlockMode.of(problem, log_scale, start)
    for _ in range(multilevel.NEWTON_STEPS):
        place, precision = mode.place, _precision(problem, mode.scale)
        slope = np.vstack([place.slope.sum(axis=0), place.slope]) - place.at * precision
        step = mode.solve(slope[0], place.slope * mode.scale**2 - place.at[1:])
        if 0.5 * np.sum(slope * step) < tolerance:
            break
        mode = _moved(problem, mode, step)
    return mode


def _moved(problem: BlockProblem, mode: BlockMode, step: FloatArray) -> BlockMode:
    """Go along a step, by halves where it goes too far."""
    reach = 1.0
    while True:
        place = Place.of(problem, mode.place.at + reach * step)
        moved = BlockMode.of(problem, mode.log_scale, place)
        if moved.log_posterior >= mode.log_posterior - EXACT or reach < 1e-3:
            return moved
        reach /= 2


def centred(problem: BlockProblem, mode: BlockMode) -> BlockMode:
    """A Gaussian around the posterior's mean instead of its mode, with the curvature there."""
    place = Place.of(problem, mode.place.at + _lean(problem, mode))
    return BlockMode.of(problem, mode.log_scale, place)


def _lean(problem: BlockProblem, mode: BlockMode) -> FloatArray:
    """From the mode to the mean, to first order.

    A posterior of chances leans away from one half. With third derivative d of each row's
    likelihood and v the variance of its predictor, it is a Newton step for the gradient X'dv/2.
    """
    rows, _, trials = problem.by_group
    chance = expit(rows.predict(mode.place.weight))
    lean = (chance - 0.5) * chance * (1 - chance) * trials
    slope = rows.sums(lean * rows.forms(mode.group_covariance))
    return mode.solve(slope.sum(axis=0), slope * mode.scale**2)


def scoring(problem: BlockProblem, mode: BlockMode) -> tuple[FloatArray, FloatArray]:
    """Gradient of the log density of the log scales, and nearly its negative Hessian.

    In units of the scales let v be the departures and S = M + Q C Q' their covariance, M of each
    group alone. For each feature the gradient is |v|^2 + tr S - groups, and 2 v times the lean, for
    rows bend differently where the mode goes. The curvature is that of rows that do not: 4 v'(I -
    S)v - 2 |I - S|^2 between two features, less twice the gradient on the diagonal.
    """
    kept, scale = problem.learned, mode.scale[problem.learned]
    own = mode.place.at[1:, kept] / scale
    away = np.eye(len(mode.scale)) - mode.remains
    rest = away[:, kept][:, :, kept] * (scale / scale[:, None])
    across = away[:, kept] / scale[:, None]
    joint = across @ mode.covariance @ across.swapaxes(1, 2)
    gradient = np.sum(own**2, axis=0) - np.einsum("gff->f", rest - joint)
    seen = np.einsum("gfi,gfj->fij", across, across) @ mode.covariance
    square = np.sum(rest * (rest - 2 * joint), axis=0) + np.einsum("fij,hji->fh", seen, seen)
    pull = np.einsum("gf,gfi->fi", own, across)
    form = np.einsum("gf,gfh,gh->fh", own, rest, own) - pull @ mode.covariance @ pull.T
    information = 4 * form - 2 * square - 2 * np.diag(gradient)
    gradient += 2 * np.sum(own * _lean(problem, mode)[1:, kept] / scale, axis=0)
    _, prior_gradient, prior_information = problem.log_prior(mode.log_scale)
    return gradient + prior_gradient, information + prior_information


def learn_scales(problem: BlockProblem, start: BlockMode | None = None) -> BlockMode:
    """The maximum a posteriori scales and the mode there; a search may begin at an earlier one."""
    zero = np.zeros((1 + problem.groups, len(problem.prior_scale)))
    place = Place.of(problem, zero if start is None else start.place.at)
    log_scale = problem.log_prior_scale + np.log(0.7) if start is None else start.log_scale
    mode = mode_at(problem, log_scale, place, multilevel.NEARLY)
    for _ in range(multilevel.SCORING_STEPS if len(log_scale) else 0):
        gradient, information = scoring(problem, mode)
        step = _inverse(information) @ gradient
        if 0.5 * gradient @ step < CLOSE or (moved := _rescaled(problem, mode, step)) is None:
            break
        mode = moved
    return mode_at(problem, mode.log_scale, mode.place)


def _inverse(information: FloatArray) -> FloatArray:
    """Of an information that may be flat or bend upwards: then its size is taken."""
    size, axes = np.linalg.eigh((information + information.T) / 2)
    return (axes / np.maximum(np.abs(size), FLATTEST)) @ axes.T


def _rescaled(problem: BlockProblem, mode: BlockMode, step: FloatArray) -> BlockMode | None:
    """Go along a step of the log scales, by halves; nowhere if their density does not rise."""
    step = np.clip(step, -1, 1)
    for _ in range(8):
        moved = mode_at(problem, mode.log_scale + step, mode.place, multilevel.NEARLY)
        if moved.log_density > mode.log_density:
            return moved
        step = step / 2
    return None


@dataclass(frozen=True, eq=False)
class BlockFit:
    """Posterior of every group's weights: at plausible scales, and at the likeliest."""

    mode: BlockMode
    parts: tuple[BlockMode, ...] = field(repr=False)
    share: FloatArray = field(repr=False)

    @cached_property
    def at(self) -> FloatArray:
        """The expected shared weights, then each group's departure, (1 + groups, features)."""
        return np.tensordot(self.share, np.array([part.place.at for part in self.parts]), 1)

    @cached_property
    def covariance(self) -> FloatArray:
        """Of each group's weights, (groups, features, features)."""
        total = np.zeros_like(self.mode.remains)
        for share, part in zip(self.share, self.parts, strict=True):
            away = part.place.weight - self.at[0] - self.at[1:]
            total += share * (part.group_covariance + away[:, :, None] * away[:, None])
        return total

    def predict(self, features: FloatArray, group: IntArray) -> FloatArray:
        """The expected predictor of every row."""
        return np.einsum("rf,rf->r", features, (self.at[0] + self.at[1:])[group])

    def variance(self, features: FloatArray, group: IntArray) -> FloatArray:
        """Of the predictor of every row."""
        rows = GroupedRows.of(features, group, len(self.covariance))
        variance = np.empty(len(group))
        variance[rows.order] = np.maximum(rows.forms(self.covariance), 0.0)
        return variance

    def chance(self, features: FloatArray, group: IntArray) -> FloatArray:
        """The expected chance of a hit in every row."""
        eta, spread = self.predict(features, group), np.sqrt(self.variance(features, group))
        chance = np.zeros(len(group))
        for node, weight in zip(*hermegauss(NODES), strict=True):
            chance += weight / np.sqrt(2 * np.pi) * expit(eta + node * spread)
        return chance


def fit_blocks(problem: BlockProblem, start: BlockFit | None = None) -> BlockFit:
    """Posterior of the weights of every group, averaged over plausible scales.

    Points through the Gaussian at the most plausible scales, weighted by the evidence over that
    Gaussian; weights are cut at one over the root of their number (Ionides 2008). A ``start`` of
    the same groups and features saves time and does not change the fit beyond ``CLOSE``.
    """
    mode = learn_scales(problem, None if start is None else start.mode)
    if not len(mode.log_scale):
        return BlockFit(mode, (centred(problem, mode),), np.ones(1))
    points, height = _points(problem, mode)
    share = np.minimum(softmax(height), POINTS**-0.5)
    return BlockFit(mode, tuple(centred(problem, p) for p in points), share / share.sum())


def _points(problem: BlockProblem, mode: BlockMode) -> tuple[list[BlockMode], FloatArray]:
    """Modes at plausible scales, and their log density over that of the Gaussian they are from."""
    normal = normal_points(POINTS, len(mode.log_scale))
    spread = np.linalg.cholesky(_inverse(scoring(problem, mode)[1]))
    points = mode.log_scale + normal @ spread.T
    modes = [mode_at(problem, point, mode.place, multilevel.ROUGHLY) for point in points]
    height = np.array([found.log_density for found in modes])
    return modes, height + 0.5 * np.sum(normal**2, axis=1)
