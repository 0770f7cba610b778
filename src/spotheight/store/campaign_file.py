"""Append-only log: one campaign in one SQLite file, rows of text in order."""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from spotheight.errors import ConflictError, InputError, StoreError
from spotheight.store import schema
from spotheight.store.database import (
    APPLICATION_ID,
    Statement,
    connected,
    rows,
    sibling,
    still_rows,
    unmerged,
    writing,
    written_version,
)
from spotheight.store.drafts import drafting, publish, sweep
from spotheight.store.faults import (
    DISK_FAILED,
    SALVAGE,
    DamagedError,
    code_of,
    doubtful,
    explained,
    is_damage,
    is_failing_disk,
    is_full_disk,
    no_campaign,
    reason_of,
)
from spotheight.store.seals import META, SET_META, digest, meta_digest, seal_events, seal_meta

_LENGTH = "SELECT coalesce(max(seq), 0) FROM event"
_MARKS = "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
_SEALED = "SELECT seq, body, digest FROM event LEFT JOIN seal USING (seq) WHERE seq >= ? ORDER BY 1"
_UNSEALED = "SELECT seq, body, NULL FROM event WHERE seq >= ? ORDER BY seq"
_CLOSED_DOOR = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
SEALS = 2
"""The schema with which events got checksums."""


@dataclass(frozen=True, slots=True)
class Store:
    """A campaign file; ``create`` and ``open`` give you one.

    No connection outlives a call, so a store may be used in any thread and after a fork.
    SQLite's memory of its locks is copied by a fork while the locks are not: a child's events
    would vanish when the parent closes, even those written through a connection of its own.

    Args:
        path: The file.
        version: Its schema: an older one stays where the file cannot be written.
    """

    path: Path
    version: int

    @classmethod
    def create(cls, path: Path, meta: Mapping[str, str], events: Sequence[str] = ()) -> Self:
        """Write a new campaign file; an existing one is never touched."""
        with explained(path, "writable"):
            require_free(path)
            sweep(path.parent)
            with drafting(path) as draft:
                version = _lay_out(draft)
                with writing(draft) as database:
                    _add(database, 0, events, meta)
                _require_merged(draft, path)
                try:
                    publish(draft, path)
                except FileExistsError:
                    raise _taken(path) from None
        return cls(path, version)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Take up a campaign file, and bring an older schema up to date."""
        sweep(path.parent)
        with explained(path, "readable"):
            if not path.is_file():
                raise no_campaign(path)
            application, version = _read(path, Statement(_MARKS))[0]
        if application != APPLICATION_ID:
            raise no_campaign(path)
        return cls(path, _brought_up(path, version))

    @classmethod
    def as_it_is(cls, path: Path) -> Self:
        """Take up a campaign file that may be damaged, to save what can be read of it."""
        version = written_version(path)
        if version is None:
            raise no_campaign(path)
        return cls(path, version)

    def meta(self, *, is_checked: bool = True) -> dict[str, str]:
        """What holds for the whole campaign, by key."""
        with explained(self.path, "readable"):
            meta = dict(_read(self.path, Statement("SELECT key, value FROM meta ORDER BY key")))
        if is_checked and meta.get(META, meta_digest(meta)) != meta_digest(meta):
            raise StoreError(
                f"{self.path} is damaged in what it says about its columns and decisions (the "
                f"checksum does not fit); go back to a copy of it, or: {SALVAGE}."
            )
        meta.pop(META, None)
        return meta

    def events(self, after: int = 0) -> list[tuple[int, str]]:
        """Sequence number and text of every event later than number ``after``, in order.

        Raises:
            DamagedError: Not all can be read, or a checksum does not fit.
        """
        sound, damage = self.salvage(after)
        if damage is not None:
            raise damage
        return sound

    def salvage(self, after: int = 0) -> tuple[list[tuple[int, str]], DamagedError | None]:
        """Events as long as they are whole, and what is wrong after them."""
        found, reason = self._rows_after(Statement(self._query, (after,)))
        if reason:  # perhaps it is the checksums alone that cannot be read
            plain = self._rows_after(Statement(_UNSEALED, (after,), is_lenient=True))[0]
            found = max(found, plain, key=len)
        if after and (not found or found[0][2] is None):
            sound, damage = self.salvage()  # nothing to go on from: from the start, then
            return [row for row in sound if row[0] > after], damage
        before = found[0][2] if after else ""
        sound, fault = _whole(found[bool(after) :], after, before)
        reason = fault or reason
        return sound, DamagedError(self.path, after + len(sound), reason) if reason else None

    @property
    def _query(self) -> str:
        return _SEALED if self.version >= SEALS else _UNSEALED

    def _rows_after(self, query: Statement) -> tuple[list[Any], str]:
        """Rows up to where the file is damaged, and how it is."""
        try:
            with explained(self.path, "readable"):
                return _read(self.path, query), ""
        except StoreError as error:
            cause = error.__cause__
            if not isinstance(cause, sqlite3.Error) or not is_damage(cause):
                raise
            return query.found, str(cause)

    @property
    def length(self) -> int:
        """Sequence number of the last event, 0 when there is none."""
        with explained(self.path, "readable"):
            return _read(self.path, Statement(_LENGTH))[0][0]

    def append(
        self, bodies: Sequence[str], expected: int, meta: Mapping[str, str] | None = None
    ) -> int:
        """Add events and set entries of ``meta``, all or nothing; gives the new length.

        Raises:
            ConflictError: There are not ``expected`` events any more; nothing was written.
        """
        with explained(self.path, "writable"):
            if self.version < SEALS:
                _migrate(self.path, self.version)
            with self._telling_the_truth(bodies, expected), writing(self.path) as database:
                (length,) = database.execute(_LENGTH).fetchone()
                if length != expected:
                    raise ConflictError(
                        f"{self.path} holds {length} events, not {expected}: someone else wrote "
                        "first; read it again and repeat."
                    )
                _add(database, expected, bodies, meta or {})
        return expected + len(bodies)

    @contextmanager
    def _telling_the_truth(self, bodies: Sequence[str], expected: int) -> Any:
        """Where the disk fails, say whether the step was kept: a look at the file tells."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if not is_failing_disk(error):
                raise
            is_kept = self._holds(bodies, expected)
            if is_kept is False and is_full_disk(error):
                raise  # the plain case has a plain sentence
            raise doubtful(self.path, reason_of(error), is_kept) from error

    def _holds(self, bodies: Sequence[str], after: int) -> bool | None:
        """Whether these events follow number ``after``; nothing where the file cannot be read."""
        try:
            found = [body for _, body in self.events(after)]
        except StoreError:
            return None
        return bool(bodies) and found[: len(bodies)] == list(bodies)


