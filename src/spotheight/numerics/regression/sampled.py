"""Hamiltonian Monte Carlo for logistic weights, where Laplace's Gaussian is too far off.

Where hardly a row of a group fails, the group's weights may well be much larger than the likeliest
ones, but not much smaller. A Gaussian does not know that, and makes failures likely that never
came: in every group alike, so that no mean over groups mends it. Here chains of Hamiltonian Monte
Carlo (Neal 2011) start from draws of the Gaussians of ``blocks``, at plausible scales, and walk
until they follow the posterior itself. Their coordinates are those in which that Gaussian is a
standard normal, so that a few long steps lead far. After every walk a chain draws its scales anew,
given its departures (Gibbs): a few points stand for all scales only roughly.

Axes are (parts, 1 + groups, chains, features): coordinates of shared weights first, as in blocks;
a part is the Gaussian at some scales, whose coordinates its chains keep.
"""

from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import expit

from spotheight.numerics.regression.blocks import BlockFit, BlockMode, BlockProblem, GroupedRows
from spotheight.types import FloatArray, IntArray, NarrowArray

PARTS, CHAINS = 8, 4
"""Gaussians to start from, by how plausible their scales are; chains from each."""

SETTLING, KEPT = 6, 6
"""Walks that only lead away from the start and find the length of a step; those that are kept."""

START = 0.7
"""Chains start within so many deviations of the Gaussian: its tails may lie where nothing is."""

LOWER, HALVINGS = 5.0, 8
"""One whose log density is lower than the Gaussian says, by this, starts half as far away, up to so
many times: from there every step of a useful length is refused, and it would stay for ever."""

FIRST_STEP = 0.8
"""Times the number of coordinates to the power of -1/4, with which good steps shrink."""

FAR = 1.5
"""How far a walk goes: a quarter of a turn around a standard normal, which forgets its start."""

MOST_STEPS = 12
"""Of a walk, however short they are."""

WISHED = 0.8
"""The share of walks that is to be accepted."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Posterior draws of every group's weights, each as plausible as the others.

    Args:
        weight: (parts, draws, groups, features).
    """

    weight: FloatArray = field(repr=False)

    @classmethod
    def of(cls, problem: BlockProblem, fitted: BlockFit) -> "Sample":
        """Always from the same random numbers, so that a fit can be repeated."""
        frame, rng = Frame.of(problem, plausible(fitted)), default_rng(0)
        at, step = _start(frame, rng), FIRST_STEP * frame.freedom**-0.25
        weights = []
        for number in range(SETTLING + KEPT):
            chains = Chains(at, frame.height(at))
            chains, accepted = _walked(frame, chains, step * rng.uniform(0.8, 1.2), rng)
            frame, at = frame.rescaled(chains.at, rng)
            if number < SETTLING:
                step *= float(np.exp(accepted - WISHED))
            else:
                weights.append(frame.weights(at))
        return cls(np.concatenate(weights, axis=2).swapaxes(1, 2))

    def chance(self, features: FloatArray, group: IntArray) -> FloatArray:
        """The expected chance of a hit in every row."""
        weight = self.each
        rows = GroupedRows.of(features, group, weight.shape[1])
        chance = np.empty(len(group))
        for one, (inside, x) in enumerate(rows.parts):
            chance[rows.order[inside]] = expit(x @ weight[:, one].T).mean(axis=1)
        return chance

    @property
    def each(self) -> FloatArray:
        """All weights, (draws, groups, features)."""
        return self.weight.reshape(-1, *self.weight.shape[2:])

    def draw(self, n: int, rng: Generator) -> FloatArray:
        """Joint draws of each group's weights, (draws, groups, features)."""
        # Even steps through the parts from a random start: right on average even for one draw.
        parts, draws = self.weight.shape[:2]
        part = ((rng.permutation(n) + rng.random()) * parts / max(n, 1)).astype(np.int64)
        return self.weight[part, rng.integers(draws, size=n)]


def plausible(fitted: BlockFit) -> tuple[BlockMode, ...]:
    """Systematic resampling of Gaussians: in even steps, each as often as it is plausible."""
    at = (np.arange(PARTS) + 0.5) / PARTS
    return tuple(fitted.parts[part] for part in np.searchsorted(np.cumsum(fitted.share[:-1]), at))


