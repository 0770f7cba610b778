"""What an estimator is."""

from typing import Protocol, overload

from spotheight.beliefs import DirichletBelief, ItemBelief, SceneBelief, Surface
from spotheight.evidence import ClassEvidence, Evidence, ItemEvidence
from spotheight.evidence.objects import SceneEvidence


class Estimator(Protocol):
    """Settings, and one method that turns evidence into a finished surface."""

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
    """Likewise for items one by one, tags or objects in images."""

    @overload
    def fit(self, evidence: ItemEvidence) -> ItemBelief: ...

    @overload
    def fit(self, evidence: SceneEvidence) -> SceneBelief: ...

    def fit(self, evidence: ItemEvidence | SceneEvidence) -> ItemBelief | SceneBelief:
        """The belief after this evidence."""
        ...
