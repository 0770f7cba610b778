"""Calibration of attribute models: raw, with temperatures, or with a joint distribution."""

from dataclasses import dataclass
from importlib import import_module
from math import prod
from typing import Any, Literal, Protocol

import numpy as np
from numpy.random import default_rng

from spotheight.errors import InputError
from spotheight.guesses.gold import Gold
from spotheight.numerics.joint import EXACT_ARMS, Joint, exact
from spotheight.pool.chances import chances_of
from spotheight.pool.coding import Columns

FEWEST = 20
"""True levels of fewer items teach less about an attribute model than its own word."""

GROWTH = 1.25
"""Calibrated anew when the gold set has grown by so much; an item more changes next to nothing."""


def _fit_joint(*known: object, **how: object) -> Joint:
    """Loaded on use, for its optimiser takes longer to load than most commands work."""
    learner: Any = import_module("spotheight.numerics.joint.fit")
    return learner.fit_joint(*known, **how)


class Calibrator(Protocol):
    """Settings of a calibration of attribute models by items whose true levels are known."""

    def uses(self, told: int) -> int:
        """Size of the prefix of gold items that it is fitted on."""
        ...

    def fit(self, gold: Gold, sample: Columns) -> Joint | None:
        """Learn from gold items and a sample of the pool; nothing leaves models as they are."""
        ...


@dataclass(frozen=True)
class CalRaw:
    """Take attribute models at their word, and one apart from the other."""

    def uses(self, told: int) -> int:
        return 0

    def fit(self, gold: Gold, sample: Columns) -> Joint | None:
        return None


@dataclass(frozen=True)
class _Learning:
    """What all calibrations have that learn from told levels."""

    fewest: int = FEWEST

    def __post_init__(self) -> None:
        if self.fewest < 1:
            raise InputError(
                f"Calibration needs at least 1 item with true levels, got {self.fewest}."
            )

    def uses(self, told: int) -> int:
        """The last of some growing sizes that has been reached, none before the first."""
        if told < self.fewest:
            return 0
        steps = int(np.log(told / self.fewest) / np.log(GROWTH) + 1e-9)
        return int(self.fewest * GROWTH**steps + 1e-9)


@dataclass(frozen=True)
class CalTemp(_Learning):
    """Learn how much to trust each attribute model.

    Args:
        fewest: Items whose true levels are known, below which models are taken at their word.
    """

    def fit(self, gold: Gold, sample: Columns) -> Joint:
        pool = chances_of(sample, gold.attributes)
        return _fit_joint(gold.chances, gold.codes, pool, mode="temp", rng=default_rng(0))


@dataclass(frozen=True)
class CalFull(_Learning):
    """Learn how much to trust each attribute model, and which levels go together.

    Args:
        fewest: Items whose true levels are known, below which models are taken at their word.
        pool: What the rest of the pool teaches: what is expected of it, its likeliest levels as if
            they were true (the published way), or nothing.
        sampled: Sum over a sample of combinations where they are more than a million.
    """

    pool: Literal["expected", "predicted", "none"] = "expected"
    sampled: bool = False

    def fit(self, gold: Gold, sample: Columns) -> Joint:
        levels = [len(attribute.levels) for attribute in gold.attributes]
        if not exact(levels) and not self.sampled:
            raise InputError(
                f"The guessed attributes have {prod(levels):,} combinations, and sums are exact up "
                f"to {EXACT_ARMS:,}; say full:sampled=true, or calibrate with temperatures alone."
            )
        pool = chances_of(sample, gold.attributes)
        return _fit_joint(
            gold.chances, gold.codes, pool, mode="full", pool=self.pool, rng=default_rng(0)
        )
