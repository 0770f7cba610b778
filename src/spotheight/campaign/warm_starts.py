"""Warm starts: where slow fits begin, at an earlier belief that follows from the log alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spotheight.history.events import Event, Told
from spotheight.history.ledger import Ledger
from spotheight.questions import Belief

MOST_KEPT = 4
"""One for each of the questions that come in turn."""


def milestone(labels: int) -> int:
    """The last of some round numbers of labels, a quarter apart, that has been reached.

    >>> [milestone(labels) for labels in (1, 9, 100, 1000, 1012)]
    [1, 8, 97, 891, 891]
    """
    reached = min(labels, 1)
    while reached and (further := reached + max(1, reached // 4)) <= labels:
        reached = further
    return reached


def position(log: Sequence[Event], labels: int) -> tuple[int, int]:
    """After how many events so many items had a label, and how many had one then."""
    told: set[str] = set()
    for number, event in enumerate(log, start=1):
        if isinstance(event, Told):
            told.update(event.labels)
        if len(told) >= labels:
            return number, len(told)
    return len(log), len(told)


@dataclass(eq=False)
class WarmStarts:
    """Beliefs at milestones, for later fits to begin at.

    A fit that began at whatever was fitted last would depend, in its last digits, on when the
    process was started and what it was asked; a reloaded campaign would choose other items.
    """

    kept: list[tuple[object, Belief]] = field(default_factory=list)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)

    def of(
        self, log: Sequence[Event], told: int, key: object, fit: Callable[[Ledger], Belief]
    ) -> Belief | None:
        """The belief at the last milestone, fitted from nothing; none where no label came since."""
        at, had = self._place(log, milestone(told))
        if had >= told:
            return None
        for known, belief in self.kept:
            if known == (at, key):
                return belief
        belief = fit(Ledger.of(log[:at]))
        self.kept = [*self.kept[1 - MOST_KEPT :], ((at, key), belief)]
        return belief

    def _place(self, log: Sequence[Event], labels: int) -> tuple[int, int]:
        """Where a milestone was reached, looked up once: a log only grows."""
        if labels not in self.places:
            self.places[labels] = position(log, labels)
        return self.places[labels]
