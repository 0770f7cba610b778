"""Lists of tags and objects in images: an estimator makes each of them its own way."""

from abc import ABC, abstractmethod
from typing import overload

from spotheight.beliefs import ItemBelief, SceneBelief
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.threads import one_thread


class ListFit(ABC):
    """The one place that tells tags from objects; an estimator refuses what it is not for."""

    @overload
    def fit(self, evidence: ItemEvidence) -> ItemBelief: ...

    @overload
    def fit(self, evidence: SceneEvidence) -> SceneBelief: ...

    @one_thread()
    def fit(self, evidence: ItemEvidence | SceneEvidence) -> ItemBelief | SceneBelief:
        if isinstance(evidence, SceneEvidence):
            return self.of_objects(evidence)
        return self.of_tags(evidence)

    @abstractmethod
    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        """What is believed of items that are true or not."""

    @abstractmethod
    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        """What is believed of objects in images."""
