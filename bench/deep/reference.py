"""The simple setting as the public code fits it: GPyTorch, and 200 steps of Adam from its start."""

import gpytorch
import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.means import ConstantMean
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from torch import Tensor
from torch.nn.functional import softplus

from bench.deep.peer import beta_binomial
from bench.deep.simple import LABELS, LINE, NODES, NUMBER, SHIFT, STRETCH, counts, table
from bench.published import RATE, STEPS
from spotheight.numerics.distributions.quadrature import normal_nodes
from spotheight.types import FloatArray, IntArray

FEWEST, MOST = 0.01, 10.0
"""Between these the gamma form takes counts."""


class Processes(gpytorch.models.ApproximateGP):  # type: ignore[misc]
    """Two whitened processes for every seed, inducing points fixed at the arms."""

    def __init__(self, seeds: int) -> None:
        batch, points = torch.Size([seeds, 2]), torch.tensor(LINE, dtype=torch.float32)
        q = CholeskyVariationalDistribution(len(points), batch_shape=batch, mean_init_std=0.0)
        super().__init__(VariationalStrategy(self, points, q, learn_inducing_locations=False))
        self.mean_module = ConstantMean(batch_shape=batch)
        self.covar_module = ScaleKernel(RBFKernel(batch_shape=batch), batch_shape=batch)

    def forward(self, inputs: Tensor) -> MultivariateNormal:
        """The prior at some inputs."""
        return MultivariateNormal(self.mean_module(inputs), self.covar_module(inputs))


def by_adam(kind: str, seeds: IntArray) -> dict[str, object]:
    """What Tables 8 and 9 show, after the published number of steps."""
    return table(*stepped(kind, *counts(kind, seeds)))


def stepped(
    kind: str, all_hits: FloatArray, all_trials: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rates, scales and lengths after these steps, all seeds in one array."""
    hits, trials = (torch.tensor(part).float()[..., None] for part in (all_hits, all_trials))
    model, line = Processes(len(hits)).train(), torch.tensor(LINE).float()
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    nodes, weights = (torch.tensor(part).float() for part in normal_nodes(NODES))
    for _ in range(STEPS):
        adam.zero_grad()
        q = model(line)
        at = q.mean[..., None] + q.stddev[..., None] * nodes
        each = _gain(at[:, 0], at[:, 1], hits, trials, is_supervised=kind != "betagp")
        divergence = model.variational_strategy.kl_divergence().sum()
        prior = 0.5 * model.mean_module.constant.square().sum()
        loss = (divergence + prior) / NUMBER - (each @ weights).sum() / len(LABELS)
        torch.autograd.backward(loss)
        adam.step()
    with torch.no_grad():
        q = model(line)
        at = q.mean[:, 0, :, None] + q.stddev[:, 0, :, None] * nodes
        rates, scales = torch.sigmoid(STRETCH * at + SHIFT) @ weights, softplus(q.mean[:, 1])
        lengths = model.covar_module.base_kernel.lengthscale[:, 0, 0, 0]
    return rates.double().numpy(), scales.double().numpy(), lengths.double().numpy()


def _gain(f: Tensor, g: Tensor, hits: Tensor, trials: Tensor, *, is_supervised: bool) -> Tensor:
    """Log-likelihood at the nodes of each arm, and the scale term; one node serves both latents."""
    accuracy, scale = torch.sigmoid(STRETCH * f + SHIFT), softplus(g).clamp(min=1e-3)
    each = beta_binomial(accuracy.clamp(1e-5, 1 - 1e-5), scale, hits, trials)
    if not is_supervised:
        return each
    label = torch.tensor(LABELS).float()[:, None].clamp(FEWEST, MOST)
    return each + (scale - 1) * label.log() - label - torch.lgamma(scale)
