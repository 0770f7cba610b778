"""What moved since the last summary, beyond chance."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot

from bench.summary import Average, Entry, Key, Summary

WATCHED = ("macro", "worst50", "coverage90")

FAR = 2.0
"""Standard errors of the difference."""


@dataclass(frozen=True)
class Move:
    """A measure of an entry, before and after."""

    measure: str
    before: Average
    after: Average

    def __str__(self) -> str:
        return f"{self.measure} {self.before.mean:.3g} -> {self.after.mean:.3g}"


@dataclass(frozen=True)
class Changes:
    """What two summaries do not share.

    Args:
        moved: Entries with at least one measure that moved.
        added: How many entries are new.
    """

    moved: tuple[tuple[Key, tuple[Move, ...]], ...]
    added: int

    @classmethod
    def between(cls, before: Summary, after: Summary) -> "Changes":
        """What the later summary has moved or added."""
        shared = [key for key in after.entries if key in before.entries]
        moves = ((key, tuple(_moves(before.entries[key], after.entries[key]))) for key in shared)
        return cls(tuple(pair for pair in moves if pair[1]), len(after.entries) - len(shared))

    def lines(self) -> Iterator[str]:
        """For a terminal: a line for each entry that moved, one for the new ones."""
        for (study, budget), moves in self.moved:
            what = ", ".join(map(str, moves))
            yield f"{study.case}, {study.method}, {budget} labels: {what}"
        if self.added:
            yield f"{self.added} new entries." if self.added > 1 else "1 new entry."


def _moves(before: Entry, after: Entry) -> Iterator[Move]:
    for name in WATCHED:
        old, new = before.averages.get(name), after.averages.get(name)
        if old is not None and new is not None and is_apart(old, new):
            yield Move(name, old, new)


def is_apart(first: Average, second: Average) -> bool:
    """Whether two means differ by more than chance explains; unknown after one seed, so no."""
    if first.error is None or second.error is None:
        return False
    return abs(first.mean - second.mean) > FAR * hypot(first.error, second.error)
