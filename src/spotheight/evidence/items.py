"""Items one by one: what services and noisy labels say of them, and some truths."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from spotheight.numerics.ranking.lists import Lists
from spotheight.numerics.ranking.ranks import mid_ranks
from spotheight.pool.cells import Cells, single_cells
from spotheight.pool.names import JOINT
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray


@dataclass(frozen=True, eq=False)
class ItemEvidence:
    """Items one by one: what every service and every noisy source says of them, and some truths.

    Args:
        ids: The items, in the order of their ids inside a category.
        score: What the lists are ordered by, (items, services); NaN where it was not returned.
        noisy: Doubtful labels from 0 to 1, (items, sources); NaN where there is none.
        truth: The vetted label, NaN where the item is not vetted.
        before: The same items before anything was vetted: what labels do not change is reckoned
            there, once for all moments of a campaign.
    """

    ids: TextArray
    category: IntArray
    categories: tuple[str, ...]
    services: tuple[str, ...]
    score: FloatArray
    noisy: FloatArray
    truth: FloatArray
    price: FloatArray
    before: "ItemEvidence | None" = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def is_vetted(self) -> BoolArray:
        """Whether the truth of each item is known."""
        return ~np.isnan(self.truth)

    @cached_property
    def lists(self) -> Lists:
        """How the services rank the items of each category."""
        if self.before is not None:
            return self.before.lists
        return Lists.of(self.score.T, self.category, len(self.categories))

    @cached_property
    def guess(self) -> FloatArray:
        """The mean of the noisy labels, one half where there is none."""
        if self.before is not None:
            return self.before.guess
        known = ~np.isnan(self.noisy)
        total = np.where(known, self.noisy, 0.0).sum(axis=1)
        sources = known.sum(axis=1)
        return np.divide(total, sources, out=np.full(len(self), 0.5), where=sources > 0)

    @cached_property
    def standing(self) -> FloatArray:
        """The share of a service's scores that lie below each, ties in their middle."""
        if self.before is not None:
            return self.before.standing
        columns = [mid_ranks(one) for one in self.score.T]
        return np.column_stack(columns)

    @cached_property
    def unit(self) -> IntArray:
        """The number of what each item is a part of: the image of an (image, category) pair."""
        if self.before is not None:
            return self.before.unit
        names = [
            str(item)[: -len(self.categories[code]) - len(JOINT)]
            for item, code in zip(self.ids, self.category, strict=True)
        ]
        return np.unique(names, return_inverse=True)[1].ravel()

    def cells(self) -> Cells:
        """Every item as a cell of its own, categories as arms: all policies can draw from these."""
        return single_cells(self.category, self.categories, self.price, self.services[0])

    @cached_property
    def _place(self) -> dict[str, int]:
        """Where each item stands."""
        return {str(item): place for place, item in enumerate(self.ids)}

    def vetted(self, truth: Mapping[str, float]) -> "ItemEvidence":
        """With the labels of some items; of others than these nothing is listed."""
        before, found = self.before or self, np.full(len(self), np.nan)
        for item, label in truth.items():
            place = before._place.get(item)
            if place is not None:
                found[place] = label
        return replace(before, truth=found, before=before)

    def where(self, kept: BoolArray) -> "ItemEvidence":
        """Some of the items."""
        arrays = {name: getattr(self, name)[kept] for name in _BY_ITEM}
        return replace(self, **arrays, before=None)


_BY_ITEM = ("ids", "category", "score", "noisy", "truth", "price")
