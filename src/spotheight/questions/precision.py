"""Precision@K: how many of the best-ranked items are right?"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import ItemBelief
from spotheight.beliefs.listgains import ListGains
from spotheight.errors import InputError
from spotheight.evidence import Cut, ItemEvidence, Source
from spotheight.numerics.ranking.lists import expected_precisions, precision_slopes
from spotheight.numerics.sums import sum_by
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.lists import expected_changes, list_answer
from spotheight.questions.values import require_level
from spotheight.types import BoolArray, FloatArray


@dataclass(frozen=True)
class PrecisionAt:
    """Precision@K: the share of true ones among a service's ``k`` surest items, by category.

    Args:
        k: How many items of each list are looked at; a shorter list is read at its own length.
        services: Whose lists; empty means all that have scores.
        level: Of the intervals.
    """

    k: int
    services: tuple[str, ...] = ()
    level: float = 0.9

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"Precision@K needs K of at least 1, got {self.k}.")
        require_level(self.level)

    @property
    def name(self) -> str:
        """What is measured."""
        return f"precision@{self.k}"

    @property
    def cut(self) -> Cut:
        return Cut()

    def evidence(self, source: Source) -> ItemEvidence:
        evidence = source.item_evidence(self.services, self.k)
        longest = int(evidence.lists.length.max(initial=0))
        if longest < self.k:
            raise InputError(
                f"K is {self.k}, and the longest list has {longest} items; choose a smaller K."
            )
        return evidence

    def answer(self, belief: ItemBelief, rng: Generator) -> ListAnswer:
        return list_answer(self, belief, rng)

    def inside(self, evidence: ItemEvidence) -> BoolArray:
        slopes = precision_slopes(evidence.lists, self.k)
        return slopes.T > 0

    def expected(self, belief: ItemBelief) -> FloatArray:
        """The mean chance of the first ``k``; of those reckoned with, where some are left out.

        NaN where all of a list are.
        """
        evidence = belief.evidence
        if belief.is_in.all():
            return expected_precisions(belief.chance, evidence.lists, self.k)
        inside = self.inside(evidence) & belief.is_in[:, None]
        shares = np.array([self._shares(belief, one) for one in inside.T])
        return np.where(evidence.lists.length > 0, shares, 0.0)

    def _shares(self, belief: ItemBelief, inside: BoolArray) -> FloatArray:
        size, category = len(belief.evidence.categories), belief.evidence.category[inside]
        held = sum_by(category, np.ones(len(category)), size)
        true = sum_by(category, belief.chance[inside], size)
        return np.divide(true, held, out=np.full(size, np.nan), where=held > 0)

    def of_labels(self, evidence: ItemEvidence, labels: FloatArray) -> FloatArray:
        size = len(evidence.categories)
        values = np.empty((len(labels), len(evidence.services), size))
        for service, slope in enumerate(precision_slopes(evidence.lists, self.k)):
            shares = sparse.csr_matrix(
                (slope, (evidence.category, np.arange(len(slope)))), (size, len(slope))
            )
            values[:, service] = (shares @ labels.T).T
        return values

    def slopes(self, belief: ItemBelief) -> FloatArray:
        return precision_slopes(belief.evidence.lists, self.k)

    def positives(self, evidence: ItemEvidence) -> FloatArray | None:
        return None

    def item_reward(self, belief: ItemBelief) -> FloatArray:
        """Expected change of the services' numbers, (2/K) p (1-p) each."""
        return expected_changes(self, belief)

    def item_gains(self, belief: ItemBelief) -> ListGains:
        """Expected drop of the variance of the services' numbers."""
        return ListGains.of(belief, self.slopes(belief))
