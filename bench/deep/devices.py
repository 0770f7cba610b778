"""What a GPU saves: the estimator's own fit on the processor and on a device, in one run."""

from time import perf_counter

import numpy as np
import torch

from bench.deep.worlds import LEVELS, World
from spotheight.arms import Attribute, Partition
from spotheight.evidence import Counts
from spotheight.models.betagp.engine import fitted
from spotheight.models.betagp.estimator import BetaGP
from spotheight.models.betagp.inputs import Inputs

Row = dict[str, object]


def beside(arms: int, device: str) -> Row:
    """Seconds by the clock of the same fit here and there; the first fit of each only warms up."""
    counts, inputs = problem(arms)
    row: Row = {"arms": arms, "device": _name(device), "labels": float(counts.trials.sum())}
    for part, place in (("cpu", "cpu"), ("device", device)):
        for _ in range(2):
            start = perf_counter()
            latents = fitted(BetaGP(device=place), counts, inputs, {})
            row[f"{part}_seconds"] = perf_counter() - start
        row[f"{part}_length"] = float(np.exp(latents.values["length"]).mean())
    return row


def problem(arms: int) -> tuple[Counts, Inputs]:
    """The counts and inputs of every arm, as an estimator gets them."""
    world, levels = World.of(arms), LEVELS[arms]
    codes = np.stack(np.unravel_index(np.arange(arms), levels), axis=1)
    attributes = [
        Attribute(f"a{place}", f"a{place}", tuple(map(str, range(size))))
        for place, size in enumerate(levels)
    ]
    partition = Partition.of(attributes, codes)
    order = np.argsort(partition.find(codes))
    return Counts(world.hits[order], world.trials[order]), Inputs(partition, "one-hot")


def _name(device: str) -> str:
    is_gpu = torch.device(device).type == "cuda"
    return torch.cuda.get_device_name(device) if is_gpu else device
