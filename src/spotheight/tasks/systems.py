"""Which system ranks best?"""

from dataclasses import dataclass, field
from typing import cast

from numpy.random import Generator

from spotheight.beliefs import ItemBelief
from spotheight.evidence import Cut, ItemEvidence, Source
from spotheight.tasks.averageprecision import AveragePrecision
from spotheight.tasks.lists import (
    ListAnswer,
    ListTask,
    expected_gap_changes,
    gap_variance_drops,
    list_answer,
)
from spotheight.tasks.protocol import Task
from spotheight.types import FloatArray


@dataclass(frozen=True)
class RankSystems:
    """Rank services by their lists: vet what moves the gaps between them most.

    Args:
        by: What is measured.
    """

    by: ListTask = field(default_factory=AveragePrecision)

    @property
    def cut(self) -> Cut:
        return Cut()

    def evidence(self, source: Source) -> ItemEvidence:
        evidence = self.by.evidence(source)
        assert isinstance(evidence, ItemEvidence)
        return evidence

    def answer(self, belief: ItemBelief, rng: Generator) -> ListAnswer:
        return list_answer(self.by, belief, rng)

    def item_reward(self, belief: ItemBelief) -> FloatArray:
        """Expected change of the gaps between services."""
        return expected_gap_changes(self.by, belief)

    def item_gain(self, belief: ItemBelief) -> FloatArray:
        """Expected drop of the variance of the gaps between services."""
        return gap_variance_drops(self.by, belief)


def lists_of(task: Task) -> ListTask | None:
    """The question about ranked lists that a task asks; ``None`` where it asks no such question."""
    inner = getattr(task, "by", task)
    return cast(ListTask, inner) if hasattr(inner, "of_labels") else None
