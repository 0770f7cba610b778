"""Average precision (AP, mAP): how well do lists rank what is true before what is not?"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief
from spotheight.beliefs.listgains import ListGains
from spotheight.errors import InputError, did_you_mean
from spotheight.evidence import Cut, ItemEvidence, Source
from spotheight.numerics.ranking.lists import (
    average_precision_slopes,
    average_precisions,
    expected_average_precisions,
)
from spotheight.numerics.sums import sum_by
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.lists import expected_changes, list_answer
from spotheight.questions.values import require_level
from spotheight.types import BoolArray, FloatArray


@dataclass(frozen=True)
class AveragePrecision:
    """Average precision of every category's list, and its mean over categories (mAP).

    A true item that a service did not return counts among the positives and is never found. How
    many positives there are is learned with everything else, unless it is known.

    Args:
        known_positives: The number of true items of each category, where it is known; the table
            then need not hold those that no service returned.
        services: Whose lists; empty means all that have scores.
        level: Of the intervals.
    """

    known_positives: Mapping[str, float] = field(default_factory=dict, hash=False)
    services: tuple[str, ...] = ()
    level: float = 0.9
    name = "average precision"

    def __post_init__(self) -> None:
        require_level(self.level)

    @property
    def cut(self) -> Cut:
        return Cut()

    def evidence(self, source: Source) -> ItemEvidence:
        evidence = source.item_evidence(self.services, None)
        known = self.positives(evidence)  # refuses names that are no categories
        if known is not None:
            _require_room(evidence, known)
        return evidence

    def answer(self, belief: ItemBelief, rng: Generator) -> ListAnswer:
        return list_answer(self, belief, rng)

    def inside(self, evidence: ItemEvidence) -> BoolArray:
        """All items, returned or not: they may be true."""
        return np.ones(evidence.score.shape, dtype=bool)

    def expected(self, belief: ItemBelief) -> FloatArray:
        evidence, known = belief.evidence, self.positives(belief.evidence)
        if belief.is_in.all():
            return expected_average_precisions(belief.chance, evidence.lists, known)
        kept = evidence.where(belief.is_in)
        is_seen = np.bincount(kept.category, minlength=len(evidence.categories)) > 0
        if known is not None:
            # Items that are left out take their share of the positives with them.
            held, left = (np.bincount(e.category, minlength=len(known)) for e in (evidence, kept))
            known = np.maximum(known * left / np.maximum(held, 1), 1e-9)
        values = expected_average_precisions(belief.chance[belief.is_in], kept.lists, known)
        return np.where(is_seen, values, np.nan)

    def of_labels(self, evidence: ItemEvidence, labels: FloatArray) -> FloatArray:
        values = average_precisions(labels, evidence.lists)
        known = self.positives(evidence)
        if known is None:
            return values
        found = np.stack(
            [labels[:, evidence.category == c].sum(axis=1) for c in range(len(known))], axis=1
        )
        return values * (found / known)[:, None]

    def slopes(self, belief: ItemBelief) -> FloatArray:
        chance, known = np.nan_to_num(belief.chance), self.positives(belief.evidence)
        return average_precision_slopes(chance, belief.evidence.lists, known)[1]

    def positives(self, evidence: ItemEvidence) -> FloatArray | None:
        if not self.known_positives:
            return None
        names = evidence.categories
        for name, number in self.known_positives.items():
            if name not in names:
                raise InputError(f"There is no category {name!r}; {did_you_mean(name, names)}")
            if not number > 0:
                raise InputError(f"The positives of {name!r} must be more than 0, got {number:g}.")
        missing = [name for name in names if name not in self.known_positives]
        if missing:
            raise InputError(
                f"The number of positives of {missing[0]!r} is not said; name every category."
            )
        return np.array([float(self.known_positives[name]) for name in names])

    def item_reward(self, belief: ItemBelief) -> FloatArray:
        """Expected change of the services' numbers."""
        return expected_changes(self, belief)

    def item_gains(self, belief: ItemBelief) -> ListGains:
        """Expected drop of the variance of the services' numbers."""
        return ListGains.of(belief, self.slopes(belief))


def _require_room(evidence: ItemEvidence, known: FloatArray) -> None:
    """Raise where more items are vetted as true than there are said to be."""
    true = sum_by(evidence.category, np.nan_to_num(evidence.truth), len(known))
    if (true > known).any():
        place = int(np.argmax(true - known))
        raise InputError(
            f"The positives of {evidence.categories[place]!r} are said to be {known[place]:g}, "
            f"and {true[place]:g} of its items are vetted as true already."
        )
