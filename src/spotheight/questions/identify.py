"""Identification of extremes: which groups are worst, or best?"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng
from scipy import sparse

from spotheight.beliefs import Surface
from spotheight.errors import InputError
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.about import AboutQuantity
from spotheight.questions.basis import Basis
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.quantities import ArmBelief, HitRate, Quantity
from spotheight.questions.values import (
    GroupRow,
    GroupValues,
    Kept,
    draws_for,
    require_level,
    value_blocks,
)
from spotheight.questions.words import chance
from spotheight.types import FloatArray, IntArray

TIE = 1e-9
"""Ties, frequent in small pools, must not go by the group's number."""


MOST_LISTED, FEWEST_LISTED = 20, 5
"""Groups; further down each is in the set by a small chance."""

LIKELY = 0.005
"""A lower chance is not worth a row."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group, and the probability that it is in the set looked for."""

    group: GroupRow
    probability: float


@dataclass(frozen=True, eq=False)
class Identified:
    """The groups most probably in the worst (or best) set, and how probable that is of each.

    Args:
        basis: What it rests on.
        arms: The groups of the set by number, the most probable first.
        names: Their names.
        probability: Of every group, that it is in the set.
        values: What is believed of every group.
        is_best: Whether the best are looked for instead of the worst.
    """

    basis: Basis = field(repr=False)
    arms: IntArray
    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    values: GroupValues
    is_best: bool = False

    @property
    def is_high(self) -> bool:
        """Whether those looked for have high numbers."""
        return self.basis.unit.is_bad_high != self.is_best

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The most probable groups first, as many as are worth a row."""
        order = np.argsort(-self.probability, kind="stable")
        likely = int((self.probability >= LIKELY).sum())
        rows = min(max(likely, FEWEST_LISTED), MOST_LISTED)
        chosen = order[: max(rows, len(self.arms))].tolist()
        return tuple(Candidate(self.values.row(k), float(self.probability[k])) for k in chosen)

    def frame(self) -> pa.Table:
        """A row a group, the most probable first."""
        table = self.values.frame().append_column("probability", pa.array(self.probability))
        return table.take(np.argsort(-self.probability, kind="stable"))

    def content(self) -> dict[str, Any]:
        """How many were looked for, who they are, and all groups."""
        end = "best" if self.is_best else "worst"
        found = list(self.names)
        return {end: len(found), "found": found, "groups": self.frame().to_pylist()}

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds."""
        return {
            "measure": self.basis.unit,
            "wanted": len(self.arms),
            "is_best": self.is_best,
            "chosen": [each.group.name for each in self.candidates[: len(self.arms)]],
            "candidates": self.candidates,
            "n_groups": len(self.values),
        }

    def plain(self) -> str:
        """The most probable set."""
        found = self.candidates[: len(self.arms)]
        is_sure = min(each.probability for each in found) >= CERTAINTY
        if len(found) == 1:
            start = "It is" if is_sure else "Not decided; likeliest is"
            only = found[0]
            return f"{start} {only.group.name}, with probability {chance(only.probability)}."
        start = "They are" if is_sure else "Not decided; likeliest are"
        names = [f"{each.group.name} ({chance(each.probability)})" for each in found]
        return f"{start} {'; '.join(names)}. In brackets: the probability to belong there."


@dataclass(frozen=True)
class Identify(AboutQuantity):
    """Find the ``worst`` groups: the least accurate, the least calibrated, the most costly.

    Args:
        worst: How many, fewer than there are groups.
        best: Look for so many at the other end instead; 0 for none.
        of: The quantity; the campaign's metric in its own arms by default.
        level: Of the intervals beside it.
    """

    worst: int = 1
    best: int = 0
    of: Quantity = field(default_factory=HitRate)
    level: float = 0.9

    def __post_init__(self) -> None:
        require_level(self.level)
        if self.worst < 1 or self.best < 0:
            raise InputError(
                f"At least 1 arm must be looked for, got {min(self.worst, self.best or 1)}."
            )

    @property
    def plays(self) -> int:
        return self.best or self.worst

    def answer(self, belief: ArmBelief, rng: Generator) -> Identified:
        self._require_rest(len(self.groups(belief)))
        return self._answer(belief, rng)

    def _require_rest(self, groups: int) -> None:
        """Raise where every group would be in the set, whatever the labels say."""
        if self.plays > 1 and self.plays >= groups:
            end, plural = "best" if self.best else "worst", "s" * (groups != 1)
            raise InputError(
                f"There {'are' if plural else 'is'} only {groups} group{plural}, so the "
                f"{self.plays} {end} cannot be told from the rest; "
                f"look for {max(groups - 1, 1)} at most."
            )

    def _answer(self, belief: ArmBelief, rng: Generator) -> Identified:
        groups = self.groups(belief)
        looked_for = min(self.plays, len(groups))
        votes, kept = np.zeros(len(groups)), Kept()
        for values in value_blocks(self.of, belief, groups, rng):
            worth = untied(self._sign(belief) * values, rng)
            top = np.argpartition(-worth, looked_for - 1, axis=1)[:, :looked_for]
            votes += np.bincount(top.ravel(), minlength=len(groups))
            kept.add(values)
        probability = votes / draws_for(belief)
        found = GroupValues.read(self.of, belief, groups, kept.draws, self.level, rng)
        arms = np.argsort(-probability, kind="stable")[:looked_for]
        names = tuple(groups.name(int(arm)) for arm in arms)
        basis, is_best = Basis.of(self, belief), self.best > 0
        return Identified(basis, arms, names, probability, found, is_best)

    def _sign(self, belief: ArmBelief) -> float:
        """What is looked for is highest after multiplying with this."""
        return 1.0 if self.of.is_bad_high(belief) != bool(self.best) else -1.0

    def worth(
        self, belief: ArmBelief, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """A group is worth a label as far as it is plausibly in the set (Ji et al. 2021)."""
        return self._sign(belief) * self.of.read(belief, values, self.groups(belief))

    def expected(self, belief: ArmBelief, rng: Generator) -> FloatArray:
        return self._sign(belief) * self.of.mean(belief, self.groups(belief), rng)

    def bound(self, belief: ArmBelief, share: float, rng: Generator) -> FloatArray:
        sign = self._sign(belief)
        share = share if sign > 0 else 1 - share
        return sign * self.of.quantile(belief, self.groups(belief), share, rng)

    def targets(self, surface: Surface) -> Sparse:
        """Every arm, by the root of the probability that it is among those looked for."""
        rng = default_rng(0)
        group = self.groups(surface).group
        share = np.where(group >= 0, self._answer(surface, rng).probability[group], 0.0)
        return sparse.diags(np.sqrt(share + 1e-6)).tocsr()


def untied(values: FloatArray, rng: Generator) -> FloatArray:
    """The same with ties broken by chance, whatever their unit."""
    return values + TIE * (np.abs(values).max() or 1.0) * rng.random(values.shape)