def _read(path: Path, query: Statement) -> list[Any]:
    # No lock files of someone who may not write: see ``writing``.
    if os.access(path, os.W_OK) or unmerged(path):
        try:
            return rows(path, query)
        except sqlite3.OperationalError as error:
            if code_of(error) not in _CLOSED_DOOR + DISK_FAILED:
                raise
    return still_rows(path, query)


def _whole(
    found: Sequence[tuple[int, str, str | None]], after: int, before: str
) -> tuple[list[tuple[int, str]], str]:
    """Events up to the first whose number or checksum is wrong, and what is wrong there."""
    sound: list[tuple[int, str]] = []
    for expected, (seq, body, seal) in enumerate(found, start=after + 1):
        if seq != expected:
            return sound, "it is missing"
        before = digest(before, body)
        if seal is not None and seal != before:
            return sound, "its checksum does not fit"
        sound.append((seq, body))
    return sound, ""


def _add(
    database: sqlite3.Connection, last: int, bodies: Sequence[str], meta: Mapping[str, str]
) -> None:
    database.executemany(
        "INSERT INTO event (seq, body) VALUES (?, ?)", enumerate(bodies, start=last + 1)
    )
    seal_events(database)
    if meta:
        database.executemany(SET_META, meta.items())
        seal_meta(database)


def _lay_out(path: Path) -> int:
    with connected(path, "mode=rwc") as database:
        # The file remembers both; without shared memory it stays in rollback mode, also safe.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return _migrate(path, version=0)


def _require_merged(draft: Path, path: Path) -> None:
    """Raise where SQLite could not bring its log into the file: closing does not say so."""
    if unmerged(draft):
        raise doubtful(path, "its log could not be merged", is_kept=False)


def _brought_up(path: Path, version: int) -> int:
    """The schema of the file from now on: the newest, or what it has where it cannot be written."""
    with explained(path, "writable"):
        try:
            return _migrate(path, version)
        except PermissionError:
            return version
        except sqlite3.Error as error:
            if code_of(error) not in _CLOSED_DOOR + DISK_FAILED:
                raise
            return version


def _migrate(path: Path, version: int) -> int:
    known = len(schema.scripts())
    if version < 0:
        raise StoreError(f"{path} is damaged (its schema is {version}); go back to a copy of it.")
    if version > known:
        raise StoreError(
            f"{path} was written by a newer spotheight (its schema is {version}, this one knows "
            f"up to {known}); upgrade spotheight."
        )
    for number in range(version + 1, known + 1):
        with writing(path) as database:
            schema.advance(database, number)
            if number == SEALS:
                seal_events(database)
                seal_meta(database)
    return known


def require_free(path: Path) -> None:
    """Raise where a new campaign cannot have this name."""
    if not path.parent.is_dir():
        raise InputError(
            f"There is no folder {path.parent} to write {path.name} to; make it first."
        )
    if os.path.lexists(path):
        raise _taken(path)
    for suffix in ("-wal", "-journal"):
        if (rest := sibling(path, suffix)).exists():
            # SQLite would play an old log into the new file, whatever it belongs to.
            raise InputError(
                f"{rest} is left over from an earlier {path.name}; choose another name with -o, "
                "or remove it first."
            )


def _taken(path: Path) -> InputError:
    return InputError(f"{path} already exists; choose another name with -o, or remove it first.")
