"""What an estimator is."""

from typing import ClassVar, Protocol, overload

from spotheight.beliefs import DirichletBelief, ItemBelief, SceneBelief, Surface
from spotheight.evidence import ClassEvidence, Evidence, ItemEvidence
from spotheight.evidence.objects import SceneEvidence


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
    """Likewise for items one by one, tags or objects in images."""

    @overload
    def fit(self, evidence: ItemEvidence) -> ItemBelief: ...

    @overload
    def fit(self, evidence: SceneEvidence) -> SceneBelief: ...

    def fit(self, evidence: ItemEvidence | SceneEvidence) -> ItemBelief | SceneBelief:
        """The belief after this evidence."""
        ...
