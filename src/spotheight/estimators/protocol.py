"""What an estimator is."""

from typing import Protocol

from spotheight.beliefs import DirichletBelief, ItemBelief, Surface
from spotheight.evidence import ClassEvidence, Evidence, ItemEvidence


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
    """Likewise for items one by one."""

    def fit(self, evidence: ItemEvidence) -> ItemBelief:
        """The belief after this evidence."""
        ...
