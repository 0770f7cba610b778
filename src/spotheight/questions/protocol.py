"""Task protocols: what a question must say, and what policies may ask of it."""

from collections.abc import Callable
from typing import Any, Protocol, TypeGuard, runtime_checkable

from numpy.random import Generator

from spotheight.beliefs import DirichletBelief, ItemBelief, SceneBelief, Surface
from spotheight.beliefs.protocols import Gains
from spotheight.evidence import ClassEvidence, Cut, Evidence, ItemEvidence, Source
from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.quantities import Groups
from spotheight.types import FloatArray

Belief = Surface | DirichletBelief | ItemBelief | SceneBelief
AnyEvidence = Evidence | ClassEvidence | ItemEvidence | SceneEvidence

Worth = Callable[[FloatArray, FloatArray | float], FloatArray]
"""From values and labels to come to the worth of a label in each group."""


class Task(Protocol):
    """Says what evidence it needs, and reads its answer off the belief that follows from it."""

    @property
    def cut(self) -> Cut:
        """The cells from which its items are chosen."""
        ...

    def evidence(self, source: Source) -> AnyEvidence:
        """What the question is answered from."""
        ...

    def answer(self, belief: Any, rng: Generator) -> Any:
        """The answer, with its uncertainty."""
        ...


@runtime_checkable
class GroupTask(Task, Protocol):
    """A task that can say what a label in each group is worth, so that bandits can serve it."""

    @property
    def plays(self) -> int:
        """How many groups it looks for: so many get a label from one draw."""
        ...

    def groups(self, belief: Any) -> Groups:
        """The groups, each of one or more arms of the belief."""
        ...

    def draw(self, belief: Any, n: int, rng: Generator) -> FloatArray:
        """What may be true, draws on the first axis."""
        ...

    def worth(self, belief: Any, values: FloatArray, more: FloatArray | float = 0.0) -> FloatArray:
        """The worth of one more label in each group, if these values were true; (draws, groups).

        ``more`` counts labels that each group will have had by then, whatever they will say.
        """
        ...

    def expected(self, belief: Any, rng: Generator) -> FloatArray:
        """The expected worth of one more label in each group."""
        ...


@runtime_checkable
class PreparedTask(GroupTask, Protocol):
    """A task that looks things up in a belief, which a batch of labels needs only once."""

    def worth_by(self, belief: Any) -> Worth:
        """What ``worth`` says under this belief."""
        ...


@runtime_checkable
class BoundedTask(GroupTask, Protocol):
    """A task that knows how much a label may be worth without drawing it."""

    def bound(self, belief: Any, share: float, rng: Generator) -> FloatArray:
        """The worth of each group that ``share`` of the belief lies below."""
        ...


@runtime_checkable
class TargetTask(Task, Protocol):
    """A task whose error is the variance of some sums of arms, so that gain can serve it."""

    def targets(self, surface: Surface) -> Sparse:
        """(targets, arms)."""
        ...


@runtime_checkable
class ItemTask(Task, Protocol):
    """A task that can say how much a label of each item is worth."""

    def item_reward(self, belief: Any) -> FloatArray:
        """How far the label of each listed item is expected to move the answer."""
        ...

    def item_gains(self, belief: Any) -> Gains:
        """How much the labels of listed items lower the variance of the answer."""
        ...


def is_about_items(task: Task) -> TypeGuard[ItemTask]:
    """Whether a task looks at items one by one, as those about ranked lists do."""
    return isinstance(task, ItemTask)
