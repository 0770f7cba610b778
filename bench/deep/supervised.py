"""BetaGP-SL with a deep kernel as a user of GPyTorch would write it."""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import softplus

from bench.deep.peer import WIDTH, Peer, Processes
from spotheight.numerics.deep.likelihood import FEWEST, MOST
from spotheight.types import FloatArray

HIDDEN = 64

STEPS = 1000
"""In each of two phases, as published."""


@dataclass(eq=False)
class SupervisedPeer(Peer):
    """A network (linear, rectified, linear), two processes, and scales held against labels."""

    def __post_init__(self) -> None:
        super().__post_init__()
        widths = (self.inputs.shape[1], HIDDEN, WIDTH)
        first, last = (torch.nn.Linear(*pair) for pair in pairwise(widths))
        self.embedding = torch.nn.Sequential(first, torch.nn.ReLU(), last)
        chosen = torch.randperm(len(self.inputs))[: self.points]
        begin = self.embedding(self.inputs[chosen]).detach()
        self.processes = Processes(begin.expand(2, *begin.shape).clone())

    def loss(self, embedded: Tensor) -> Tensor:
        """The likelihood, less a gamma log-density of each arm's scale."""
        q = self.processes(embedded)
        at = q.mean[1][:, None] + q.stddev[1][:, None] * self.nodes
        scale, label = softplus(at).clamp(min=1e-3), self.trials.clamp(FEWEST, MOST)
        term = (scale - 1) * label.log() - label - torch.lgamma(scale)
        return super().loss(embedded) - (term @ self.weights).mean()

    def fit(self, steps: int = STEPS) -> None:
        super().fit(steps)

    def rates(self, columns: FloatArray) -> FloatArray:
        """Expected accuracies of any arms."""
        self.processes.eval()
        with torch.no_grad():
            q = self.processes(self.embedding(torch.tensor(columns, dtype=torch.float32)))
            at = q.mean[0][:, None] + q.stddev[0][:, None] * self.nodes
            return (torch.sigmoid(at) @ self.weights).double().numpy()
