"""How much sooner the same bound is reached than by Adam, both judged by one function."""

from collections.abc import Mapping
from time import process_time

import numpy as np
import torch
from numpy.random import default_rng
from scipy.special import logit
from torch import Tensor

from bench.deep.peer import WIDTH, Peer
from bench.deep.worlds import LEVELS, World
from spotheight.numerics.deep.kernel import Kernel
from spotheight.numerics.deep.learn import Ascent, learned
from spotheight.numerics.deep.likelihood import Likelihood
from spotheight.numerics.deep.natural import Normal, judged
from spotheight.types import FloatArray

ADAM_STEPS = 1000
"""In each of two phases, as published."""

ENOUGH, TOLERANCE, STEPS, NODES = 3e-4, 1e-4, 200, 6
"""Ours: when the belief (for each arm) and the kernel's numbers have settled; nodes to fit by."""

MARGIN = 1.0
"""Fewer nodes err by less than this, so that what passes the peer by it passes the judge too."""

JUDGE_NODES = 20
JITTER = {torch.float32: 1e-4, torch.float64: 1e-6}
"""By precision, as in GPyTorch; each solution is judged with the jitter it was found with."""

LEGS = (("passed", torch.float64), ("last", torch.float64), ("single", torch.float32))
"""Ours: stopped where it passes the peer, to the end, and to the end in the peer's precision."""


def race(arms: int) -> dict[str, float]:
    """Seconds of one thread and bounds: the peer's, and ours."""
    world = World.of(arms)
    torch.set_num_threads(1)
    peer = Peer(world)
    start = process_time()
    peer.fit(ADAM_STEPS)
    row = {"arms": arms, "labels": float(world.trials.sum())}
    row["peer_seconds"] = process_time() - start
    row["peer_bound"] = bound(world, peer.values(), peer.belief(), JITTER[torch.float32])
    for name, precision in LEGS:
        goal = row["peer_bound"] + MARGIN if name == "passed" else np.inf
        start = process_time()
        values, q, evaluations = ours(world, goal, precision)
        row[f"{name}_seconds"] = process_time() - start
        row[f"{name}_bound"] = bound(world, values, q, JITTER[precision])
        row[f"{name}_evaluations"] = evaluations
    return row


def bound(world: World, values: Mapping[str, FloatArray], q: Normal, jitter: float) -> float:
    """Eq. (9) and (15): expected log-likelihood by 20 by 20 nodes, less the full KL divergence."""
    likelihood = likelihood_of(world, JUDGE_NODES)
    kernel = Kernel(tensor(world.inputs), torch.arange(WIDTH), (WIDTH,), jitter=jitter)
    with torch.no_grad():
        reach = kernel.reach({name: tensor(value) for name, value in values.items()})
        return judged(likelihood, reach, q).value


def ours(
    world: World, goal: float = np.inf, precision: torch.dtype = torch.float64, points: int = 50
) -> tuple[dict[str, FloatArray], Normal, int]:
    """The same model, from where the estimator would begin."""
    rng = default_rng(0)
    arms, columns = world.inputs.shape
    layer = rng.normal(0, 1 / np.sqrt(len(LEVELS[arms]) * WIDTH), (columns, WIDTH))
    first = {
        "length": np.zeros((2, WIDTH)),
        "scale": np.zeros(2),
        "centre": np.array([logit(world.hits.sum() / world.trials.sum()), 3.0]),
        "layer0": layer,
        "points": world.inputs[rng.permutation(arms)[:points]] @ layer,
    }
    inputs = tensor(world.inputs, precision)
    kernel = Kernel(inputs, torch.arange(WIDTH), (WIDTH,), jitter=JITTER[precision])
    ascent = Ascent(likelihood_of(world, NODES, precision), kernel, first, enough=ENOUGH * arms)
    values, found = learned(ascent, STEPS, TOLERANCE, goal)
    return values, Normal(found.q.mean.double(), found.q.root.double()), ascent.evaluations


def likelihood_of(world: World, nodes: int, precision: torch.dtype = torch.float64) -> Likelihood:
    """The plain beta-binomial objective."""
    trials = tensor(world.trials, precision)
    return Likelihood(tensor(world.hits, precision), trials, trials, nodes=nodes)


def tensor(values: FloatArray, precision: torch.dtype = torch.float64) -> Tensor:
    """For torch."""
    return torch.as_tensor(values, dtype=precision)
