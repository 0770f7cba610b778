"""What a user of GPyTorch would write: the published objective and nothing else, fitted by Adam."""

from dataclasses import dataclass
from typing import Any

import gpytorch
import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.means import ConstantMean
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from torch import Tensor
from torch.nn.functional import softplus

from bench.deep.worlds import World
from spotheight.numerics.deep.natural import Normal
from spotheight.numerics.distributions.quadrature import normal_nodes
from spotheight.types import FloatArray

BOTH = torch.Size([2])
NODES = 20
RATE = 1e-2
WIDTH = 20
"""Nodes, learning rate and width of the embedding, as published."""


class Processes(gpytorch.models.ApproximateGP):  # type: ignore[misc]
    """A batch of two whitened processes with learned inducing points."""

    def __init__(self, points: Tensor) -> None:
        q = CholeskyVariationalDistribution(points.shape[-2], batch_shape=BOTH)
        super().__init__(VariationalStrategy(self, points, q, learn_inducing_locations=True))
        self.mean_module = ConstantMean(batch_shape=BOTH)
        rbf = RBFKernel(ard_num_dims=points.shape[-1], batch_shape=BOTH)
        self.covar_module = ScaleKernel(rbf, batch_shape=BOTH)

    def forward(self, inputs: Tensor) -> MultivariateNormal:
        """The prior at some inputs."""
        return MultivariateNormal(self.mean_module(inputs), self.covar_module(inputs))


@dataclass(eq=False)
class Peer:
    """The model of a world: a linear embedding, two processes, counts.

    Args:
        world: Arms and counts.
        seed: Of the embedding and of the arms that points begin at.
        points: How many inducing points there are.
    """

    world: World
    seed: int = 0
    points: int = 50

    def __post_init__(self) -> None:
        torch.manual_seed(self.seed)
        self.inputs = torch.tensor(self.world.inputs, dtype=torch.float32)
        self.hits = torch.tensor(self.world.hits, dtype=torch.float32)[:, None]
        self.trials = torch.tensor(self.world.trials, dtype=torch.float32)[:, None]
        self.embedding: Any = torch.nn.Linear(self.inputs.shape[1], WIDTH, bias=False)
        chosen = torch.randperm(len(self.inputs))[: self.points]
        begin = self.embedding(self.inputs[chosen]).detach()
        self.processes = Processes(begin.expand(2, *begin.shape).clone())
        nodes, weights = normal_nodes(NODES)
        self.nodes = torch.tensor(nodes, dtype=torch.float32)
        self.weights = torch.tensor(weights, dtype=torch.float32)

    def loss(self, embedded: Tensor) -> Tensor:
        """Eq. (9) and (15) for each arm; one node serves both latents, as published."""
        q = self.processes(embedded)
        at = q.mean[..., None] + q.stddev[..., None] * self.nodes
        accuracy = torch.sigmoid(at[0]).clamp(1e-5, 1 - 1e-5)
        scale = softplus(at[1]).clamp(min=1e-3)
        each = beta_binomial(accuracy, scale, self.hits, self.trials)
        divergence = self.processes.variational_strategy.kl_divergence().sum()
        return (divergence - (each @ self.weights).sum()) / len(self.hits)

    def fit(self, steps: int) -> None:
        """So many steps for everything, and as many for the processes alone."""
        self.processes.train()
        everything = [*self.embedding.parameters(), *self.processes.parameters()]
        self._steps(steps, everything, is_fixed=False)
        self._steps(steps, list(self.processes.parameters()), is_fixed=True)

    def _steps(self, steps: int, parameters: list[Any], *, is_fixed: bool) -> None:
        adam = torch.optim.Adam(parameters, lr=RATE)
        for _ in range(steps):
            adam.zero_grad()
            embedded = self.embedding(self.inputs)
            torch.autograd.backward(self.loss(embedded.detach() if is_fixed else embedded))
            adam.step()

    def values(self) -> dict[str, FloatArray]:
        """The numbers of its kernel under our names."""
        kernel = self.processes.covar_module
        found = {
            "length": kernel.base_kernel.lengthscale[:, 0].log(),
            "scale": kernel.outputscale.log(),
            "centre": self.processes.mean_module.constant,
            "layer0": self.embedding.weight.T,
            "points": self.processes.variational_strategy.inducing_points,
        }
        return {name: value.detach().double().numpy() for name, value in found.items()}

    def belief(self) -> Normal:
        """Its belief about whitened inducing values."""
        q = self.processes.variational_strategy.variational_distribution
        root = torch.linalg.cholesky(q.covariance_matrix.detach().double())
        return Normal(q.mean.detach().double(), root)


def beta_binomial(accuracy: Tensor, scale: Tensor, hits: Tensor, trials: Tensor) -> Tensor:
    """Log-likelihood of labels in a given order."""
    alpha, beta, misses = accuracy * scale, (1 - accuracy) * scale, trials - hits
    return (
        torch.lgamma(alpha + hits) - torch.lgamma(alpha)
        + torch.lgamma(beta + misses) - torch.lgamma(beta)
        + torch.lgamma(scale) - torch.lgamma(scale + trials)
    )  # fmt: skip
