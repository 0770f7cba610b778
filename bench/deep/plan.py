"""What is run: studies by name, the quick ones first."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import torch

from bench.cases import CASES
from bench.deep.devices import beside
from bench.deep.modest import DEVIATIONS, NAMES, PEER, POOLED, large, modest
from bench.deep.modest import LABELS as FEW_LABELS
from bench.deep.reference import by_adam
from bench.deep.simple import KINDS, SEEDS, by_ascent
from bench.deep.speed import race
from bench.files import write_whole
from spotheight import registry as codec
from spotheight.errors import InputError
from spotheight.models.betagp.estimator import BetaGP
from spotheight.pool import ColumnPool
from spotheight.simulate import Simulation, simulate

PARTS = ("simple", "speed", "modest", "devices", "cases")

REPEATS = 10
"""Further tables of twenty seeds each: how much such a table varies by chance."""

ARMS = (320, 4096)

LABELS = 2000
KEY_CASES = ("imagenet-resnet50", "audiomnist-google", "expw-microsoft")

FAMILY = ("betagp", "betagp-slp", "betagp-sl", "berngp", "betagp-ab", "additive", "eb-beta")
"""By their names, and two of other kinds beside them."""

USUAL = {
    "betagp-sl:scale_supervision=none": "betagp",
    "betagp-slp:inputs=integer": "betagp-slp",
    "betagp:inputs=integer": "betagp",
    "betagp-slp:pooling=equal": "betagp-slp",
    "betagp-sl:scale_supervision=dirichlet": "betagp-sl",
    "betagp:embedding=20": "betagp",
}
"""What single fields change, and against what; the first is plain BetaGP read as published."""

VARIANTS = tuple(USUAL)

Row = dict[str, Any]


@dataclass(frozen=True)
class Study:
    """One row: what it is called, and how it is made."""

    part: str
    name: str
    make: Callable[[], Row]

    def path(self, folder: Path) -> Path:
        """Where its row is kept."""
        return folder / self.part / f"{quote(self.name, safe='')}.json"

    def run(self, folder: Path) -> None:
        """Make the row and keep it."""
        write_whole(self.path(folder), json.dumps(self.make()) + "\n")


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    Args:
        parts: All of them where none is named.
        seeds: Of every estimator on every real table.
        data: The folder of real tables; without it they are left out.
        device: Where the BetaGP family is fitted on real tables, as torch calls it; if it is not
            the processor, both are timed side by side.
    """

    parts: tuple[str, ...]
    seeds: int
    data: Path | None
    device: str = "cpu"

    def studies(self) -> Iterator[Study]:
        """All of them in order."""
        makers: dict[str, Callable[[], Iterator[Study]]] = {
            "simple": _simple,
            "speed": _speed,
            "modest": _modest,
            "devices": lambda: _devices(self.device),
            "cases": lambda: _cases(self),
        }
        for part in PARTS:
            if not self.parts or part in self.parts:
                yield from makers[part]()

    def run(self, part: str, name: str, folder: Path) -> None:
        """Run one of them, from another process say."""
        for study in self.studies():
            if (study.part, study.name) == (part, name):
                study.run(folder)


def _simple() -> Iterator[Study]:
    for turn in range(1 + REPEATS):
        for kind in KINDS:
            for optimiser in ("adam", "ascent") if turn == 0 else ("adam",):
                yield Study(
                    "simple",
                    f"{kind}+{optimiser}+{turn}",
                    lambda k=kind, o=optimiser, t=turn: simple(k, o, t),  # type: ignore[misc]
                )


def simple(kind: str, optimiser: str, turn: int) -> Row:
    """One line of Tables 8 and 9: the first, or one with further seeds."""
    torch.set_num_threads(1)
    run = by_adam if optimiser == "adam" else by_ascent
    seeds = np.arange(turn * SEEDS, (turn + 1) * SEEDS)
    return {"kind": kind, "optimiser": optimiser, "turn": turn, **run(kind, seeds)}


def _speed() -> Iterator[Study]:
    for arms in ARMS:
        yield Study("speed", str(arms), lambda arms=arms: dict(race(arms)))  # type: ignore[misc]


def _modest() -> Iterator[Study]:
    for deviation, labels, name in product(DEVIATIONS, FEW_LABELS, (POOLED, *NAMES, PEER)):
        yield Study(
            "modest",
            f"64+{deviation}+{labels}+{name}",
            lambda d=deviation, n=labels, e=name: modest(d, n, e),  # type: ignore[misc]
        )
    for name in (POOLED, *NAMES):
        yield Study("modest", f"4096+{name}", lambda e=name: large(e))  # type: ignore[misc]


def _devices(device: str) -> Iterator[Study]:
    """Nothing where there is only the processor."""
    for arms in ARMS if device != "cpu" else ():
        yield Study("devices", f"{arms}+{device}", lambda a=arms: beside(a, device))  # type: ignore[misc]


def _cases(plan: Plan) -> Iterator[Study]:
    if plan.data is None:
        return
    for group in (FAMILY, VARIANTS):
        for seed, case, estimator in product(range(plan.seeds), KEY_CASES, group):
            yield Study(
                "cases",
                f"{case}+{estimator}+{seed}",
                lambda c=case, e=estimator, s=seed: replayed(plan, c, e, s),  # type: ignore[misc]
            )


def replayed(plan: Plan, case: str, estimator: str, seed: int) -> Row:
    """One campaign of random labels; the device changes seconds and last digits only."""
    assert plan.data is not None
    settings = codec.parse(estimator, codec.ESTIMATORS)
    if isinstance(settings, BetaGP):
        settings = replace(settings, device=plan.device)
    simulation = Simulation(
        estimators=(settings,),
        policies=(codec.parse("random", codec.POLICIES),),
        budgets=(LABELS,),
        seeds=(seed,),
        batch=LABELS,
    )
    (row,) = simulate(_pool(plan.data, case), simulation, workers=1)
    return {"case": case, **row, "estimator": estimator, "device": plan.device}


@cache
def _pool(data: Path, name: str) -> ColumnPool:
    for case in CASES:
        if case.name == name:
            return case.pool(data)
    raise InputError(f"There is no case {name!r}.")
