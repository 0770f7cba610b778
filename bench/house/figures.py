"""Figures of the house, and how they are shown."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Args:
        what: What was counted.
        now: The count; ``None`` where it could not be taken.
        aim: What is wanted: so many at most; ``None`` where no aim was set.
        was: The count when the aims were set, before commit c92a5eb, by the same rule.
        which: The things that were counted, where a reader will ask.
    """

    what: str
    now: int | None
    aim: int | None = None
    was: int | None = None
    which: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool | None:
        """Whether the aim is reached; ``None`` where none was set or nothing was counted."""
        return None if self.now is None or self.aim is None else self.now <= self.aim

    def cells(self) -> tuple[str, ...]:
        """As a row of the table."""
        met = {None: "", True: "yes", False: "no"}[self.is_met]
        return self.what, _count(self.was), _count(self.now), _count(self.aim), met


HEADINGS = ("what is counted", "was", "now", "aim", "met")


def markdown(figures: Sequence[Figure]) -> str:
    """A table, and below it what is behind the counts that a reader will ask about."""
    rows = [HEADINGS, ("---", *["---:"] * (len(HEADINGS) - 1)), *(f.cells() for f in figures)]
    table = ["| " + " | ".join(row) + " |" for row in rows]
    notes = [f"- {f.what}: {', '.join(f.which)}" for f in figures if f.which]
    return "\n".join([*table, "", *notes]).rstrip() + "\n"


def as_json(figures: Sequence[Figure]) -> str:
    """The same figures for a program."""
    return json.dumps([asdict(figure) | {"met": figure.is_met} for figure in figures], indent=2)


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