def _start(frame: "Frame", rng: Generator) -> FloatArray:
    """Coordinates that the chains start from."""
    shape = (len(frame.scale), 1 + frame.problem.groups, CHAINS, frame.size)
    at = START * rng.standard_normal(shape)
    top = frame.height(np.zeros_like(at))
    for _ in range(HALVINGS):
        is_far = top - frame.height(at) > _motion(at) + LOWER
        if not is_far.any():
            break
        at = np.where(is_far[:, None, :, None], at / 2, at)
    return at


@dataclass(frozen=True, eq=False)
class Frame:
    """Whitened coordinates: in them the Gaussian of each part is a standard normal.

    Departures are reckoned in units of their scales, v = u / T.

    Args:
        centre: The shared weights b where all coordinates are 0, then v of each group.
        scale: T of every chain, (parts, chains, features); of all alike before they are drawn.
        shared: From coordinates to moves of b, (parts, features, features).
        pulled: From moves of b to moves of v that follow, (parts, groups, features, features).
        own: From coordinates to moves of v that do not, likewise.
        back: From these moves to coordinates.
    """

    problem: BlockProblem = field(repr=False)
    centre: FloatArray = field(repr=False)
    scale: FloatArray = field(repr=False)
    shared: FloatArray = field(repr=False)
    pulled: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)
    back: FloatArray = field(repr=False)

    @classmethod
    def of(cls, problem: BlockProblem, parts: tuple[BlockMode, ...]) -> "Frame":
        """From the Gaussians."""
        columns = zip(*(_coordinates(part) for part in parts), strict=True)
        centre, scale, *maps = (np.array(column) for column in columns)
        return cls(problem, centre, scale[:, None], *maps)

    @property
    def size(self) -> int:
        """How many features there are."""
        return self.scale.shape[2]

    @property
    def freedom(self) -> int:
        """The number of coordinates of a chain."""
        return (1 + self.problem.groups) * self.size

    def unfolded(self, at: FloatArray) -> FloatArray:
        """Shared weights b and every group's v, at these coordinates."""
        moved = at[:, :1] @ self.shared[:, None].swapaxes(2, 3)
        return self.centre[:, :, None] + np.concatenate(
            [moved, moved @ self.pulled + at[:, 1:] @ self.own], axis=1
        )

    def folded(self, slope: FloatArray) -> FloatArray:
        """The slope in these coordinates, from that in b and v: the transpose of ``unfolded``."""
        back = slope[:, 1:] @ self.pulled.swapaxes(2, 3)
        shared = (slope[:, :1] + back.sum(axis=1, keepdims=True)) @ self.shared[:, None]
        return np.concatenate([shared, slope[:, 1:] @ self.own.swapaxes(2, 3)], axis=1)

    def weights(self, at: FloatArray) -> FloatArray:
        """Of every group, (parts, groups, chains, features)."""
        return self._weights(self.unfolded(at))

    def _weights(self, place: FloatArray) -> FloatArray:
        return place[:, :1] + place[:, 1:] * self.scale[:, None]

    def _by_group(self, place: FloatArray) -> FloatArray:
        """Weights as (groups, parts x chains, features)."""
        return self._weights(place).swapaxes(0, 1).reshape(self.problem.groups, -1, self.size)

    def height(self, at: FloatArray) -> FloatArray:
        """The log posterior density at these coordinates, (parts, chains)."""
        place = self.unfolded(at)
        rows, hits, trials = self.problem.by_group
        pairs = zip(rows.parts, self._by_group(place), strict=True)
        eta = np.concatenate([x @ weight.T for (_, x), weight in pairs])
        fit = hits @ eta - trials @ (np.maximum(eta, 0) + np.log1p(np.exp(-np.abs(eta))))
        prior = (place[:, 0] ** 2 / self.problem.fixed_variance).sum(axis=2)
        prior += (place[:, 1:] ** 2).sum(axis=(1, 3))
        return fit.reshape(prior.shape) - prior / 2

    def slope(self, at: FloatArray) -> FloatArray:
        """Of the height, in these coordinates, to six digits: that is enough to steer by."""
        place = self.unfolded(at)
        groups, weights = self.problem.narrow, self._by_group(place).astype(np.float32)
        pairs = zip(groups, weights, strict=True)
        with np.errstate(over="ignore"):  # the chance is 0 there
            found = np.array([_pull(*group, weight) for group, weight in pairs], dtype=float)
        pull = found.reshape(len(found), len(at), -1, self.size).swapaxes(0, 1)
        shared = pull.sum(axis=1) - place[:, 0] / self.problem.fixed_variance
        own = pull * self.scale[:, None] - place[:, 1:]
        return self.folded(np.concatenate([shared[:, None], own], axis=1))

    def rescaled(self, at: FloatArray, rng: Generator) -> tuple["Frame", FloatArray]:
        """Scales drawn anew given departures, which stay; and the coordinates that follow."""
        own = self.unfolded(at)[:, 1:]
        scale = rescaled(self.problem, (own**2).sum(axis=1) * self.scale**2, self.scale, rng)
        change = np.divide(self.scale, scale, out=np.ones_like(scale), where=scale > 0) - 1
        moved = at.copy()
        moved[:, 1:] += (own * change[:, None]) @ self.back
        return replace(self, scale=scale), moved


