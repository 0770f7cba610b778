"""The simple setting of the paper's appendix D: ten arms in a line, few labels at both ends."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.random import default_rng
from torch import Tensor
from torch.nn.functional import softplus

from spotheight.numerics.deep.kernel import Kernel
from spotheight.numerics.deep.learn import Ascent, learned
from spotheight.numerics.deep.terms import Supervision, Terms
from spotheight.numerics.latent import Latents
from spotheight.numerics.pooling import pooled
from spotheight.numerics.quadrature import normal_nodes
from spotheight.types import FloatArray, IntArray

ACCURACY = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.6, 0.4, 0.3, 0.2])
LABELS = np.array([1.0, 1, 1, 20, 20, 20, 20, 1, 1, 1])
LINE = np.arange(10.0)[:, None]

KINDS = ("betagp", "betagp-sl", "betagp-slp")

SEEDS = 20
STEPS, RATE = 200, 0.1
NUMBER = 86
"""What the KL divergence is divided by: all labels. The likelihood is divided by the ten arms."""

STRETCH, SHIFT = 6.0, -3.0
"""The accuracy is the logistic of 6f - 3, as in the public code."""

JITTER = 1e-4
NODES = 20


def counts(kind: str, seeds: IntArray) -> tuple[FloatArray, FloatArray]:
    """Hits and trials of every seed, (seeds, arms), pooled alike where the kind says so."""
    hits = np.array([default_rng(seed).binomial(LABELS.astype(int), ACCURACY) for seed in seeds])
    rows = [(row.astype(float), LABELS) for row in hits]
    if kind == "betagp-slp":
        rows = [pooled(LINE, *row, is_weighted=False) for row in rows]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def table(rates: FloatArray, scales: FloatArray, lengths: FloatArray) -> dict[str, object]:
    """What Tables 8 and 9 show, from a row per seed."""
    bias = float(((rates.mean(axis=0) - ACCURACY) ** 2).sum())
    variance = float(rates.var(axis=0, ddof=1).sum())
    return {
        "seeds": len(rates),
        "scales": scales.mean(axis=0).tolist(),
        "scale_errors": (scales.std(axis=0, ddof=1) / np.sqrt(len(scales))).tolist(),
        "bias": bias,
        "variance": variance,
        "sum": bias + variance,
        "length": float(lengths.mean()),
    }


def by_adam(kind: str, seeds: IntArray) -> dict[str, object]:
    """As published: 200 steps of Adam from the usual start, all seeds in one array."""
    hits, trials = (torch.tensor(part)[..., None] for part in counts(kind, seeds))
    state = _State(len(seeds))
    adam = torch.optim.Adam(state.parameters(), lr=RATE)
    for _ in range(STEPS):
        adam.zero_grad()
        accuracy, scale = state.nodes()
        each = _log_likelihood(accuracy, scale, hits, trials)
        if kind != "betagp":
            label = torch.tensor(LABELS)[:, None].clamp(0.01, 10)
            each = each + (scale - 1) * label.log() - label - torch.lgamma(scale)
        gain = (each @ state.weights).sum(1) / len(LABELS)
        loss = (state.divergence() + 0.5 * state.centre.square().sum(1)) / NUMBER - gain
        torch.autograd.backward(loss.sum())
        adam.step()
    with torch.no_grad():
        accuracy, scale = (each @ state.weights for each in state.nodes())
    return table(accuracy.numpy(), scale.numpy(), softplus(state.length).detach().numpy()[:, 0])


def _log_likelihood(accuracy: Tensor, scale: Tensor, hits: Tensor, trials: Tensor) -> Tensor:
    alpha, beta, misses = accuracy * scale, (1 - accuracy) * scale, trials - hits
    return (
        torch.lgamma(alpha + hits) - torch.lgamma(alpha)
        + torch.lgamma(beta + misses) - torch.lgamma(beta)
        + torch.lgamma(scale) - torch.lgamma(scale + trials)
    )  # fmt: skip


class _State:
    """The numbers of two processes with inducing points at the arms, a row for each seed."""

    def __init__(self, seeds: int) -> None:
        def zeros(*shape: int) -> Tensor:
            return torch.zeros(seeds, 2, *shape, dtype=torch.float64, requires_grad=True)

        one = torch.eye(len(LABELS), dtype=torch.float64)
        self.length, self.scale, self.centre, self.mean = zeros(), zeros(), zeros(), zeros(10)
        self.root = one.expand(seeds, 2, 10, 10).clone().requires_grad_()
        self.at, self.weights = (torch.tensor(part) for part in normal_nodes(NODES))
        self.square = torch.tensor((LINE - LINE.T) ** 2)
        self.ridge = JITTER * one

    def parameters(self) -> list[Tensor]:
        """All that Adam moves."""
        return [self.length, self.scale, self.centre, self.mean, self.root]

    def nodes(self) -> tuple[Tensor, Tensor]:
        """Accuracy and scale at the nodes of each arm; one node serves both, as published."""
        length, scale = softplus(self.length)[..., None, None], softplus(self.scale)
        kernel = scale[..., None, None] * torch.exp(-0.5 * self.square / length**2)
        factor = torch.linalg.cholesky(kernel + self.ridge)
        weight = torch.linalg.solve_triangular(factor, kernel, upper=False).mT
        mean = self.centre[..., None] + (weight @ self.mean[..., None])[..., 0]
        rest = (scale[..., None] + JITTER - weight.square().sum(-1)).clamp(min=0)
        spread = (rest + (weight @ self.root.tril()).square().sum(-1)).clamp(min=1e-12).sqrt()
        at = mean[..., None] + spread[..., None] * self.at
        accuracy = torch.sigmoid(STRETCH * at[:, 0] + SHIFT).clamp(1e-5, 1 - 1e-5)
        return accuracy, softplus(at[:, 1]).clamp(min=1e-3)

    def divergence(self) -> Tensor:
        """KL of each seed."""
        root = self.root.tril()
        log_det = root.diagonal(dim1=-2, dim2=-1).abs().log().sum((1, 2))
        squares = self.mean.square().sum((1, 2)) + root.square().sum((1, 2, 3))
        return 0.5 * (squares - 2 * len(LABELS)) - log_det


def by_ascent(kind: str, seeds: IntArray) -> dict[str, object]:
    """The same objective by our optimiser, to its top."""
    found = [_ascended(kind, *row) for row in zip(*counts(kind, seeds), strict=True)]
    rates, scales, lengths = (np.array(part) for part in zip(*found, strict=True))
    return table(rates, scales, lengths)


def _ascended(
    kind: str, hits: FloatArray, trials: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Rates, scales and the length of one seed.

    With f' = 6f - 3 as the latent, its prior is stretched and shifted in the place of the link.
    """
    supervision: Supervision = "none" if kind == "betagp" else "gamma"
    labels, line = torch.tensor(LABELS), torch.tensor(LINE)
    terms = Terms(
        torch.tensor(hits), torch.tensor(trials), labels, "mean-scale", supervision,
        NODES, NUMBER / len(LABELS),
    )  # fmt: skip
    begin = np.log(np.log(2))
    first = {
        "length": np.full((2, 1), begin),
        "scale": np.array([begin + 2 * np.log(STRETCH), begin]),
        "centre": np.array([SHIFT, 0.0]),
    }
    centre, spread = np.array([SHIFT, 0.0]), np.array([STRETCH, 1.0])
    kernel = Kernel(line, torch.zeros(1, dtype=torch.int64), points=line)
    values, best = learned(Ascent(terms, kernel, first, {"centre": (centre, spread)}), 200, 1e-9)
    group = np.zeros(1, dtype=np.int64)
    latents = Latents(values, LINE, group, best.q.mean.numpy(), best.q.root.numpy())
    return (*_read(latents), float(np.exp(values["length"][0, 0])))


def _read(latents: Latents) -> tuple[FloatArray, FloatArray]:
    nodes, weights = normal_nodes(NODES)
    mean, spread = latents.moments(LINE)
    at = mean[..., None] + np.sqrt(spread)[..., None] * nodes
    return (1 / (1 + np.exp(-at[0]))) @ weights, np.logaddexp(0, at[1]) @ weights


def simple(
    kind: str, optimiser: str, first_seed: int = 0, seeds: int = SEEDS
) -> Mapping[str, object]:
    """One line of the tables."""
    torch.set_num_threads(1)
    run = by_adam if optimiser == "adam" else by_ascent
    return run(kind, np.arange(first_seed, first_seed + seeds))
