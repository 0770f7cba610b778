"""One campaign in one SQLite file: rows of text in order, only ever added to."""

import errno
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, Self

from spotheight import schema
from spotheight.errors import ConflictError, InputError, StoreError

APPLICATION_ID = 0x53504F54
"""Reads "SPOT" at byte 68 of the file: tells a campaign from any other SQLite file."""

PATIENCE = 30.0
"""Seconds to wait for another writer: a transaction takes milliseconds, on a slow disk seconds."""

_LENGTH = "SELECT coalesce(max(seq), 0) FROM event"
_MARKS = "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
_CLOSED_DOOR = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
_DISK_FAILED = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


@dataclass(frozen=True, slots=True)
class Store:
    """A campaign file; ``create`` and ``open`` give you one.

    No connection outlives a call, so a store may be used in any thread and after a fork.
    SQLite's memory of its locks is copied by a fork while the locks are not: a child's events
    would vanish when the parent closes, even those written through a connection of its own.
    """

    path: Path

    @classmethod
    def create(cls, path: Path, meta: Mapping[str, str], events: Sequence[str] = ()) -> Self:
        """Write a new campaign file; an existing one is never touched."""
        with _explained(path, "writable"):
            _require_free(path)
            with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as folder:
                draft = Path(folder) / "draft.db"
                _lay_out(draft)
                with _writing(draft) as database:
                    _add(database, 0, events, meta)
                _publish(draft, path)
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Take up a campaign file, and bring an older schema up to date."""
        store = cls(path)
        with _explained(path, "readable"):
            if not path.is_file():
                raise _no_campaign(path)
            application, version = store._read(_MARKS)[0]
        if application != APPLICATION_ID:
            raise _no_campaign(path)
        with _explained(path, "writable"):
            _migrate(path, version)
        return store

    def meta(self) -> dict[str, str]:
        """What holds for the whole campaign, by key."""
        return dict(self._read("SELECT key, value FROM meta ORDER BY key"))

    def events(self, after: int = 0) -> list[tuple[int, str]]:
        """Sequence number and text of every event later than number ``after``, in order."""
        return self._read("SELECT seq, body FROM event WHERE seq > ? ORDER BY seq", after)

    @property
    def length(self) -> int:
        """Sequence number of the last event, 0 when there is none."""
        return self._read(_LENGTH)[0][0]

    def append(
        self, bodies: Sequence[str], expected: int, meta: Mapping[str, str] | None = None
    ) -> int:
        """Add events and set entries of ``meta``, all or nothing; gives the new length.

        Raises:
            ConflictError: There are not ``expected`` events any more; nothing was written.
        """
        with _explained(self.path, "writable"), _writing(self.path) as database:
            (length,) = database.execute(_LENGTH).fetchone()
            if length != expected:
                raise ConflictError(
                    f"{self.path} holds {length} events, not {expected}: someone else wrote "
                    "first; read it again and repeat."
                )
            _add(database, expected, bodies, meta or {})
        return expected + len(bodies)

    def close(self) -> None:
        """Be done with the file; nothing is held between calls, so nothing is lost without."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _read(self, query: str, *parameters: int) -> list[Any]:
        with _explained(self.path, "readable"):
            # No lock files of someone who may not write: see _writing.
            if os.access(self.path, os.W_OK) or _unmerged(self.path):
                try:
                    return _rows(self.path, "mode=rw", query, parameters)
                except sqlite3.OperationalError as error:
                    if _primary_code(error) not in _CLOSED_DOOR + _DISK_FAILED:
                        raise
            return _still_rows(self.path, query, parameters)


