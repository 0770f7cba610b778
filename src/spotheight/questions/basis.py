"""Answer protocol: what every question gives back; its basis, what that rests on."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from spotheight.questions.unit import NUMBER, Unit


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on; the campaign that was asked completes it.

    Args:
        question: What was asked.
        estimator: What it was estimated by, as the API names it.
        estimand: ``pool`` or ``rate``.
        level: Of its intervals.
        unit: Of its numbers.
        metric: What the campaign's metric is called.
        service: Whose answers or lists; empty means the campaign's service.
        labels: How many items are labelled.
        used: The campaign's estimators, among them those that ``estimator`` names.
        cautions: Sentences that a reader must know first.
    """

    question: Any
    estimator: str = ""
    estimand: str = "pool"
    level: float = 0.9
    unit: Unit = NUMBER
    metric: str = "metric"
    service: str = ""
    labels: int = 0
    used: tuple[Any, ...] = ()
    cautions: tuple[str, ...] = ()

    @classmethod
    def of(cls, question: Any, belief: Any, service: str = "") -> "Basis":
        """What a question knows of it, before a campaign adds the rest."""
        estimand = getattr(belief, "estimand", "pool")
        return cls(question, belief.estimator, estimand, question.level, service=service)


@runtime_checkable
class Answer(Protocol):
    """A frozen answer: terminal, page and JSON draw this one value.

    An answer may also have ``table()``, what CSV holds where that is not ``frame()``, and
    ``record()``, what a report's JSON holds besides the basis where that is not ``content()``.
    """

    @property
    def basis(self) -> Basis:
        """What it rests on."""
        ...

    def frame(self) -> pa.Table:
        """Its numbers as a table."""
        ...

    def content(self) -> dict[str, Any]:
        """Its numbers as JSON has them."""
        ...

    def plain(self) -> str:
        """What it says, in a sentence or a few."""
        ...
