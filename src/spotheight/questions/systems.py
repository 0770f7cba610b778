"""Ranking of services by their lists: which is best?"""

from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import SceneBelief
from spotheight.beliefs.listgains import ListGains, SingleGains
from spotheight.beliefs.protocols import Gains
from spotheight.evidence import Cut, ItemEvidence, Source
from spotheight.evidence.objects import SceneEvidence
from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.detection import gap_steps
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.lists import (
    LabelTask,
    Listed,
    ListTask,
    expected_gap_changes,
    gap_slopes,
    list_answer,
)
from spotheight.questions.protocol import Task
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

    def evidence(self, source: Source) -> ItemEvidence | SceneEvidence:
        evidence = self.by.evidence(source)
        assert isinstance(evidence, (ItemEvidence, SceneEvidence))
        return evidence

    def answer(self, belief: Listed, rng: Generator) -> ListAnswer:
        return list_answer(self.by, belief, rng, self)

    def item_reward(self, belief: Listed) -> FloatArray:
        """Expected change of the gaps between services."""
        if isinstance(belief, SceneBelief):
            return np.abs(gap_steps(belief)).mean(axis=0).sum(axis=0)
        return expected_gap_changes(cast(LabelTask, self.by), belief)

    def item_gains(self, belief: Listed) -> Gains:
        """Expected drop of the variance of the gaps between services."""
        if isinstance(belief, SceneBelief):
            return SingleGains(gap_steps(belief).var(axis=0).sum(axis=0))
        return ListGains.of(belief, gap_slopes(cast(LabelTask, self.by), belief))


def lists_of(task: Task) -> ListTask | None:
    """The question about ranked lists that a task asks; ``None`` where it asks no such question."""
    inner = getattr(task, "by", task)
    return inner if isinstance(inner, ListTask) else None
