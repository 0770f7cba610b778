"""Variational fit of belief and kernel together: the evidence lower bound, as high as it gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor

from spotheight.numerics.deep.kernel import Kernel, packed, unpacked
from spotheight.numerics.deep.likelihood import Likelihood
from spotheight.numerics.deep.natural import Found, best_normal, standard
from spotheight.types import FloatArray

MEMORY = 20
"""Steps that the curvature is learned from."""

POLISH = 1e-7
"""In the end the belief climbs until a step adds less than this."""

BOUNDS = {"length": (-4.0, 6.0), "scale": (-7.0, 7.0)}
"""Logarithms beyond which a kernel is constant, white or as good as certain."""

NET = ("layer", "bias")
"""How the names of an embedding's numbers begin."""

_FREE = (-np.inf, np.inf)


@dataclass(eq=False)
class Ascent:
    """Objective and gradient in the kernel's numbers; at each, the belief climbs to its best.

    The slope in the kernel's numbers is that with the belief held fixed: at its best, a small move
    of the belief changes nothing (the envelope theorem). The divergence does not depend on the
    kernel, because inducing values are whitened.

    Args:
        first: Its numbers to begin with.
        prior: Mean and deviation of each number where it has a prior.
        enough: A step of the belief that adds less is the last.
    """

    likelihood: Likelihood
    kernel: Kernel
    first: Mapping[str, FloatArray]
    prior: Mapping[str, tuple[FloatArray, FloatArray | float]] = field(default_factory=dict)
    enough: float = 1e-3
    found: Found | None = None
    evaluations: int = 0

    def tensors(self, flat: FloatArray) -> dict[str, Tensor]:
        """The kernel's numbers for torch."""
        new = self.kernel.inputs.new_tensor
        return {name: new(value) for name, value in unpacked(flat, self.first).items()}

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """What is minimised, and its slope."""
        self.evaluations += 1
        values = {name: v.requires_grad_() for name, v in self.tensors(flat).items()}
        reach = self.kernel.reach(values)
        with torch.no_grad():
            start = standard(reach) if self.found is None else self.found.q
            found = best_normal(self.likelihood, reach, start, self.enough)
        self.found = found
        mean, variance = reach.moments(found.q)
        aim = (found.slopes.mean * mean).sum() + (found.slopes.variance * variance).sum()
        bonus = self._log_prior(values)
        torch.autograd.backward(aim + bonus)
        slope = {name: _array(v.grad, v) for name, v in values.items()}
        return -(found.value + float(bonus.detach())), -packed(slope)

    def _log_prior(self, values: Mapping[str, Tensor]) -> Tensor:
        total = next(iter(values.values())).new_zeros(())
        for name, (centre, spread) in self.prior.items():
            away = values[name] - total.new_tensor(centre)
            total = total - 0.5 * (away / total.new_tensor(spread)).square().sum()
        return total


def _array(grad: Tensor | None, value: Tensor) -> FloatArray:
    return (torch.zeros_like(value) if grad is None else grad).detach().cpu().numpy()


def learned(
    ascent: Ascent, steps: int, tolerance: float, goal: float = np.inf
) -> tuple[dict[str, FloatArray], Found]:
    """L-BFGS: the kernel's numbers where the bound is highest, or ``goal``; the belief there."""
    options: Any = {"maxiter": steps, "ftol": tolerance, "gtol": 1e-4, "maxcor": MEMORY}
    bounds = [BOUNDS.get(name, _FREE) for name, v in ascent.first.items() for _ in range(v.size)]

    def stop(intermediate_result: Any) -> None:
        if -intermediate_result.fun >= goal:
            raise StopIteration

    done = minimize(
        ascent, packed(ascent.first), jac=True, method="L-BFGS-B", bounds=bounds,
        options=options, callback=stop,
    )  # fmt: skip
    with torch.no_grad():
        reach = ascent.kernel.reach(ascent.tensors(done.x))
        assert ascent.found is not None
        found = best_normal(ascent.likelihood, reach, ascent.found.q, POLISH)
    return unpacked(done.x, ascent.first), found


def learned_over(
    ascent: Ascent, steps: int, tolerance: float
) -> tuple[dict[str, FloatArray], Found]:
    """The same over an embedding that stays where it is."""
    net = {name: ascent.first[name] for name in ascent.first if name.startswith(NET)}
    kernel = ascent.kernel.over(
        {name: ascent.kernel.inputs.new_tensor(v) for name, v in net.items()}
    )
    first = {name: value for name, value in ascent.first.items() if name not in net}
    prior = {name: ascent.prior[name] for name in first if name in ascent.prior}
    values, found = learned(
        replace(ascent, kernel=kernel, first=first, prior=prior), steps, tolerance
    )
    return values | net, found