def rescaled(
    problem: BlockProblem, square: FloatArray, scale: FloatArray, rng: Generator
) -> FloatArray:
    """Gibbs step: scales given summed squares of departures, both (parts, chains, features).

    Without their prior these squares over T^2 follow a chi-square with as many degrees of freedom
    as there are groups. What is drawn from it is taken as often as the prior says (Metropolis).
    """
    scale = np.broadcast_to(scale, square.shape)
    for one in problem.learned:
        tried, freedom = scale.copy(), rng.chisquare(problem.groups, square.shape[:2])
        tried[..., one] = np.sqrt(square[..., one] / freedom)
        rise = problem.scale_height(tried) - problem.scale_height(scale)
        is_taken = rng.random(rise.shape) < np.exp(np.minimum(rise, 0.0))
        scale = np.where(is_taken[..., None], tried, scale)
    return scale


def _pull(
    x: NarrowArray, hits: NarrowArray, trials: NarrowArray, weight: NarrowArray
) -> NarrowArray:
    """The slope of a group's log likelihood in its weights, (chains, features)."""
    chance = 1 / (1 + np.exp(-(x @ weight.T)))
    return np.asarray((hits - trials * chance).T @ x, dtype=np.float32)


class Chains(NamedTuple):
    """Coordinates, and the height there, (parts, chains)."""

    at: FloatArray
    height: FloatArray


def _coordinates(part: BlockMode) -> tuple[FloatArray, ...]:
    """Centre, scale and maps of a frame; a weight that does not vary has v = 0 in every group."""
    scale, size = part.scale, len(part.scale)
    unit = np.divide(1, scale, out=np.zeros(size), where=scale > 0)
    inner = np.eye(size) + scale[:, None] * part.place.information * scale
    centre = np.vstack([part.place.at[:1], part.place.at[1:] * unit])
    pulled = (part.remains - np.eye(size)).swapaxes(1, 2) * unit
    back = np.asarray(np.linalg.cholesky(inner), dtype=float)
    own = np.asarray(np.linalg.inv(back), dtype=float)
    shared = np.asarray(np.linalg.cholesky(part.covariance), dtype=float)
    return centre, scale, shared, pulled, own, back


def _walked(frame: Frame, place: Chains, step: float, rng: Generator) -> tuple[Chains, float]:
    """A Metropolis step: where chains are after a walk, and the mean chance of acceptance."""
    speed = rng.standard_normal(place.at.shape)
    end, last = _carried(frame, place.at, speed, step)
    height = frame.height(end)
    rise = height - _motion(last) - place.height + _motion(speed)
    chance = np.exp(np.minimum(np.nan_to_num(rise, nan=-np.inf), 0.0))
    moves = rng.random(chance.shape) < chance
    at = np.where(moves[:, None, :, None], end, place.at)
    return Chains(at, np.where(moves, height, place.height)), float(chance.mean())


def _motion(speed: FloatArray) -> FloatArray:
    return 0.5 * (speed**2).sum(axis=(1, 3))


def _carried(
    frame: Frame, at: FloatArray, speed: FloatArray, step: float
) -> tuple[FloatArray, FloatArray]:
    """Leapfrog steps."""
    steps = min(MOST_STEPS, ceil(FAR / step))
    speed = speed + step / 2 * frame.slope(at)
    for number in range(steps):
        at = at + step * speed
        speed = speed + (step if number + 1 < steps else step / 2) * frame.slope(at)
    return at, speed
