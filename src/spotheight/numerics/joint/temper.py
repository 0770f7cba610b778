"""Hierarchical temperature scaling: each model its own, alike as far as the rows say so.

Log temperatures are drawn from N(centre, spread^2); centre and spread are unknown too. Everything
is summed on a grid, since each temperature is one number.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from spotheight.types import FloatArray

GRID = np.linspace(-5.0, 2.5, 151)
"""Log temperatures: from a guess that is wrong almost half of the time to a shy model."""

CENTRES = np.linspace(-3.0, 1.5, 46)
SPREADS = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
"""Where log temperatures may lie, N(0, 1) before any rows, and how far apart, each as likely."""


@dataclass(frozen=True, eq=False)
class Temperatures:
    """Means of the log temperatures (K,), and of the centre and the spread they come from."""

    log: FloatArray
    centre: float
    spread: float


def learn_temperatures(log_likelihood: FloatArray) -> Temperatures:
    """Posterior mean temperatures from the log likelihood of each attribute's, (K, grid)."""
    centre, spread = (part.ravel() for part in np.meshgrid(CENTRES, SPREADS))
    prior = -0.5 * ((GRID - centre[:, None]) / spread[:, None]) ** 2
    both = log_likelihood[:, None, :] + (prior - logsumexp(prior, axis=1, keepdims=True))
    evidence = logsumexp(both, axis=2)
    after = -0.5 * centre**2 + evidence.sum(axis=0)
    chance = np.exp(after - logsumexp(after))
    mean = np.exp(both - evidence[:, :, None]) @ GRID
    return Temperatures(mean @ chance, float(chance @ centre), float(np.sqrt(chance @ spread**2)))
