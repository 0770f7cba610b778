"""Expected log likelihood of an arm's counts in its two latent values, and its slopes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from spotheight.numerics.deep.latent import LEAST
from spotheight.numerics.deep.rises import Rise
from spotheight.numerics.distributions.quadrature import normal_nodes

Form = Literal["bernoulli", "mean-scale", "alpha-beta"]
Supervision = Literal["none", "dirichlet", "gamma"]

EDGE = 1e-5
"""An accuracy nearer to 0 or 1 than this is not told apart from this."""

FEWEST, MOST = 0.01, 10.0
"""Between these the gamma form takes counts, as published."""


@dataclass(frozen=True)
class Slopes:
    """A value per arm, and its slopes in mean and variance of both latents, (2, arms) each."""

    value: Tensor
    mean: Tensor
    variance: Tensor

    def __add__(self, other: "Slopes") -> "Slopes":
        return Slopes(
            self.value + other.value, self.mean + other.mean, self.variance + other.variance
        )


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Everything in the objective but the KL divergence.

    Args:
        hits: Hits of each arm in the likelihood, pseudo-counts and pooling included.
        trials: Trials likewise.
        labels: Labels of each arm, which its scale is held against.
        form: What the two latents are the parameters of.
        supervision: Of the scale, by how often arms were labelled.
        nodes: Of the quadrature, for each latent.
        weight: Of all this against the KL divergence.
    """

    hits: Tensor
    trials: Tensor
    labels: Tensor
    form: Form = "mean-scale"
    supervision: Supervision = "none"
    nodes: int = 12
    weight: float = 1.0

    @property
    def latents(self) -> int:
        """How many latent values an arm has."""
        return 1 if self.form == "bernoulli" else 2

    @cached_property
    def _grid(self) -> tuple[Tensor, Tensor]:
        """Nodes and weights of one standard normal."""
        nodes, weights = normal_nodes(self.nodes)
        return self.hits.new_tensor(nodes), self.hits.new_tensor(weights)

    def slopes(self, mean: Tensor, variance: Tensor) -> Slopes:
        """Of the expected objective where latents are normal and independent, (latents, arms)."""
        found = self._likelihood(mean, variance)
        if self.supervision != "none":
            found = found + self._scale_term(mean, variance)
        w = self.weight
        return Slopes(w * found.value, w * found.mean, w * found.variance)

    def _likelihood(self, mean: Tensor, variance: Tensor) -> Slopes:
        z, w = self._grid
        spread = variance.sqrt()
        at = mean[..., None] + spread[..., None] * z
        if self.form == "bernoulli":
            value, slope = bernoulli(at[0], self.hits[:, None], self.trials[:, None])
            return Slopes(value @ w, (slope @ w)[None], ((slope * z) @ w)[None] / (2 * spread))
        one, two = at[0][:, :, None], at[1][:, None, :]
        compute = mean_scale if self.form == "mean-scale" else alpha_beta
        value, slope_one, slope_two = compute(one, two, self._rises)
        by_one, by_two = slope_one @ w, torch.einsum("aij,i->aj", slope_two, w)
        return Slopes(
            (value @ w) @ w,
            torch.stack([by_one @ w, by_two @ w]),
            torch.stack([(by_one * z) @ w, (by_two * z) @ w]) / (2 * spread),
        )

    @cached_property
    def _rises(self) -> tuple[Rise, Rise, Rise]:
        return Rise(self.hits), Rise(self.trials - self.hits), Rise(self.trials)

    def _scale_term(self, mean: Tensor, variance: Tensor) -> Slopes:
        """How well scales go with the labels: a gamma for each arm, or one Dirichlet for all.

        The Dirichlet's lgamma of the sum stands once, at the expected sum: no more than its own
        expectation, as lgamma is convex, so the objective stays a lower bound.
        """
        z, w = self._grid
        spread = variance[1].sqrt()
        at = mean[1][:, None] + spread[:, None] * z
        scale, rise = _positive(at)
        share = self._log_share[:, None]
        value = (scale - 1) * share - torch.lgamma(scale)
        slope = (share - torch.digamma(scale)) * rise
        total = value @ w - self._constant
        if self.supervision == "dirichlet":
            expected = (scale @ w).sum()
            total = total + torch.lgamma(expected) / len(total)
            slope = slope + torch.digamma(expected) * rise
        nothing = torch.zeros_like(total)
        return Slopes(
            total,
            torch.stack([nothing, slope @ w]),
            torch.stack([nothing, (slope * z) @ w / (2 * spread)]),
        )

    @cached_property
    def _log_share(self) -> Tensor:
        if self.supervision == "gamma":
            return self.labels.clamp(FEWEST, MOST).log()
        return (self.labels / self.labels.sum()).log()

    @cached_property
    def _constant(self) -> Tensor:
        """Of the gamma density with rate one."""
        if self.supervision == "gamma":
            return self.labels.clamp(FEWEST, MOST)
        return torch.zeros_like(self.labels)


def bernoulli(f: Tensor, hits: Tensor, trials: Tensor) -> tuple[Tensor, Tensor]:
    """Log-likelihood of counts whose accuracy is the logistic of ``f``, and its slope."""
    log_hit, log_miss = -torch.nn.functional.softplus(-f), -torch.nn.functional.softplus(f)
    return hits * log_hit + (trials - hits) * log_miss, hits - trials * torch.sigmoid(f)


def mean_scale(
    f: Tensor, g: Tensor, rises: tuple[Rise, Rise, Rise]
) -> tuple[Tensor, Tensor, Tensor]:
    """Beta-binomial log-likelihood with mean sigmoid(f) and scale softplus(g), and its slopes."""
    accuracy = torch.sigmoid(f).clamp(EDGE, 1 - EDGE)
    scale, rise = _positive(g)
    value, by_alpha, by_beta = beta_binomial(accuracy * scale, (1 - accuracy) * scale, scale, rises)
    slope_f = (by_alpha - by_beta) * scale * accuracy * (1 - accuracy)
    slope_g = (accuracy * by_alpha + (1 - accuracy) * by_beta) * rise
    return value, slope_f, slope_g


def alpha_beta(
    f: Tensor, g: Tensor, rises: tuple[Rise, Rise, Rise]
) -> tuple[Tensor, Tensor, Tensor]:
    """The same with pseudo-counts softplus(f) of hits and softplus(g) of misses."""
    (alpha, rise_alpha), (beta, rise_beta) = _positive(f), _positive(g)
    value, by_alpha, by_beta = beta_binomial(alpha, beta, alpha + beta, rises)
    return value, by_alpha * rise_alpha, by_beta * rise_beta


def beta_binomial(
    alpha: Tensor, beta: Tensor, total: Tensor, rises: tuple[Rise, Rise, Rise]
) -> tuple[Tensor, Tensor, Tensor]:
    """Log-likelihood of labels in a given order, and its slopes in alpha and beta.

    ``total`` is alpha plus beta, handed over because it may have fewer axes, as may they; ``rises``
    are those of hits, misses and trials.
    """
    pairs = [rise(at) for rise, at in zip(rises, (alpha, beta, total), strict=True)]
    (hits, by_hits), (misses, by_misses), (trials, by_trials) = pairs
    return hits + misses - trials, by_hits - by_trials, by_misses - by_trials


def _positive(latent: Tensor) -> tuple[Tensor, Tensor]:
    """Softplus, kept off 0, and its slope."""
    return torch.nn.functional.softplus(latent).clamp(min=LEAST), torch.sigmoid(latent)
