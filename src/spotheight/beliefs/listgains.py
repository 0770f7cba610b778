"""Value of a label for ranked lists: what an item's label is expected to tell of their numbers.

The label z of an item and a number M that adds up labels with known slopes: whatever z turns out to
be, M is expected to move by cov(z, M) / var(z) times its surprise, so that the label lowers the
variance of M by cov(z, M)^2 / var(z), exactly. Part of the covariance is the item's own place in M.
The rest is what it tells of other items: their chances hang on the same weights, which nobody knows
for certain. Without that part a policy vets what is even odds by itself, and leaves a hundred items
alone that are true together or false together.
"""

from dataclasses import dataclass, field

import numpy as np

from spotheight.beliefs.items import ItemBelief
from spotheight.types import FloatArray, IntArray, NarrowArray

KNOWN = 1e-12
"""A label of less variance than this is taken for known."""


@dataclass(frozen=True, eq=False)
class SingleGains:
    """Gains of items that teach nothing about each other."""

    worth: FloatArray = field(repr=False)

    def drop(self) -> FloatArray:
        return self.worth

    def took(self, cell: int) -> None:
        """Its label is out; the others keep their worth."""


@dataclass(frozen=True, eq=False)
class ListGains:
    """Gains of items that teach about others of their category.

    What they teach about other categories is left aside: little, after some labels.

    Args:
        worth: Of the label of every item; kept up to date.
        place: The category of every item, and its place there; -1 where nothing is in doubt.
        categories: By number, those in which something is.
    """

    worth: FloatArray = field(repr=False)
    place: tuple[IntArray, IntArray] = field(repr=False)
    categories: dict[int, "_Category"] = field(repr=False)

    @classmethod
    def of(cls, belief: ItemBelief, targets: FloatArray) -> "ListGains":
        """The loss is the summed variance of the targets, (targets, items): slopes of labels."""
        category, within = belief.evidence.category, np.full(len(belief.chance), -1)
        gains = cls(np.zeros(len(belief.chance)), (category, within), {})
        order = np.flatnonzero(belief.is_open)
        order = order[np.argsort(category[order], kind="stable")]
        numbers, first = np.unique(category[order], return_index=True)
        for number, where in zip(numbers, np.split(order, first)[1:], strict=True):
            within[where] = np.arange(len(where))
            gains.categories[int(number)] = _Category.of(belief, targets[:, where], where)
            gains._look(int(number))
        return gains

    def drop(self) -> FloatArray:
        return self.worth

    def took(self, cell: int) -> None:
        category, within = (int(part[cell]) for part in self.place)
        if within >= 0:
            self.categories[category].took(within)
            self._look(category)

    def _look(self, category: int) -> None:
        one = self.categories[category]
        self.worth[one.where] = one.drop()


@dataclass(frozen=True, eq=False)
class _Category:
    """Joint Gaussian of the labels in doubt of one category.

    Args:
        where: Which they are.
        spread: Deviations of their chances, (draws, items), whose products add up to covariances;
            to six digits, for they come from draws.
        variance: Of each label.
        pull: The covariance of each label with every target, (targets, items).
        taught: For each label that came since, by how much it explains the others.
    """

    where: IntArray = field(repr=False)
    spread: NarrowArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    pull: FloatArray = field(repr=False)
    taught: list[FloatArray] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, belief: ItemBelief, targets: FloatArray, where: IntArray) -> "_Category":
        spread, chance = belief.spread(where), belief.chance[where]
        shared = np.einsum("di,di->i", spread, spread, dtype=float)
        variance = np.maximum(chance * (1 - chance), shared)
        pull = targets * (variance - shared) + (targets.astype(np.float32) @ spread.T) @ spread
        return cls(where, spread, variance, pull)

    def drop(self) -> FloatArray:
        lowered = (self.pull**2).sum(axis=0)
        is_open = self.variance > KNOWN
        return np.divide(lowered, self.variance, out=np.zeros(len(lowered)), where=is_open)

    def took(self, item: int) -> None:
        """Whatever its label: the rank-one step of linear regression on it."""
        variance = self.variance[item]
        if variance <= KNOWN:
            return
        together = (self.spread[:, item] @ self.spread).astype(float)
        for step in self.taught:
            together -= step[item] * step
        together[item] = variance
        step = together / np.sqrt(variance)
        self.pull[:] -= np.outer(self.pull[:, item] / np.sqrt(variance), step)
        self.variance[:] = np.maximum(self.variance - step**2, 0.0)
        self.taught.append(step)
