"""Rising factorials (ratios of gamma functions), quickly where counts are small and whole."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

MOST = 24
"""Whole counts up to this are multiplied out; a gamma function costs as much as ten factors."""


@dataclass(frozen=True, eq=False)
class Rise:
    """log gamma(x + n) - log gamma(x) for the count n of each arm, and its slope in x.

    Args:
        count: Of each arm, any number from 0 on.
    """

    count: Tensor
    small: Tensor = field(init=False, repr=False)
    large: Tensor = field(init=False, repr=False)
    active: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        count = self.count
        is_small = (count == count.round()) & (count <= MOST)
        small, large = is_small.nonzero()[:, 0], (~is_small).nonzero()[:, 0]
        order = torch.argsort(count[small], descending=True, stable=True)
        sizes = count[small]
        active = tuple(int((sizes > k).sum()) for k in range(MOST))
        object.__setattr__(self, "small", small[order])
        object.__setattr__(self, "large", large)
        object.__setattr__(self, "active", tuple(size for size in active if size))

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Value and slope at ``x``, whose first axis are the arms."""
        value, slope = torch.empty_like(x), torch.empty_like(x)
        if len(self.small):
            value[self.small], slope[self.small] = self._product(x[self.small])
        if len(self.large):
            at = x[self.large]
            more = at + self.count[self.large].reshape(-1, *[1] * (x.ndim - 1))
            value[self.large] = torch.lgamma(more) - torch.lgamma(at)
            slope[self.large] = torch.digamma(more) - torch.digamma(at)
        return value, slope

    def _product(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Arms with the highest counts first, so that each factor meets a leading part.

        The slope of the product grows beside it by the product rule, which needs no division for
        each factor. Uses ``x`` up.
        """
        product, slope = torch.ones_like(x), torch.zeros_like(x)
        for size in self.active:
            grown, steep, factor = product[:size], slope[:size], x[:size]
            torch.addcmul(grown, steep, factor, out=steep)
            grown *= factor
            factor += 1
        slope /= product
        return product.log_(), slope
