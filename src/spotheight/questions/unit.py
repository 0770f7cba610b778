"""Unit of a number: what it is called and how it is read."""

from dataclasses import dataclass
from typing import Any

from spotheight.metrics import Metric


@dataclass(frozen=True, slots=True)
class Unit:
    """Unit of a number.

    Args:
        name: In words.
        is_share: Whether it is read in percent; a cost is not.
        is_bad_high: Whether a high number is bad news.
        short: What it is called beside an answer, where that is not its name.
    """

    name: str
    is_share: bool = True
    is_bad_high: bool = False
    short: str = ""

    @property
    def heading(self) -> str:
        """What stands beside an answer or above a column."""
        return self.short or self.name


NUMBER = Unit("number", is_share=False)


def unit_of(question: Any, metric: Metric) -> Unit:
    """The unit of a question, or of what it is about."""
    each: Any
    for each in (question, getattr(question, "of", None), getattr(question, "by", None)):
        if hasattr(each, "unit"):
            unit: Unit = each.unit(metric)
            return unit
        if isinstance(name := getattr(each, "name", None), str):
            return Unit(name)
    return NUMBER
