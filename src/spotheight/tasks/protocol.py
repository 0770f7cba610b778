"""What a task is: a question that labels are to answer."""

from typing import Any, Protocol

from numpy.random import Generator

from spotheight.beliefs import DirichletBelief, ItemBelief, Surface
from spotheight.evidence import ClassEvidence, Evidence, ItemEvidence, Source
from spotheight.numerics.design import Sparse
from spotheight.types import FloatArray

Belief = Surface | DirichletBelief | ItemBelief
AnyEvidence = Evidence | ClassEvidence | ItemEvidence


class Task(Protocol):
    """Says what evidence it needs, and reads its answer off the belief that follows from it."""

    def evidence(self, source: Source) -> AnyEvidence:
        """What the question is answered from."""
        ...

    def answer(self, belief: Any, rng: Generator) -> Any:
        """The answer, with its uncertainty."""
        ...


class ArmTask(Task, Protocol):
    """A task that can say how much a label in each arm is worth, so that Thompson can serve it."""

    def reward(
        self, surface: Surface, rates: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """The worth of one more label in each arm, if these were the rates; (draws, arms).

        ``more`` counts labels that each arm will have had by then, whatever they will say.
        """
        ...


class TargetTask(Task, Protocol):
    """A task whose error is the variance of some sums of arms, so that gain can serve it."""

    def targets(self, surface: Surface) -> Sparse:
        """(targets, arms)."""
        ...


class ItemTask(Task, Protocol):
    """A task that can say how much a label of each item is worth."""

    def item_reward(self, belief: ItemBelief) -> FloatArray:
        """The worth of a label of each listed item."""
        ...
