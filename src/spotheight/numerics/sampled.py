"""Draws from what rows say about weights, not from the Gaussian that touches it.

Where hardly a row of a group fails, the group's weights may well be much larger than the likeliest
ones, but not much smaller. A Gaussian does not know that, and makes failures likely that never
came: in every group alike, so that no mean over groups mends it. Here chains of Hamiltonian Monte
Carlo (Neal 2011) start from draws of the Gaussians of ``blocks``, at each of its plausible scales,
and walk until they follow the posterior itself. Their coordinates are those in which that Gaussian
is a standard normal, so that a few long steps lead far.

Axes are (parts, 1 + groups, chains, features): coordinates of shared weights first, as in blocks.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import expit

from spotheight.numerics.blocks import BlockFit, BlockMode, BlockProblem, GroupedRows
from spotheight.types import FloatArray, IntArray, NarrowArray

CHAINS = 32
"""In all, shared out among the plausible scales."""

SETTLING, KEPT = 6, 6
"""Walks that only lead away from the start and find the length of a step; those that are kept."""

START = 0.7
"""Chains start within so many deviations of the Gaussian: its tails may lie where nothing is."""

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
    """Plausible weights of every group.

    Args:
        weight: (parts, draws, groups, features).
        share: How plausible each part is.
    """

    weight: FloatArray = field(repr=False)
    share: FloatArray = field(repr=False)

    @classmethod
    def of(cls, problem: BlockProblem, fitted: BlockFit) -> "Sample":
        """Always from the same random numbers, so that a fit can be repeated."""
        frame, rng = Frame.of(problem, fitted.parts), default_rng(0)
        each = max(1, CHAINS // len(fitted.parts))
        shape = (len(fitted.parts), 1 + problem.groups, each, frame.size)
        start = START * rng.standard_normal(shape)
        chains, step = Chains(start, frame.height(start)), FIRST_STEP * frame.freedom**-0.25
        weights = []
        for number in range(SETTLING + KEPT):
            chains, accepted = _walked(frame, chains, step * rng.uniform(0.8, 1.2), rng)
            if number < SETTLING:
                step *= float(np.exp(accepted - WISHED))
            else:
                weights.append(frame.weights(chains.at))
        return cls(np.concatenate(weights, axis=2).swapaxes(1, 2), fitted.share)

    def chance(self, features: FloatArray, group: IntArray) -> FloatArray:
        """The expected chance of a hit in every row."""
        weight, share = self.each
        rows = GroupedRows.of(features, group, weight.shape[1])
        chance = np.empty(len(group))
        for one, (inside, x) in enumerate(rows.parts):
            chance[rows.order[inside]] = expit(x @ weight[:, one].T) @ share
        return chance

    @cached_property
    def each(self) -> tuple[FloatArray, FloatArray]:
        """All weights, (draws, groups, features), and how plausible each draw is."""
        parts, draws, *rest = self.weight.shape
        return self.weight.reshape(parts * draws, *rest), np.repeat(self.share / draws, draws)

    def draw(self, n: int, rng: Generator) -> FloatArray:
        """Joint draws of each group's weights, (draws, groups, features)."""
        # Even steps through the parts from a random start: right on average even for one draw.
        at = (rng.permutation(n) + rng.random()) / max(n, 1)
        part = np.searchsorted(np.cumsum(self.share[:-1]), at)
        return self.weight[part, rng.integers(self.weight.shape[1], size=n)]


@dataclass(frozen=True, eq=False)
class Frame:
    """Coordinates in which the Gaussian of each part is a standard normal.

    Departures are reckoned in units of their scales, v = u / T.

    Args:
        problem: The rows.
        centre: The shared weights b where all coordinates are 0, then v of each group.
        scale: T of every part and feature.
        shared: From coordinates to moves of b, (parts, features, features).
        pulled: From moves of b to moves of v that follow, (parts, groups, features, features).
        own: From coordinates to moves of v that do not, likewise.
    """

    problem: BlockProblem = field(repr=False)
    centre: FloatArray = field(repr=False)
    scale: FloatArray = field(repr=False)
    shared: FloatArray = field(repr=False)
    pulled: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)

    @classmethod
    def of(cls, problem: BlockProblem, parts: tuple[BlockMode, ...]) -> "Frame":
        """From the Gaussians."""
        columns = zip(*(_coordinates(part) for part in parts), strict=True)
        return cls(problem, *(np.array(column) for column in columns))

    @property
    def size(self) -> int:
        """How many features there are."""
        return self.scale.shape[1]

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
        return place[:, :1] + place[:, 1:] * self.scale[:, None, None]

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
        groups, weights = self.narrow, self._by_group(place).astype(np.float32)
        pairs = zip(groups, weights, strict=True)
        with np.errstate(over="ignore"):  # the chance is 0 there
            found = np.array([_pull(*group, weight) for group, weight in pairs], dtype=float)
        pull = found.reshape(len(found), len(at), -1, self.size).swapaxes(0, 1)
        shared = pull.sum(axis=1) - place[:, 0] / self.problem.fixed_variance
        own = pull * self.scale[:, None, None] - place[:, 1:]
        return self.folded(np.concatenate([shared[:, None], own], axis=1))

    @cached_property
    def narrow(self) -> list[tuple[NarrowArray, NarrowArray, NarrowArray]]:
        """Features, hits and trials of each group in half the digits, which take half the time."""
        rows, *counts = self.problem.by_group
        hits, trials = (count.astype(np.float32)[:, None] for count in counts)
        return [(x.astype(np.float32), hits[inside], trials[inside]) for inside, x in rows.parts]


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
    own = np.asarray(np.linalg.inv(np.linalg.cholesky(inner)), dtype=float)
    shared = np.asarray(np.linalg.cholesky(part.covariance), dtype=float)
    return centre, scale, shared, pulled, own


def _walked(frame: Frame, place: Chains, step: float, rng: Generator) -> tuple[Chains, float]:
    """Where chains are after a walk, and the mean chance that it was accepted."""
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
    """Steps of the leapfrog."""
    steps = min(MOST_STEPS, ceil(FAR / step))
    speed = speed + step / 2 * frame.slope(at)
    for number in range(steps):
        at = at + step * speed
        speed = speed + (step if number + 1 < steps else step / 2) * frame.slope(at)
    return at, speed
