"""Squared-exponential kernels over an embedding: how alike arms are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from spotheight.numerics.deep.latent import JITTER
from spotheight.numerics.deep.natural import Projection
from spotheight.types import FloatArray

Values = Mapping[str, Tensor]


@dataclass(frozen=True, eq=False)
class Kernel:
    """Shapes of all that is learned of a kernel, and how it reaches from points to arms.

    Args:
        inputs: (arms in the likelihood, columns).
        group: The length that each column of the embedding has; a column of its own by default.
        layers: Widths of the embedding's layers, rectified between; none for no embedding.
        points: Inputs of the inducing points; where there are none, points move on their own, in
            the embedding, as one of the kernel's numbers.
        jitter: Added to the variance of inducing values, in units of the kernel's.
    """

    inputs: Tensor
    group: Tensor
    layers: tuple[int, ...] = ()
    points: Tensor | None = None
    jitter: float = JITTER

    def embedded(self, values: Values, inputs: Tensor) -> Tensor:
        """Where inputs lie when distances are taken."""
        for number in range(len(self.layers)):
            inputs = inputs @ values[f"layer{number}"]
            if number + 1 < len(self.layers):
                inputs = torch.relu(inputs + values[f"bias{number}"])
        return inputs

    def over(self, values: Values) -> "Kernel":
        """The kernel over the embedding with these numbers, which are no longer learned."""
        points = None if self.points is None else self.embedded(values, self.points)
        return replace(self, inputs=self.embedded(values, self.inputs), layers=(), points=points)

    def reach(self, values: Values, inputs: Tensor | None = None) -> Projection:
        """From whitened inducing values to the latents of the arms."""
        at = self.embedded(values, self.inputs if inputs is None else inputs)
        z = values["points"] if self.points is None else self.embedded(values, self.points)
        length, scale = values["length"].exp()[:, self.group], values["scale"].exp()
        at, z = at / length[:, None, :], z / length[:, None, :]
        # By differences: a kernel of points that lie close is positive only to its last bits.
        within = _shaped((z[..., :, None, :] - z[..., None, :, :]).square().sum(-1), scale)
        ridge = self.jitter * scale[:, None, None]
        within = within + ridge * torch.eye(z.shape[-2], dtype=z.dtype, device=z.device)
        root = torch.linalg.cholesky(within)
        weight = torch.linalg.solve_triangular(root, _alike(z, at, scale), upper=False).mT
        noise = (scale[:, None] - weight.square().sum(-1)).clamp(min=1e-9)
        return Projection(weight, noise, values["centre"][:, None])


def _alike(left: Tensor, right: Tensor, scale: Tensor) -> Tensor:
    total = left.square().sum(-1)[..., :, None] + right.square().sum(-1)[..., None, :]
    return _shaped((total - 2 * left @ right.mT).clamp(min=0), scale)


def _shaped(square: Tensor, scale: Tensor) -> Tensor:
    return scale[:, None, None] * torch.exp(-0.5 * square)


def packed(values: Mapping[str, FloatArray]) -> FloatArray:
    """Arrays by name flattened into one vector, as an optimiser wants them."""
    return np.concatenate([np.ravel(value) for value in values.values()])


def unpacked(flat: FloatArray, like: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """One vector back to arrays by name."""
    found, place = {}, 0
    for name, value in like.items():
        found[name] = flat[place : place + value.size].reshape(value.shape)
        place += value.size
    return found
