"""Policies that pick single items: largest expected change, surest mistakes, whole images."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.policies.turns import SAME, OneReason, TurnPolicy, Turns
from spotheight.policies.view import View
from spotheight.questions import ItemTask
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Highest(OneReason):
    """The item with the highest worth, then the next; deterministic, so no item has a chance.

    Items are vetted one by one, so the others keep their worth.
    """

    worth: FloatArray = field(repr=False)
    why: str
    has_chances: bool = False

    @cached_property
    def _order(self) -> tuple[IntArray, FloatArray]:
        """Items by worth, the highest first, and minus their worth."""
        order = np.argsort(-self.worth, kind="stable")
        return order, -self.worth[order]

    def weights(self, left: IntArray) -> FloatArray:
        order, cost = self._order
        first = int(np.argmax(left[order] > 0))
        last = np.searchsorted(cost, cost[first] + SAME * abs(cost[first]), side="right")
        tied = order[first:last]
        weight = np.zeros(len(left))
        weight[tied[left[tied] > 0].min()] = 1.0
        return weight


@dataclass(frozen=True)
class ExpectedChange(TurnPolicy):
    """Maximum expected estimator change (Nguyen et al. 2018): deterministic, without chances."""

    def turns(self, view: View, rng: Generator) -> Turns:
        belief = view.items("Expected change")
        worth = cast(ItemTask, view.task).item_reward(belief) / belief.evidence.price
        return Highest(worth, "its label would change the estimate most")


@dataclass(frozen=True)
class ConfidentMistake(TurnPolicy):
    """Most confident mistake: the highest scores among items that are believed to be false.

    Finds tags that are missing, and little else; deterministic, without chances.
    """

    def turns(self, view: View, rng: Generator) -> Turns:
        belief = view.items("Most confident mistake")
        evidence = belief.evidence
        score = np.nan_to_num(evidence.standing, nan=0.0).max(axis=1)
        is_false = np.nan_to_num(belief.chance, nan=1.0) < 0.5
        # When no mistake is left the surest of the others come, so that a budget can be spent.
        return Highest(score + 2.0 * is_false, "the services are sure of it, and it seems false")


@dataclass(eq=False)
class _Units(OneReason):
    """All items of one unit, then those of another, each unit alike; begun ones come first."""

    unit: IntArray
    now: int = -1
    why: str = "its image was drawn at random, and all of it is vetted"
    has_chances: bool = False

    def weights(self, left: IntArray) -> FloatArray:
        weight, free = np.zeros(len(left)), np.flatnonzero(left > 0)
        rest = free[self.unit[free] == self.now]
        if len(rest):
            weight[rest[0]] = 1.0
            return weight
        begun = free[np.isin(self.unit[free], self.unit[left == 0])]
        free = begun if len(begun) else free
        _, first = np.unique(self.unit[free], return_index=True)
        weight[free[first]] = 1 / len(first)
        return weight

    def took(self, cell: int) -> None:
        self.now = int(self.unit[cell])


@dataclass(frozen=True)
class RandomImages(TurnPolicy):
    """Draw images at random and vet all there is in each, as traditional test sets are made."""

    def turns(self, view: View, rng: Generator) -> Turns:
        if view.places is None:
            raise InputError("Images can only be drawn where items are parts of them (--category).")
        return _Units(view.places.unit)
