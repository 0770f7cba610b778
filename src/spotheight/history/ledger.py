"""Ledger: the fold of an event log; who said what, what is out, what is free."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median

from spotheight.history.events import (
    Asked,
    Attributed,
    Corrected,
    Event,
    Label,
    Query,
    Released,
    Relinked,
    Skipped,
    Told,
)

Shares = Mapping[str | float, float]
"""Labels of one item with their shares, which add up to one."""


@dataclass(slots=True)
class Ledger:
    """Where a campaign stands after some events; the same whether folded at once or in steps.

    ``attributions`` counts the events that told true levels: what these are follows from it.
    """

    told: dict[str, dict[str, Label]] = field(default_factory=dict)
    asked: dict[str, Query] = field(default_factory=dict)
    out: dict[str, dict[str, str | None]] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    gold: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    attributions: int = 0

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Ledger":
        """Fold events from the beginning."""
        ledger = cls()
        for event in events:
            ledger.add(event)
        return ledger

    def add(self, event: Event) -> None:
        """Take one more event in."""
        match event:
            case Asked():
                self._ask(event)
            case Told() | Corrected():
                self._tell(event)
            case Skipped():
                # Whoever could not label an item takes no label back that someone else gave it.
                self.skipped.update(set(event.items) - self.told.keys())
                self._return(event.items, event.annotator)
            case Attributed():
                for item, levels in event.levels.items():
                    by = self.gold.setdefault(item, {})
                    by[event.annotator] = {**by.get(event.annotator, {}), **levels}
                self.attributions += 1
            case Released():
                self._return(event.items, event.annotator)
            case Relinked():
                pass

    def _ask(self, event: Asked) -> None:
        for query in event.queries:
            self.asked.setdefault(query.item, query)
            self.out.setdefault(query.item, {})[event.annotator] = event.until

    def _tell(self, event: Told | Corrected) -> None:
        for item, label in event.labels.items():
            by = self.told.setdefault(item, {})
            before = by.get(event.annotator)
            if isinstance(before, Mapping) and isinstance(label, Mapping):
                label = {**before, **label}
            by[event.annotator] = label
        self.skipped.difference_update(event.labels)
        self._return(event.labels, event.annotator)

    def _return(self, items: Iterable[str], annotator: str) -> None:
        for item in items:
            holders = self.out.get(item)
            if holders is not None:
                # A label from anybody ends the wait for whoever was asked without a name.
                holders.pop(annotator, None)
                holders.pop("", None)
                if not holders:
                    del self.out[item]

    def is_out(self, item: str, now: str | None) -> bool:
        """Whether someone still holds the item; a deadline that has passed frees it."""
        holders = self.out.get(item, {})
        return any(until is None or now is None or until > now for until in holders.values())

    def taken(self, now: str | None) -> set[str]:
        """Items that are not to be handed out."""
        held = {item for item in self.out if self.is_out(item, now)}
        return self.told.keys() | self.skipped | held

    def gold_level(self, item: str, attribute: str) -> str | None:
        """The level that people say a guessed attribute has; nothing where they are at odds."""
        by = self.gold.get(item)
        if by is None:
            return None
        said = [levels.get(attribute) for levels in by.values()]
        if len(said) == 1:
            return said[0]  # nearly always
        shares = agreed([level for level in said if level is not None], "")
        return str(next(iter(shares))) if len(shares) == 1 else None

    def chance(self, item: str) -> float | None:
        """The chance with which an item was chosen, or none."""
        query = self.asked.get(item)
        return None if query is None else query.chance


def agreed(labels: Iterable[Label], service: str) -> Shares:
    """Majority vote of several annotators on one item, a tie by halves.

    Numbers and verdicts go by their median, which is the majority of yes and no.

    >>> agreed(["cat", "dog", "cat"], "")
    {'cat': 1.0}
    >>> agreed(["cat", "dog"], "")
    {'cat': 0.5, 'dog': 0.5}
    """
    values = [label.get(service) if isinstance(label, Mapping) else label for label in labels]
    if len(values) == 1 and values[0] is not None:
        return {values[0]: 1.0}  # nearly always; the rest is slow in a simulation
    known = [value for value in values if value is not None]
    numbers = [value for value in known if not isinstance(value, str)]
    if numbers:
        return {median(numbers): 1.0}
    votes = Counter(known)
    most = max(votes.values(), default=0)
    winners = sorted(str(value) for value, count in votes.items() if count == most)
    return {winner: 1 / len(winners) for winner in winners}
