"""Fitted latent Gaussian processes: what they say of any arm, without torch.

The prior mean of each function is a constant and its kernel squared-exponential over an embedding
of the inputs. Inducing values are whitened, with a normal belief about them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from spotheight.numerics.distributions.quadrature import normal_nodes
from spotheight.types import FloatArray, IntArray

JITTER = 1e-6
"""Added to the variance of inducing values, in units of the kernel's; keeps its root stable."""

LEAST = 1e-3
"""A scale below this is this one: lgamma has a pole at 0."""

NODES = 16


@dataclass(frozen=True, eq=False)
class Latents:
    """Posterior of the Gaussian processes, as plain arrays.

    Args:
        values: Numbers of the kernel by name: log ``length`` (functions, groups), log ``scale``,
            ``centre``, and ``layer0``, ``bias0`` and so on where inputs are embedded.
        points: Inputs of the inducing points, (points, columns).
        group: The length that each column of the embedding has.
        mean: Of the whitened inducing values, (functions, points).
        root: A root of their covariance, (functions, points, points).
    """

    values: Mapping[str, FloatArray] = field(repr=False)
    points: FloatArray = field(repr=False)
    group: IntArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    root: FloatArray = field(repr=False)

    def places(self, function: int, inputs: FloatArray) -> FloatArray:
        """Where inputs lie when distances of one function are taken in units of its lengths."""
        layers = sum(name.startswith("layer") for name in self.values)
        for number in range(layers):
            inputs = inputs @ self.values[f"layer{number}"]
            if number + 1 < layers:
                inputs = np.maximum(inputs + self.values[f"bias{number}"], 0)
        return inputs / np.exp(self.values["length"][function])[self.group]

    def reach(self, function: int, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights of the whitened inducing values, and the variance that they leave open."""
        scale = float(np.exp(self.values["scale"][function]))
        between = scale * alike(self._points[function], self.places(function, inputs))
        weight = solve_triangular(self._roots[function], between, lower=True).T
        return weight, np.maximum(scale - np.square(weight).sum(axis=1), 1e-9)

    @cached_property
    def _points(self) -> list[FloatArray]:
        return [self.places(function, self.points) for function in range(len(self.mean))]

    @cached_property
    def _roots(self) -> list[FloatArray]:
        one = np.eye(len(self.points))
        scales = np.exp(self.values["scale"])
        return [
            np.linalg.cholesky(scale * (_within(at) + JITTER * one))
            for scale, at in zip(scales, self._points, strict=True)
        ]

    def moments(self, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of each function at each input, (functions, inputs) both."""
        found = [self._moments(function, inputs) for function in range(len(self.mean))]
        return np.array([mean for mean, _ in found]), np.array([spread for _, spread in found])

    def _moments(self, function: int, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        weight, open_ = self.reach(function, inputs)
        mean = self.values["centre"][function] + weight @ self.mean[function]
        return mean, open_ + np.square(weight @ self.root[function]).sum(axis=1)


def alike(left: FloatArray, right: FloatArray) -> FloatArray:
    """The squared-exponential kernel with unit length and scale."""
    return np.exp(-0.5 * square_distances(left, right))


def _within(points: FloatArray) -> FloatArray:
    """The kernel by differences: for points that lie close it is positive only to its last bits."""
    return np.exp(-0.5 * np.square(points[:, None] - points).sum(axis=2))


def square_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Squared Euclidean distances, (left, right)."""
    total = np.square(left).sum(axis=1)[:, None] + np.square(right).sum(axis=1)
    return np.maximum(total - 2 * left @ right.T, 0)


def pseudo_counts(latents: FloatArray, form: str) -> tuple[FloatArray, FloatArray]:
    """Link function: accuracy and scale of the Beta that latents stand for; free leading axes.

    A Bernoulli's accuracy is known for certain where its latent is: its scale is infinite.
    """
    if form == "bernoulli":
        return expit(latents[0]), np.full(np.shape(latents[0]), np.inf)
    positive = np.maximum(np.logaddexp(0, latents[1]), LEAST)
    if form == "mean-scale":
        return expit(latents[0]), positive
    hits = np.maximum(np.logaddexp(0, latents[0]), LEAST)
    return hits / (hits + positive), hits + positive


def rate_moments(
    mean: FloatArray, spread: FloatArray, form: str, hits: FloatArray, trials: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each arm's accuracy: (functions, arms) in, (arms,) out.

    The variance has two parts: that of the Beta, averaged over the latents, and that of the Beta's
    mean as the latents vary. ``hits`` of ``trials`` update the Beta where it stands for how arms
    differ; they are zero where it already stands for what is believed.
    """
    if form != "mean-scale":
        return _moments(mean, spread, form, hits, trials)
    # Without labels the two latents part: most of a million arms need no square of nodes.
    centre, variance = _apart(mean, spread)
    own = np.flatnonzero(trials > 0)
    centre[own], variance[own] = _moments(
        mean[:, own], spread[:, own], form, hits[own], trials[own]
    )
    return centre, variance


def _apart(mean: FloatArray, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
    """E[mu], and E[mu (1 - mu)] E[1 / (psi + 1)] + Var(mu)."""
    nodes, weights = normal_nodes(NODES)
    at = mean[..., None] + np.sqrt(spread)[..., None] * nodes
    accuracy, scale = pseudo_counts(at, "mean-scale")
    centre = accuracy @ weights
    within = ((accuracy * (1 - accuracy)) @ weights) * ((1 / (scale + 1)) @ weights)
    return centre, within + np.square(accuracy - centre[:, None]) @ weights


def _moments(
    mean: FloatArray, spread: FloatArray, form: str, hits: FloatArray, trials: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same by a square of nodes."""
    nodes, weights = normal_nodes(NODES)
    at = mean[..., None] + np.sqrt(spread)[..., None] * nodes
    if form == "bernoulli":
        accuracy = expit(at[0])
        centre = accuracy @ weights
        return centre, np.square(accuracy - centre[:, None]) @ weights
    grid = (at[0][:, :, None], at[1][:, None, :])
    accuracy, scale = pseudo_counts(grid, form)  # type: ignore[arg-type]
    total = scale + trials[:, None, None]
    rate = (accuracy * scale + hits[:, None, None]) / total
    centre = (rate @ weights) @ weights
    within = ((rate * (1 - rate) / (total + 1)) @ weights) @ weights
    return centre, within + (np.square(rate - centre[:, None, None]) @ weights) @ weights
