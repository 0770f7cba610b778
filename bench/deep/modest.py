"""Arms whose accuracies differ modestly: whether an embedding still tells them apart."""

from dataclasses import dataclass, field
from statistics import mean
from time import process_time

import numpy as np
import torch
from numpy.random import default_rng
from scipy.optimize import brentq
from scipy.special import expit

from bench.deep.supervised import SupervisedPeer
from bench.deep.worlds import World
from spotheight import registry as codec
from spotheight.arms import Attribute, Partition
from spotheight.evidence import Counts
from spotheight.models.betagp.engine import fitted
from spotheight.models.betagp.estimator import BetaGP
from spotheight.models.betagp.inputs import Inputs
from spotheight.models.betagp.latent import LatentModel, LatentRate
from spotheight.types import FloatArray

LEVELS = {64: (4, 4, 4), 4096: (2,) * 12}
"""Attributes of each size: their numbers of levels."""

DEVIATIONS = (0.09, 0.21)
LABELS = (300, 500)

SEEDS, PEER_SEEDS, LARGE_SEEDS = 12, 3, 2

POOLED, PEER = "pooled", "gpytorch"
"""One number for all arms, and GPyTorch fitted by Adam."""

NAMES = ("betagp-sl", "betagp-sl:embedding=64+20", "betagp-slp", "betagp-slp:embedding=64+20")
"""Published presets, with the published embedding and without one."""

INTERACTION, CENTRE = 0.2, 1.2
"""The share of the variance of logits that is not additive; the logit in the middle."""

LARGE_LABELS, LARGE_DEVIATION, SKEW = 2000, 0.12, 1.5
"""Where seconds are measured; arms differ in size by such a deviation of the logarithm."""

Row = dict[str, object]
Scores = dict[str, float]


@dataclass(frozen=True, eq=False)
class Arms:
    """All combinations of some levels, and how accurate a service is at each.

    Args:
        inputs: What stands for an arm.
        rates: True accuracies.
        shares: How likely a label is to be of an arm.
    """

    inputs: Inputs = field(repr=False)
    rates: FloatArray = field(repr=False)
    shares: FloatArray = field(repr=False)

    @classmethod
    def of(cls, arms: int, deviation: float, seed: int) -> "Arms":
        """Effects of attributes and of their pairs, stretched until rates have this deviation."""
        rng, levels = default_rng([seed, arms]), LEVELS[arms]
        codes = np.stack(np.unravel_index(np.arange(arms), levels), axis=1)
        single, double = np.zeros(arms), np.zeros(arms)
        for place, size in enumerate(levels):
            single += rng.standard_normal(size)[codes[:, place]]
            for other in range(place):
                both = rng.standard_normal((size, levels[other]))
                double += both[codes[:, place], codes[:, other]]
        shape = _standard(
            np.sqrt(1 - INTERACTION) * _standard(single) + np.sqrt(INTERACTION) * _standard(double)
        )
        stretch = brentq(lambda by: expit(CENTRE + by * shape).std() - deviation, 0, 20)
        attributes = [
            Attribute(f"a{place}", f"a{place}", tuple(map(str, range(size))))
            for place, size in enumerate(levels)
        ]
        partition = Partition.of(attributes, codes)
        order = np.argsort(partition.find(codes))
        sizes = np.exp(rng.normal(0, SKEW if arms > min(LEVELS) else 0, arms))
        inputs = Inputs(partition, "one-hot")
        return cls(inputs, expit(CENTRE + stretch * shape)[order], sizes / sizes.sum())

    def counts(self, labels: int, seed: int) -> Counts:
        """So many labels at random."""
        rng = default_rng([seed, labels, len(self.rates)])
        trials = rng.multinomial(labels, self.shares)
        return Counts(rng.binomial(trials, self.rates).astype(float), trials.astype(float))


def _standard(values: FloatArray) -> FloatArray:
    return (values - values.mean()) / values.std()


def modest(deviation: float, labels: int, name: str) -> Row:
    """Errors of an estimator, averaged over seeds."""
    torch.set_num_threads(1)
    seeds = PEER_SEEDS if name == PEER else SEEDS
    row: Row = {"arms": 64, "deviation": deviation, "labels": labels, "estimator": name}
    return row | _mean([trial(64, deviation, labels, name, seed) for seed in range(seeds)])


def large(name: str) -> Row:
    """Errors and seconds of an estimator at many arms."""
    torch.set_num_threads(1)
    row: Row = {"arms": 4096, "deviation": LARGE_DEVIATION, "labels": LARGE_LABELS}
    trials = [trial(4096, LARGE_DEVIATION, LARGE_LABELS, name, s) for s in range(LARGE_SEEDS)]
    return row | {"estimator": name} | _mean(trials)


def _mean(rows: list[Scores]) -> Row:
    means = {name: mean(row[name] for row in rows) for name in rows[0]}
    # Not a number is not JSON.
    return {"seeds": len(rows)} | {n: None if np.isnan(v) else v for n, v in means.items()}


def trial(arms: int, deviation: float, labels: int, name: str, seed: int) -> Scores:
    """One fit: squared error times 100, share of 90% intervals that hold, seconds of a processor.

    ``spread`` is the standard deviation of the arms' estimates: 0 where they collapse.
    """
    world = Arms.of(arms, deviation, seed)
    counts = world.counts(labels, seed)
    start = process_time()
    found, holds = _estimated(world, counts, name, seed)
    seconds = process_time() - start
    error = 100 * float(np.square(found - world.rates).mean())
    return {"macro": error, "spread": float(found.std()), "holds": holds, "seconds": seconds}


def _estimated(world: Arms, counts: Counts, name: str, seed: int) -> tuple[FloatArray, float]:
    """Rates, and how many intervals hold; NaN where there are none."""
    if name == POOLED:
        overall = (counts.hits.sum() + 0.5) / (counts.trials.sum() + 1)
        return np.full(len(world.rates), overall), np.nan
    columns = world.inputs.columns(np.arange(len(world.rates)))
    if name == PEER:
        seen = counts.trials > 0
        peer = SupervisedPeer(World(columns[seen], counts.hits[seen], counts.trials[seen]), seed)
        peer.fit()
        return peer.rates(columns), np.nan
    rate = believed(world.inputs, counts, name)
    low, high = rate.interval(0.9)
    return rate.mean, float(np.mean((low <= world.rates) & (world.rates <= high)))


def believed(inputs: Inputs, counts: Counts, name: str) -> LatentRate:
    """What a preset that is read as published believes of all arms."""
    settings = codec.parse(name, codec.ESTIMATORS)
    assert isinstance(settings, BetaGP)
    assert settings.beta == "belief"
    latents = fitted(settings, counts, inputs, {})
    nothing = np.zeros(len(counts.trials))
    return LatentRate.of(
        LatentModel(inputs, latents, settings.parameters, Counts(nothing, nothing))
    )
