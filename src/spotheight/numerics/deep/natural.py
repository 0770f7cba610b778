"""Natural-gradient variational inference: the best normal belief about inducing values."""

from dataclasses import dataclass

import torch
from torch import Tensor

from spotheight.numerics.deep.likelihood import Likelihood, Slopes

MOST_STEPS = 100

SMALLEST = 2.0**-12
"""A step that must be shorter than this leads nowhere."""


@dataclass(frozen=True)
class Projection:
    """How latents follow from whitened inducing values: latent = centre + weight @ value + noise.

    Args:
        weight: (latents, arms, points).
        noise: Variance that the inducing values leave open, (latents, arms).
        centre: Prior mean, (latents, 1).
    """

    weight: Tensor
    noise: Tensor
    centre: Tensor

    def moments(self, q: "Normal") -> tuple[Tensor, Tensor]:
        """Mean and variance of each latent of each arm."""
        mean = self.centre + (self.weight @ q.mean[..., None])[..., 0]
        variance = self.noise + (self.weight @ q.root).square().sum(-1)
        return mean, variance


@dataclass(frozen=True)
class Normal:
    """A normal per latent: its mean, (latents, points), and a triangular root of its covariance."""

    mean: Tensor
    root: Tensor

    @property
    def divergence(self) -> Tensor:
        """KL from the standard normal, summed over latents."""
        points = self.mean.shape[-1]
        log_det = self.root.diagonal(dim1=-2, dim2=-1).abs().log().sum()
        return 0.5 * (
            self.mean.square().sum() + self.root.square().sum()
            - points * len(self.mean) - 2 * log_det
        )  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A belief, its objective, and the slopes there."""

    q: Normal
    value: float
    slopes: Slopes


def standard(reach: Projection) -> Normal:
    """The prior, a standard normal for every latent."""
    latents, _, points = reach.weight.shape
    one = torch.eye(points, dtype=reach.weight.dtype, device=reach.weight.device)
    return Normal(one.new_zeros(latents, points), one.expand(latents, points, points).clone())


def best_normal(likelihood: Likelihood, reach: Projection, start: Normal, enough: float) -> Found:
    """Natural-gradient ascent until a step adds less than ``enough``; never downwards.

    A full step is what a conjugate likelihood with the same slopes would give; where that
    overshoots, the natural parameters go part of the way (Khan & Lin 2017).
    """
    found, natural, size = judged(likelihood, reach, start), _natural(start), 1.0
    for _ in range(MOST_STEPS):
        target = _conjugate(found, reach)
        better = None
        while better is None and size >= SMALLEST:
            there = [a + size * (b - a) for a, b in zip(natural, target, strict=True)]
            better = _climbed(likelihood, reach, _normal(*there), found.value)
            size = size if better else size / 2
        if better is None:
            break
        gain, found, natural = better.value - found.value, better, (there[0], there[1])
        if gain < enough * size:
            break
        size = min(1.0, 2 * size)
    return found


def _climbed(
    likelihood: Likelihood, reach: Projection, q: Normal | None, floor: float
) -> Found | None:
    """A belief with its objective, if there is one and it does not fall."""
    found = None if q is None else judged(likelihood, reach, q)
    return found if found is not None and found.value >= floor - 1e-9 else None


def judged(likelihood: Likelihood, reach: Projection, q: Normal) -> Found:
    """A belief with its evidence lower bound."""
    slopes = likelihood.slopes(*reach.moments(q))
    return Found(q, float(slopes.value.sum() - q.divergence), slopes)


def _natural(q: Normal) -> tuple[Tensor, Tensor]:
    precision = torch.cholesky_inverse(torch.linalg.cholesky(q.root @ q.root.mT))
    return precision, (precision @ q.mean[..., None])[..., 0]


def _conjugate(found: Found, reach: Projection) -> tuple[Tensor, Tensor]:
    """Natural parameters of the belief whose likelihood has these slopes."""
    weight, pull = reach.weight, -2 * found.slopes.variance
    one = torch.eye(weight.shape[-1], dtype=weight.dtype, device=weight.device)
    precision = one + weight.mT @ (pull[..., None] * weight)
    latent = (weight @ found.q.mean[..., None])[..., 0]
    drive = found.slopes.mean + pull * latent
    return precision, (weight.mT @ drive[..., None])[..., 0]


def _normal(precision: Tensor, linear: Tensor) -> Normal | None:
    """From natural parameters; none where the precision is not positive."""
    factor, info = torch.linalg.cholesky_ex(precision)
    if bool((info > 0).any()):
        return None
    one = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    root = torch.linalg.solve_triangular(factor, one.expand_as(factor), upper=False).mT
    return Normal((root @ (root.mT @ linear[..., None]))[..., 0], root)
