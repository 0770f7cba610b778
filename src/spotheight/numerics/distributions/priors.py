"""Empirical Bayes: a Beta prior learned from many groups at once, with its uncertainty."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from spotheight.numerics.distributions import beta
from spotheight.types import FloatArray

STRENGTH_CENTRE, STRENGTH_SPREAD = np.log(4.0), 1.5
"""A weak belief that groups differ: a prior worth 4 labels, give or take a factor of 4.5."""

_BOUNDS = ((-16.0, 16.0), (-6.0, 12.0))
"""Of (logit of the mean, log of the strength): a rail for the search, wider than any data ask."""

_DEPTH = -np.log(1e-4)
"""Points ten thousand times less likely than the best one are left out."""

_SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))

_MOST_STEPS, _SMALL_GAIN = 50, 1e-6
"""The grid only has to be centred near the mode; a handful of steps is usual."""

_SHORTER = 0.5 ** np.arange(10)[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class LearnedPrior:
    """Pseudo-counts at a few plausible points, with the probability of each point."""

    hits: FloatArray
    misses: FloatArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Different pairs of hits and misses, and how many groups have each."""

    hits: FloatArray
    misses: FloatArray
    times: FloatArray


def learn_prior(hits: FloatArray, trials: FloatArray) -> LearnedPrior:
    """Posterior of the Beta prior that many groups share, from their hits, on a grid.

    A grid around the mode of the beta-binomial evidence, weighted by it. Plugging the mode in
    instead would leave out that all groups move together, and an average over groups would look
    far surer than it is.
    """
    tried = trials > 0
    pairs, times = np.unique(
        np.column_stack([hits[tried], trials[tried]]), axis=0, return_counts=True
    )
    groups = _Pairs(pairs[:, 0], pairs[:, 1] - pairs[:, 0], times.astype(float))
    mode = _mode(groups)
    points, height = _explored(mode, _axes(mode, groups), groups)
    weight = np.exp(height - height.max())
    strength = np.exp(points[:, 1])
    return LearnedPrior(
        expit(points[:, 0]) * strength, expit(-points[:, 0]) * strength, weight / weight.sum()
    )


def _mode(groups: _Pairs) -> FloatArray:
    """The best point, by Newton's steps, each shortened to where it climbs most."""
    hits = float(groups.times @ groups.hits)
    total = hits + float(groups.times @ groups.misses)
    at = np.array([logit((hits + 0.5) / (total + 1)), STRENGTH_CENTRE])
    best = float(_height(at, groups))
    for _ in range(_MOST_STEPS):
        axes = _axes(at, groups)
        step = axes @ (axes.T @ _slope(at, groups))
        tries = np.clip(at + _SHORTER * step, *np.transpose(_BOUNDS))
        heights = _height(tries, groups)
        gain, at = float(heights.max()) - best, tries[int(np.argmax(heights))]
        if gain < _SMALL_GAIN:
            break
        best += gain
    return at


def _axes(mode: FloatArray, groups: _Pairs) -> FloatArray:
    """The axes of the bell at the mode, a column each, one standard deviation long."""
    values, axes = np.linalg.eigh(_curvature(mode, groups))
    return np.asarray(axes / np.sqrt(np.maximum(values, 0.05)))


def _explored(mode: FloatArray, axes: FloatArray, groups: _Pairs) -> tuple[FloatArray, FloatArray]:
    """Lattice points reached from the mode without falling too deep, and their log density.

    Steps of one standard deviation integrate a bell almost exactly, and walking on while the
    density lasts finds the long tails that few groups leave (Rue et al. 2009, section 3.1).
    """
    low, high = np.transpose(_BOUNDS)
    floor = float(_height(mode, groups)) - _DEPTH
    points, heights = [], []
    seen: set[tuple[int, int]] = set()
    front = {(0, 0)}
    while front:
        place = sorted(front)
        at = mode + np.array(place) @ axes.T
        height = _height(at, groups)
        is_high = (height > floor) & ((at >= low) & (at <= high)).all(axis=1)
        points.append(at[is_high])
        heights.append(height[is_high])
        seen |= front
        kept = [pair for pair, keep in zip(place, is_high, strict=True) if keep]
        front = {(i + di, j + dj) for i, j in kept for di, dj in _SIDES} - seen
    return np.concatenate(points), np.concatenate(heights)


def _slope(at: FloatArray, groups: _Pairs, step: float = 0.02) -> FloatArray:
    """First differences of the log density."""
    e = step * np.eye(2)
    return (_height(at + e, groups) - _height(at - e, groups)) / (2 * step)


def _curvature(at: FloatArray, groups: _Pairs, step: float = 0.02) -> FloatArray:
    """Minus the second differences of the log density."""
    e, f = step * np.eye(2)[:, None, :], step * np.eye(2)[None, :, :]
    corners = [_height(at + s * e + t * f, groups) * s * t for s in (1, -1) for t in (1, -1)]
    return np.asarray(-np.sum(corners, axis=0) / (4 * step**2))


def _height(at: FloatArray, groups: _Pairs) -> FloatArray:
    """The log posterior density at points (..., 2) of logit of the mean and log of the strength."""
    mean, rest, strength = expit(at[..., 0]), expit(-at[..., 0]), np.exp(at[..., 1])
    a, b = (mean * strength)[..., None], (rest * strength)[..., None]
    evidence = (beta.log_evidence(groups.hits, groups.misses, a, b) * groups.times).sum(axis=-1)
    pull = 0.5 * ((at[..., 1] - STRENGTH_CENTRE) / STRENGTH_SPREAD) ** 2
    # Uniform on the mean itself: the logit's density is mean * (1 - mean).
    return np.asarray(evidence - pull + np.log(mean * rest))
