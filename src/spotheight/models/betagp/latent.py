"""Latent Gaussian processes as a belief about rates: alike arms move together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.beliefs.posterior import BetaRate
from spotheight.evidence import Counts
from spotheight.models.betagp.inputs import Inputs
from spotheight.numerics.deep.latent import Latents, pseudo_counts, rate_moments
from spotheight.numerics.distributions import beta
from spotheight.types import FloatArray, IntArray

BLOCK = 8192
"""So many arms are looked at at once, however many there are."""


@dataclass(frozen=True, eq=False)
class LatentModel:
    """Fitted latent functions, read at any arm.

    Args:
        inputs: What stands for an arm.
        latents: The functions.
        form: What they are the parameters of: ``bernoulli``, ``mean-scale`` or ``alpha-beta``.
        own: Labels that update each arm's Beta; none where it already is what is believed.
    """

    inputs: Inputs
    latents: Latents = field(repr=False)
    form: str
    own: Counts = field(repr=False)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of every arm's rate."""
        arms = np.arange(len(self.inputs.partition))
        found = [self._moments(some) for some in _blocks(arms)]
        mean, variance = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return mean, variance

    def _moments(self, arms: IntArray) -> tuple[FloatArray, FloatArray]:
        mean, spread = self.latents.moments(self.inputs.columns(arms))
        return rate_moments(mean, spread, self.form, self.own.hits[arms], self.own.trials[arms])

    def draw(self, n: int, arms: IntArray, rng: Generator) -> FloatArray:
        """Joint draws of some arms' rates.

        What inducing values leave open is drawn for each arm alone, so the spread of every arm is
        exact, and what arms far from all inducing points have in common is left out.
        """
        functions, points = self.latents.mean.shape
        noise = rng.standard_normal((functions, n, points))
        values = self.latents.mean[:, None] + noise @ self.latents.root.transpose(0, 2, 1)
        drawn = np.empty((n, len(arms)))
        for start, some in zip(range(0, len(arms), BLOCK), _blocks(arms), strict=True):
            drawn[:, start : start + len(some)] = self._drawn(values, some, rng)
        return drawn

    def _drawn(self, values: FloatArray, arms: IntArray, rng: Generator) -> FloatArray:
        columns = self.inputs.columns(arms)
        latents = []
        for function, value in enumerate(values):
            weight, open_ = self.latents.reach(function, columns)
            noise = np.sqrt(open_) * rng.standard_normal((len(value), len(arms)))
            latents.append(self.latents.values["centre"][function] + value @ weight.T + noise)
        accuracy, scale = pseudo_counts(np.array(latents), self.form)
        if self.form == "bernoulli":
            return accuracy
        hits, trials = self.own.hits[arms], self.own.trials[arms]
        return rng.beta(accuracy * scale + hits, (1 - accuracy) * scale + trials - hits)


def _blocks(arms: IntArray) -> Iterator[IntArray]:
    for start in range(0, len(arms), BLOCK):
        yield arms[start : start + BLOCK]


@dataclass(frozen=True, eq=False)
class LatentRate(BetaRate):
    """Rates that are read arm by arm as the Beta with their mean and variance, and drawn jointly.

    Args:
        model: Where draws come from.
    """

    model: LatentModel = field(kw_only=True)

    @classmethod
    def of(cls, model: LatentModel) -> "LatentRate":
        """Betas by moment matching, arm by arm."""
        return cls(*beta.matched(*model.moments()), model=model)

    @property
    def numbers(self) -> Mapping[str, FloatArray]:
        """Of the fit, by name, at which a later one may begin."""
        return self.model.latents.values

    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        arms = np.arange(len(self.hits)) if where is None else np.asarray(where)
        return self.model.draw(n, arms, rng)
