"""SQLite connections and transactions of a campaign file."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from spotheight.errors import StoreError
from spotheight.store import faults
from spotheight.store.drafts import locks_fail

APPLICATION_ID = 0x53504F54
"""Reads "SPOT" at byte 68 of the file: tells a campaign from any other SQLite file."""

SIDES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file while it is written."""

ONE_WAIT = 1.0
"""Seconds after which whoever waits makes sure that locks work at all."""

_MAGIC, _VERSION, _APPLICATION = b"SQLite format 3\x00", slice(60, 64), slice(68, 72)
"""Places in a file's header: section 1.3 of SQLite's file format."""


def is_campaign(path: Path) -> bool:
    """Whether a file is a campaign, by its first bytes; a damaged one still is."""
    return written_version(path) is not None


def written_version(path: Path) -> int | None:
    """The schema that a campaign's first bytes name; nothing where the file is no campaign."""
    try:
        with path.open("rb") as file:
            start = file.read(_APPLICATION.stop)
    except OSError:
        return None
    if not start.startswith(_MAGIC) or start[_APPLICATION] != APPLICATION_ID.to_bytes(4):
        return None
    return int.from_bytes(start[_VERSION])


@contextmanager
def connected(path: Path, mode: str, *, is_lenient: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that is closed again; SQLite waits for others a second at most."""
    name = f"{path.absolute().as_uri()}?{mode}"
    wait = min(ONE_WAIT, faults.PATIENCE)
    with closing(sqlite3.connect(name, uri=True, timeout=wait, isolation_level=None)) as database:
        if is_lenient:  # the one way to have SQLite overlook a length that is wrong
            database.execute("PRAGMA writable_schema = ON")
        # In WAL mode anything less may lose the last commits when the power goes.
        database.execute("PRAGMA synchronous = FULL")
        yield database


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """All that is written inside stays, or none of it does."""
    if path.exists() and not os.access(path, os.W_OK):
        # SQLite would find out too, and leave lock files that shut out those who may write.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with connected(path, "mode=rw") as database:
        # IMMEDIATE: a transaction that starts as a reader cannot wait for its turn to write.
        patiently(path, lambda: database.execute("BEGIN IMMEDIATE"))
        try:
            yield database
            database.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # what went wrong first is what counts
                database.rollback()
            raise


def patiently(path: Path, act: Callable[[], Any]) -> Any:
    """What ``act`` gives, as soon as others let go of the file.

    SQLite takes a file system that has no locks for one on which somebody else holds them.
    """
    deadline = monotonic() + faults.PATIENCE
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if faults.code_of(error) != sqlite3.SQLITE_BUSY or monotonic() >= deadline:
                raise
        if refusal := locks_fail(path.resolve().parent):
            raise faults.no_locks(path, str(refusal.strerror))


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL for a file; ``found`` holds the rows so far, also when the next cannot be read.

    Args:
        text: In SQL.
        parameters: What stands for its question marks.
        is_lenient: Whether a file that lost its end is read as far as it goes.
    """

    text: str
    parameters: tuple[int, ...] = ()
    is_lenient: bool = False
    found: list[Any] = field(default_factory=list)


def rows(path: Path, query: Statement, mode: str = "mode=rw") -> list[Any]:
    """All rows of a query."""

    def read() -> list[Any]:
        query.found.clear()
        with connected(path, mode, is_lenient=query.is_lenient) as database:
            query.found.extend(database.execute(query.text, query.parameters))
        return query.found

    return patiently(path, read)


def still_rows(path: Path, query: Statement) -> list[Any]:
    """Read without lock files: nobody here may write, or the folder is closed or full.

    ``immutable`` promises that nobody writes meanwhile; looking again afterwards makes sure.
    """
    if unmerged(path):
        raise StoreError(
            f"{path} is not readable where it is, because its latest events are still in "
            f"{path.name}-wal; copy both files to a folder you may write to."
        )
    before = _footprint(path)
    try:
        return rows(path, query, "mode=ro&immutable=1")
    finally:
        if unmerged(path) or _footprint(path) != before:
            raise StoreError(f"{path} was written to while it was read; repeat the command.")


def _footprint(path: Path) -> tuple[int, int]:
    file = path.stat()
    return file.st_size, file.st_mtime_ns


def unmerged(path: Path) -> int:
    """Bytes of SQLite's log beside the file: a live writer, or one that was killed."""
    try:
        return sibling(path.resolve(), "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def sibling(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps beside the campaign."""
    return path.with_name(path.name + suffix)
