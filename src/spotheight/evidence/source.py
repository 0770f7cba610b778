"""The source of evidence as questions see it: a protocol that the campaign fulfils."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from spotheight.arms import Recipe
from spotheight.evidence.classes import ClassEvidence, PairedEvidence
from spotheight.evidence.hits import Evidence
from spotheight.evidence.items import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.metrics import Metric


class Cut(NamedTuple):
    """Which cells a question is about; ``None`` means what the campaign has set.

    Args:
        partition: How arms are cut.
        metric: Whose population counts.
        service: Whose answers and scores cut the pool.
    """

    partition: tuple[Recipe, ...] | None = None
    metric: Metric | None = None
    service: str | None = None


class Source(Protocol):
    """Where a task gets evidence from: the campaign, seen from below."""

    def evidence(
        self, partition: Sequence[Recipe] | None, metric: Metric | None, service: str | None
    ) -> Evidence:
        """Hits over a partition; ``None`` means what the campaign has set."""
        ...

    def class_evidence(
        self,
        service: str | None,
        partition: Sequence[Recipe] | None = None,
        classes: Sequence[str] = (),
    ) -> ClassEvidence:
        """True classes over a partition, predicted classes by default; ``classes`` may be true."""
        ...

    def paired_evidence(self, first: str, second: str) -> PairedEvidence:
        """Who of two services was right, over the campaign's arms."""
        ...

    def item_evidence(self, services: Sequence[str], n: int | None) -> ItemEvidence:
        """The items among the ``n`` of highest score in their category, by any of the services.

        All items where ``n`` is ``None``; all services that have scores where none is named.
        """
        ...

    def scene_evidence(self, services: Sequence[str]) -> SceneEvidence:
        """Objects in images and what these services detected; all services where none is named."""
        ...
