"""Bandit view of a task: its groups as arms of a bandit, as all bandit policies need them."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.numerics.regression.design import Sparse
from spotheight.policies.turns import ArmTurns
from spotheight.policies.view import View
from spotheight.questions import GroupTask, PreparedTask
from spotheight.questions.protocol import Worth
from spotheight.questions.quantities import ArmBelief, Groups
from spotheight.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Bandit:
    """A task's groups with what is believed of them; rates, for the pool's luck is spent.

    Args:
        task: Says what a label in each group is worth.
        belief: What is believed.
        groups: The groups.
        place: The group of each cell; one more for cells that lie in none.
        share: (cells, groups), sparse: how probably an item of a cell lies in each group, where
            attributes are only guessed.
        taken: Labels that each group gets in this batch.
        reckon: What the task says a label is worth under this belief.
    """

    task: GroupTask
    belief: ArmBelief = field(repr=False)
    groups: Groups = field(repr=False)
    place: IntArray = field(repr=False)
    taken: FloatArray = field(repr=False)
    reckon: Worth = field(repr=False)
    share: Sparse | None = field(repr=False, default=None)

    @classmethod
    def of(cls, view: View, policy: str) -> "Bandit":
        """What a policy of this name gets to see; raise where its task knows no groups."""
        task = view.task
        if not isinstance(task, GroupTask):
            raise InputError(
                f"{policy} cannot serve the task {type(task).__name__}; choose another policy."
            )
        belief = view.arm_belief.of("rate")
        groups = task.groups(belief)
        group = groups.group[view.likeliest]
        place = np.where(group < 0, len(groups), group)
        share = None if view.share is None else view.share @ groups.summing
        reckon = (
            task.worth_by(belief) if isinstance(task, PreparedTask) else partial(task.worth, belief)
        )
        return cls(task, belief, groups, place, np.zeros(len(groups)), reckon, share)

    def is_open(self, left: IntArray) -> BoolArray:
        """Which groups have items left."""
        if self.share is not None:
            return np.asarray(left @ self.share).ravel() > 0
        held = np.bincount(self.place, weights=left, minlength=len(self.groups) + 1)
        return held[: len(self.groups)] > 0

    def cell_weights(self, chances: FloatArray, left: IntArray) -> FloatArray:
        """From chances of groups to chances of cells, every item of a group alike.

        Where an item lies in a group only probably, it stands for it by that probability.
        """
        if self.share is None:
            return ArmTurns(self.place, np.append(chances, 0.0), "").weights(left)
        held = np.asarray(left @ self.share).ravel()
        each = np.divide(chances, held, out=np.zeros(len(held)), where=held > 0)
        weight = left * (self.share @ each)
        return weight / weight.sum() if weight.any() else left / left.sum()

    def draw(self, n: int, rng: Generator) -> FloatArray:
        """Joint draws of the belief."""
        return self.task.draw(self.belief, n, rng)

    def worth(self, values: FloatArray) -> FloatArray:
        """Of a label in each group, reckoning with the batch so far; (draws, groups)."""
        return self.reckon(values, self.taken)

    def took(self, cell: int) -> None:
        """Reckon with a label in this cell."""
        if self.share is not None:
            self.taken[:] += self.share[cell].toarray().ravel()
        elif self.place[cell] < len(self.groups):
            self.taken[self.place[cell]] += 1
