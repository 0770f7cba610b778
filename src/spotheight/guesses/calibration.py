"""From what attribute models say to where items probably belong."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any, Literal, Protocol

import numpy as np
from numpy.random import default_rng

from spotheight.arms import Attribute
from spotheight.errors import InputError
from spotheight.guesses.gold import Gold
from spotheight.numerics.joint.chances import EXACT_ARMS, Joint, exact
from spotheight.numerics.joint.spread import Spread
from spotheight.pool.affiliation import (
    NOTHING_KNOWN,
    Affiliation,
    Independent,
    Known,
    chances_of,
    spread_jointly,
)
from spotheight.pool.coding import Columns

FEWEST = 20
"""True levels of fewer items teach less about an attribute model than its own word."""

LEARNER = "spotheight.numerics.joint.fit"

GROWTH = 1.25
"""Calibrated anew when the gold set has grown by so much; an item more changes next to nothing."""


def _learner() -> Any:
    """Loaded on use, for its optimiser takes longer to load than most commands work."""
    return import_module(LEARNER)


class Calibration(Protocol):
    """What is made of guesses once the true levels of some items are known."""

    def uses(self, told: int) -> int:
        """How many of the items told first it learns from."""
        ...

    def fit(self, gold: Gold, sample: Columns) -> Affiliation:
        """Learn from gold items and from a sample of the pool."""
        ...


@dataclass(frozen=True)
class CalRaw:
    """Take attribute models at their word, and one apart from the other."""

    def uses(self, told: int) -> int:
        return 0

    def fit(self, gold: Gold, sample: Columns) -> Affiliation:
        return Independent()


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

    def fit(self, gold: Gold, sample: Columns) -> Affiliation:
        pool = chances_of(sample, gold.attributes)
        joint = _learner().fit_joint(
            gold.chances, gold.codes, pool, mode="temp", rng=default_rng(0)
        )
        return Calibrated(gold.attributes, joint)


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

    def fit(self, gold: Gold, sample: Columns) -> Affiliation:
        levels = [len(attribute.levels) for attribute in gold.attributes]
        if not exact(levels) and not self.sampled:
            raise InputError(
                f"The guessed attributes have {prod(levels):,} combinations, and sums are exact up "
                f"to {EXACT_ARMS:,}; say full:sampled=true, or calibrate with temperatures alone."
            )
        pool = chances_of(sample, gold.attributes)
        joint = _learner().fit_joint(
            gold.chances, gold.codes, pool, mode="full", pool=self.pool, rng=default_rng(0)
        )
        return Calibrated(gold.attributes, joint)


@dataclass(frozen=True, eq=False)
class Calibrated:
    """P(arm given item) after calibration.

    Args:
        attributes: All guessed attributes, in the order of the joint chances.
        joint: What was learned.
    """

    attributes: tuple[Attribute, ...]
    joint: Joint = field(repr=False)

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        return not any(attribute.is_guessed for attribute in attributes)

    def heard(self, attributes: Sequence[Attribute]) -> Sequence[Attribute]:
        return self.attributes

    def spread(
        self,
        columns: Columns,
        attributes: Sequence[Attribute],
        service: str,
        known: Known = NOTHING_KNOWN,
    ) -> Spread:
        believed = (self.attributes, self.joint)
        return spread_jointly(columns, attributes, service, known, believed)
