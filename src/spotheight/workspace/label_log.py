"""Label log: what people said, read even where the pool is gone or the file damaged."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from spotheight.errors import StoreError
from spotheight.exchange.sheet import ITEM, Sheet
from spotheight.history.ledger import Ledger
from spotheight.metrics import Accuracy
from spotheight.pool.roles import Roles, Service
from spotheight.store import DamagedError, Store
from spotheight.workspace.reading import entry, event_of, events, metric

_ANY = Sheet.of(Roles(id=ITEM, services=(Service(ITEM),)), Accuracy())
"""Headings of labels whose campaign cannot say any more what its columns are called."""


@dataclass(frozen=True, eq=False)
class LabelLog:
    """Labels as they stand, and the headings they are written under.

    Args:
        ledger: Who said what.
        sheet: The headings.
        damage: Where the file is damaged, if only what stands before that was read.
    """

    ledger: Ledger
    sheet: Sheet
    damage: DamagedError | None = None

    @classmethod
    def read(cls, path: Path) -> Self:
        """From a campaign's file alone."""
        store = Store.open(path)
        return cls(Ledger.of(events(store)), _sheet(store))

    @classmethod
    def salvage(cls, path: Path) -> Self:
        """From a file that is damaged: what stands before the damage."""
        store, ledger = Store.as_it_is(path), Ledger()
        sound, damage = store.salvage()
        for seq, body in sound:
            try:
                ledger.add(event_of(store, seq, body))
            except DamagedError as error:
                damage = error
                break
        sheet = _ANY
        with suppress(StoreError):
            sheet = _sheet(store, is_checked=False)
        return cls(ledger, sheet, damage)

    @property
    def is_nameless(self) -> bool:
        """Whether the file cannot say any more what the columns are called."""
        return self.sheet is _ANY


def _sheet(store: Store, *, is_checked: bool = True) -> Sheet:
    meta = store.meta(is_checked=is_checked)
    return Sheet.of(entry(store, meta, "roles", Roles), metric(store, meta))
