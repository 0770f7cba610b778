"""What the replica is like: its arms, the services' accuracy on them, the attribute models."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bench.celeba.replica import ARMS, LABEL, SERVICES, guess_of, prediction_of
from bench.files import write_whole
from spotheight.numerics.sums import sum_by
from spotheight.pool.cells import SMALL
from spotheight.types import BoolArray, FloatArray, IntArray

QUANTILES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Those of figure 14."""

THRESHOLDS = (0.5, 0.7, 0.9)

WORST = 25

BINS = 10
"""Of the chances that a model gives, where their calibration is measured."""

DIGITS = 4

MANY = ("quantiles", "below", "worst")
"""Fields of a service that hold several numbers."""


@dataclass(frozen=True)
class ServiceStatistics:
    """How accurate a service is over the arms with at least 5 items.

    Args:
        accuracy: Over all items.
        macro: Over arms, each alike.
        quantiles: Of the accuracy of arms, at ``QUANTILES``.
        below: The share of arms below each of ``THRESHOLDS``.
        worst: The lowest accuracies, ascending.
    """

    accuracy: float
    macro: float
    quantiles: tuple[float, ...]
    below: tuple[float, ...]
    worst: tuple[float, ...]


@dataclass(frozen=True)
class ModelStatistics:
    """How good an attribute model is on the pool.

    Args:
        share: Of items that have the attribute.
        accuracy: Of the likelier level.
        calibration_error: Between chance and share, over ten bins of chances, by items.
        skill: The share of the variance of the attribute that its chance explains.
    """

    share: float
    accuracy: float
    calibration_error: float
    skill: float


@dataclass(frozen=True)
class Statistics:
    """The replica in numbers.

    Args:
        items: In the pool.
        combinations: That attributes could form.
        arms: Combinations that some item has.
        judged_arms: Those with at least 5 items.
        services: By name.
        models: By attribute.
        likeliest_is_right: How often the likeliest arm, attributes taken apart, is the item's own.
        chance_of_own: The mean chance of an item's own arm, likewise.
    """

    items: int
    combinations: int
    arms: int
    judged_arms: int
    services: Mapping[str, ServiceStatistics]
    models: Mapping[str, ModelStatistics]
    likeliest_is_right: float
    chance_of_own: float

    @classmethod
    def of(cls, table: pd.DataFrame) -> "Statistics":
        """Of a table that ``replica`` made."""
        arm = arms_of(table)
        size = np.bincount(arm, minlength=2 ** len(ARMS))
        right, chance = joint_guess(table)
        return cls(
            len(table),
            len(size),
            int((size > 0).sum()),
            int((size >= SMALL).sum()),
            {one.name: _service(table, one.name, arm, size) for one in SERVICES},
            {name: _model(table, name) for name in ARMS},
            right,
            chance,
        )

    @classmethod
    def read(cls, path: Path) -> "Statistics":
        """From a file that ``write`` wrote."""
        data = json.loads(path.read_text(encoding="utf-8"))
        services = {
            name: ServiceStatistics(**{**one, **{part: tuple(one[part]) for part in MANY}})
            for name, one in data["services"].items()
        }
        models = {name: ModelStatistics(**one) for name, one in data["models"].items()}
        return cls(**{**data, "services": services, "models": models})

    def write(self, path: Path) -> None:
        """As JSON."""
        write_whole(path, json.dumps(asdict(self), indent=1) + "\n")


def arms_of(table: pd.DataFrame) -> IntArray:
    """The number of each item's combination: bit by bit in the order of ``ARMS``."""
    return table[list(ARMS)].to_numpy(dtype=np.int64) @ (1 << np.arange(len(ARMS)))


def _service(table: pd.DataFrame, name: str, arm: IntArray, size: IntArray) -> ServiceStatistics:
    hit = (table[prediction_of(name)] == table[LABEL]).to_numpy(dtype=float)
    judged = size >= SMALL
    accuracy = sum_by(arm, hit, len(size))[judged] / size[judged]
    return ServiceStatistics(
        _short(hit.mean()),
        _short(accuracy.mean()),
        _shorts(np.quantile(accuracy, QUANTILES)),
        _shorts([(accuracy < mark).mean() for mark in THRESHOLDS]),
        _shorts(np.sort(accuracy)[:WORST]),
    )


def _model(table: pd.DataFrame, name: str) -> ModelStatistics:
    holds, chance = table[name].to_numpy(), table[guess_of(name)].to_numpy()
    left = float(np.mean((holds - chance) ** 2) / holds.var())
    return ModelStatistics(
        _short(holds.mean()),
        _short(((chance >= 0.5) == holds).mean()),
        _short(calibration_error(chance, holds)),
        _short(1 - left),
    )


def calibration_error(chance: FloatArray, holds: BoolArray) -> float:
    """How far chances are from shares, over ten bins of equal width, by items."""
    place = np.minimum((chance * BINS).astype(np.int64), BINS - 1)
    gap = sum_by(place, chance - holds, BINS)
    return float(np.abs(gap).sum() / len(chance))


def joint_guess(table: pd.DataFrame) -> tuple[float, float]:
    """How often all likelier levels are right at once, and the mean product of true chances."""
    holds = table[list(ARMS)].to_numpy()
    chance = table[[guess_of(name) for name in ARMS]].to_numpy()
    own = np.where(holds, chance, 1 - chance)
    return _short((own >= 0.5).all(axis=1).mean()), _short(own.prod(axis=1).mean())


def _shorts(values: Sequence[float] | FloatArray) -> tuple[float, ...]:
    return tuple(_short(value) for value in values)


def _short(value: float) -> float:
    return round(float(value), DIGITS)
