"""The simple setting of the paper's appendix D: ten arms in a line, few labels at both ends."""

import numpy as np
import torch
from numpy.random import default_rng

from spotheight.numerics.deep.kernel import Kernel
from spotheight.numerics.deep.latent import Latents
from spotheight.numerics.deep.learn import Ascent, learned
from spotheight.numerics.deep.likelihood import Likelihood, Supervision
from spotheight.numerics.deep.pooling import pooled
from spotheight.numerics.distributions.quadrature import normal_nodes
from spotheight.types import FloatArray, IntArray

ACCURACY = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.6, 0.4, 0.3, 0.2])
LABELS = np.array([1.0, 1, 1, 20, 20, 20, 20, 1, 1, 1])
LINE = np.arange(10.0)[:, None]
MANY = LABELS > 1

KINDS = ("betagp", "betagp-sl", "betagp-slp")

SEEDS = 20
NUMBER = 86
"""What the KL divergence is divided by: all labels. The likelihood is divided by the ten arms."""

STRETCH, SHIFT = 6.0, -3.0
"""The accuracy is the logistic of 6f - 3, as in the public code."""

NODES = 20

UNSURE = 5.0
"""A well-labelled arm whose scale ends below this was taken for one whose rate is all over."""


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
        "medians": np.median(scales, axis=0).tolist(),
        "fallen": int((scales[:, MANY].min(axis=1) < UNSURE).sum()),
    }


def by_ascent(kind: str, seeds: IntArray) -> dict[str, object]:
    """The objective of ``reference`` by our optimiser, to its top."""
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
    likelihood = Likelihood(
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
    values, best = learned(
        Ascent(likelihood, kernel, first, {"centre": (centre, spread)}), 200, 1e-9
    )
    group = np.zeros(1, dtype=np.int64)
    latents = Latents(values, LINE, group, best.q.mean.numpy(), best.q.root.numpy())
    return (*_read(latents), float(np.exp(values["length"][0, 0])))


def _read(latents: Latents) -> tuple[FloatArray, FloatArray]:
    """Expected accuracies, and the scales of the expected latents."""
    nodes, weights = normal_nodes(NODES)
    mean, spread = latents.moments(LINE)
    at = mean[..., None] + np.sqrt(spread)[..., None] * nodes
    return (1 / (1 + np.exp(-at[0]))) @ weights, np.logaddexp(0, mean[1])