@contextmanager
def _connected(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    name = f"{path.absolute().as_uri()}?{mode}"
    with closing(
        sqlite3.connect(name, uri=True, timeout=PATIENCE, isolation_level=None)
    ) as database:
        # In WAL mode anything less may lose the last commits when the power goes.
        database.execute("PRAGMA synchronous = FULL")
        yield database


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """All that is written inside stays, or none of it does."""
    if path.exists() and not os.access(path, os.W_OK):
        # SQLite would find out too, and leave lock files that shut out those who may write.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with _connected(path, "mode=rw") as database:
        # IMMEDIATE: a transaction that starts as a reader cannot wait for its turn to write.
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.execute("COMMIT")
        except BaseException:
            database.rollback()
            raise


def _rows(path: Path, mode: str, query: str, parameters: tuple[int, ...]) -> list[Any]:
    with _connected(path, mode) as database:
        return database.execute(query, parameters).fetchall()


def _still_rows(path: Path, query: str, parameters: tuple[int, ...]) -> list[Any]:
    """Read without lock files: nobody here may write, or the folder is closed or full.

    ``immutable`` promises that nobody writes meanwhile; looking again afterwards makes sure.
    """
    if _unmerged(path):
        raise StoreError(
            f"{path} is not readable where it is, because its latest events are still in "
            f"{path.name}-wal; copy both files to a folder you may write to."
        )
    before = _footprint(path)
    try:
        return _rows(path, "mode=ro&immutable=1", query, parameters)
    finally:
        if _unmerged(path) or _footprint(path) != before:
            raise StoreError(f"{path} was written to while it was read; repeat the command.")


def _footprint(path: Path) -> tuple[int, int]:
    file = path.stat()
    return file.st_size, file.st_mtime_ns


def _unmerged(path: Path) -> int:
    """Bytes of SQLite's log beside the file: a live writer, or one that was killed."""
    try:
        return _sibling(path.resolve(), "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _add(
    database: sqlite3.Connection, last: int, bodies: Sequence[str], meta: Mapping[str, str]
) -> None:
    database.executemany(
        "INSERT INTO event (seq, body) VALUES (?, ?)", enumerate(bodies, start=last + 1)
    )
    database.executemany(
        "INSERT INTO meta (key, value) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        meta.items(),
    )


def _lay_out(path: Path) -> None:
    with _connected(path, "mode=rwc") as database:
        # The file remembers both; without shared memory it stays in rollback mode, also safe.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    _migrate(path, version=0)


def _migrate(path: Path, version: int) -> None:
    known = len(schema.scripts())
    if version > known:
        raise StoreError(
            f"{path} was written by a newer spotheight (its schema is {version}, this one knows "
            f"up to {known}); upgrade spotheight."
        )
    for number in range(version + 1, known + 1):
        with _writing(path) as database:
            schema.advance(database, number)


def _require_free(path: Path) -> None:
    if not path.parent.is_dir():
        raise InputError(
            f"There is no folder {path.parent} to write {path.name} to; make it first."
        )
    if os.path.lexists(path):
        raise _taken(path)
    for suffix in ("-wal", "-journal"):
        if (rest := _sibling(path, suffix)).exists():
            # SQLite would play an old log into the new file, whatever it belongs to.
            raise InputError(
                f"{rest} is left over from an earlier {path.name}; choose another name with -o, "
                "or remove it first."
            )


def _publish(draft: Path, path: Path) -> None:
    """Give the finished file its name, unless somebody took it meanwhile."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        raise _taken(path) from None
    try:
        draft.replace(path)
    except BaseException:
        path.unlink()
        raise
    _flush(path.parent)


def _flush(folder: Path) -> None:
    """Keep a new name over a power failure, where the system can open and flush a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _taken(path: Path) -> InputError:
    return InputError(f"{path} already exists; choose another name with -o, or remove it first.")


def _no_campaign(path: Path) -> InputError:
    what = "is not a spotheight campaign" if path.exists() else "does not exist"
    return InputError(f"{path} {what}; name a file that `spotheight init` wrote.")


@contextmanager
def _explained(path: Path, ability: Literal["readable", "writable"]) -> Iterator[None]:
    """Say what SQLite or the system reports in one sentence about ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explanation(path, ability, error) from error
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end]
        raise InputError(f"{path} keeps Unicode text only, got {text!r}; replace it.") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise _no_room(path) from error
        raise _unusable(path, ability, str(error.strerror)) from error


def _explanation(path: Path, ability: str, error: sqlite3.Error) -> InputError | StoreError:
    code = _primary_code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return _no_campaign(path)
    if code in _DISK_FAILED and ability == "writable":
        return _no_room(path)
    if code == sqlite3.SQLITE_BUSY:
        return StoreError(f"{path} was in use by others for {PATIENCE:.0f} s; try again later.")
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"{path} is damaged ({error}); go back to a copy of it.")
    return _unusable(path, ability, str(error))


def _unusable(path: Path, ability: str, reason: str) -> StoreError:
    return StoreError(
        f"{path} is not {ability} ({reason}); check that it is there and who may use its folder, "
        "or go on with a copy elsewhere."
    )


def _primary_code(error: sqlite3.Error) -> int:
    # The low byte of SQLite's extended codes; errors of the sqlite3 module itself have none.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _no_room(path: Path) -> StoreError:
    return StoreError(
        f"No room left to write {path}; nothing of this step was kept. Free some space and repeat."
    )
