"""Protocols of estimators: one for hits, one for outcomes, one for items."""

from abc import abstractmethod
from typing import ClassVar, Protocol, overload

from spotheight.beliefs import DirichletBelief, ItemBelief, SceneBelief, Surface
from spotheight.evidence import ClassEvidence, Evidence, ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.threads import one_thread


class Estimator(Protocol):
    """Settings, and one method that turns evidence into a finished surface.

    An estimator derives from it, and says so where what stands here does not hold.
    """

    joins_arms: ClassVar[bool] = False
    """Whether what is known of an arm tells something of others, so that groups can be read off
    their arms."""

    is_slow: ClassVar[bool] = False
    """Whether campaigns let it begin at an earlier belief."""

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        """The surface after this evidence; a warm ``start`` gives what a cold one gives, sooner."""
        ...


class ClassEstimator(Protocol):
    """Likewise for outcomes per arm."""

    @property
    def needs_surface(self) -> bool:
        """Whether it takes from a surface how often answers are right."""
        ...

    def fit(self, evidence: ClassEvidence, surface: Surface | None = None) -> DirichletBelief:
        """The belief after this evidence; ``surface`` is fitted to its hits."""
        ...


class ItemEstimator(Protocol):
    """Likewise for items one by one, tags or objects in images.

    An estimator derives from it, and refuses what it is not for.
    """

    @overload
    def fit(self, evidence: ItemEvidence) -> ItemBelief: ...

    @overload
    def fit(self, evidence: SceneEvidence) -> SceneBelief: ...

    @one_thread()
    def fit(self, evidence: ItemEvidence | SceneEvidence) -> ItemBelief | SceneBelief:
        """The belief after this evidence."""
        if isinstance(evidence, SceneEvidence):
            return self.of_objects(evidence)
        return self.of_tags(evidence)

    @abstractmethod
    def of_tags(self, evidence: ItemEvidence) -> ItemBelief:
        """What is believed of items that are true or not."""
        ...

    @abstractmethod
    def of_objects(self, evidence: SceneEvidence) -> SceneBelief:
        """What is believed of objects in images."""
        ...
