"""Expected gain: label what lowers the expected loss most."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.beliefs.gains import doubts, gains_of
from spotheight.beliefs.protocols import Gains
from spotheight.errors import InputError
from spotheight.numerics.regression.design import Sparse
from spotheight.policies.mix import Mixed
from spotheight.policies.turns import ItemTurns, OneReason, TurnPolicy, Turns, are_best
from spotheight.policies.view import View
from spotheight.questions import TargetTask, is_about_items
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class _Greedy(OneReason):
    """The cell whose label lowers the loss most per price; of cells alike, all items alike."""

    gains: Gains = field(repr=False)
    price: FloatArray = field(repr=False)
    landing: Sparse | None = field(repr=False, default=None)
    _last: list[FloatArray] = field(default_factory=list, repr=False)
    why: str = "its label is expected to lower the error most"
    has_chances: bool = False

    def weights(self, left: IntArray) -> FloatArray:
        if not self._last:
            drop = self.gains.drop()
            if self.landing is not None:
                drop = self.landing @ drop  # an item counts where it belongs, by its chances
            self._last.append(drop / self.price)
        drop = np.where(left > 0, self._last[0], -np.inf)
        # To a surface that ignores scores all cells of an arm are alike: the first of them, where
        # scores are lowest, would not speak for the arm.
        weight = np.where(are_best(drop), left, 0).astype(float)
        return weight / weight.sum()

    def took(self, cell: int) -> None:
        self._last.clear()
        if self.landing is not None:
            cell = int(self.landing[cell].argmax())
        self.gains.took(cell)


@dataclass(frozen=True)
class Gain(TurnPolicy):
    """Label where the expected drop of the task's loss is largest, per price where labels have one.

    Where one number alone is asked for, items are drawn, each by how much it counts and how
    doubtful it is. A question that is not about sums of arms, such as a confusion matrix, gets
    random draws.

    Args:
        share: The part of the labels that is drawn at random from all items, so that every item has
            a chance and estimates that use chances stay possible.
    """

    share: float = 0.2

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError(f"The share of random draws is from 0 to 1, got {self.share:g}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        if is_about_items(view.task):
            belief = view.items("Gain")
            best = _Greedy(view.task.item_gains(belief), belief.evidence.price)
            return Mixed(self.share, ItemTurns("drawn at random"), best)
        # Looking at the belief means fitting it; a question without targets needs none.
        if not isinstance(view.task, TargetTask) or view.surface is None:
            return ItemTurns("drawn at random, for this question says nothing about gains")
        surface = view.surface
        targets = view.task.targets(surface)
        chosen = (
            _allotted(view, surface, targets)
            if targets.shape[0] == 1
            else _Greedy(gains_of(surface, targets), view.cells.price, view.landing)
        )
        return Mixed(self.share, ItemTurns("drawn at random"), chosen)


def _allotted(view: View, surface: Surface, target: Sparse) -> Turns:
    """Draw by how much an item counts in the number and how doubtful its outcome is.

    The best single item for one number is always another of the same few kinds, from which the
    surface is drawn out over all others: where it is not quite right, the number is wrong and too
    sure of itself. Shares by weight times deviation are the best ones if kinds of items had nothing
    in common (Neyman 1934), and speak for all of them.
    """
    cells = surface.cells
    counts = np.abs(target.toarray()[0]) / np.maximum(cells.arm_sum(cells.count), 1.0)
    weight = counts[cells.arm] * doubts(surface, target)
    if view.landing is not None:
        weight = view.landing @ weight  # an item counts where it belongs, by its chances
    why = "drawn by how much it counts and how doubtful it is"
    return ItemTurns(why, weight / np.sqrt(view.cells.price))
