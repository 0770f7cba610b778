"""Errors of SQLite and the system, in sentences of ours."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from spotheight.errors import InputError, StoreError

PATIENCE = 30.0
"""Seconds to wait for another writer: a transaction takes milliseconds, on a slow disk seconds."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_LOCK = frozenset(
    getattr(sqlite3, f"SQLITE_IOERR_{name}")
    for name in ("LOCK", "RDLOCK", "UNLOCK", "CHECKRESERVEDLOCK", "SHMLOCK", "SHMMAP", "SHMOPEN")
)
"""What SQLite says where the file system refuses a lock, or memory that processes share."""

DISK_FAILED = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

SALVAGE = (
    "`spotheight export NAME.db --to csv --what labels --salvage` saves the labels before the "
    "damage, which a new campaign takes with `tell`"
)

Ability = Literal["readable", "writable"]


class DamagedError(StoreError):
    """A file that can be read up to some event only.

    Args:
        path: The file.
        sound: How many events before the damage are whole.
        reason: What is wrong after them.
    """

    def __init__(self, path: Path, sound: int, reason: str) -> None:
        self.path, self.sound, self.reason = path, sound, reason
        way_out = f", or: {SALVAGE}" if sound else "; no event before it is whole"
        place = f"at event {sound + 1} ({reason})"
        super().__init__(f"{path} is damaged {place}; go back to a copy of it{way_out}.")

    def __reduce__(self) -> tuple[type["DamagedError"], tuple[Path, int, str]]:
        """Crosses from one process to another whole."""
        return DamagedError, (self.path, self.sound, self.reason)


def code_of(error: sqlite3.Error) -> int:
    """SQLite's code without its details; errors of the sqlite3 module itself have none."""
    return _detailed(error) & 0xFF


def is_full_disk(error: sqlite3.Error | OSError) -> bool:
    """Whether there is no room, as told when something is written."""
    if isinstance(error, OSError):
        return error.errno in FULL
    return code_of(error) == sqlite3.SQLITE_FULL


def is_failing_disk(error: sqlite3.Error | OSError) -> bool:
    """Whether a write failed that may have got through all the same."""
    if isinstance(error, OSError):
        return is_full_disk(error)
    return code_of(error) in DISK_FAILED and _detailed(error) not in NO_LOCK


def is_damage(error: sqlite3.Error) -> bool:
    """Whether a file holds what it cannot; SQLite looks at pages, the module at letters."""
    is_garbled = str(error).startswith("Could not decode to UTF-8")
    return is_garbled or code_of(error) == sqlite3.SQLITE_CORRUPT


def _detailed(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)


@contextmanager
def explained(path: Path, ability: Ability) -> Iterator[None]:
    """Say what SQLite or the system reports in one sentence about ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explanation(path, ability, error) from error
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end]
        raise InputError(f"{path} keeps Unicode text only, got {text!r}; replace it.") from error
    except OSError as error:
        if error.errno in FULL:
            raise no_room(path) from error
        raise _unusable(path, ability, str(error.strerror)) from error


def _explanation(path: Path, ability: Ability, error: sqlite3.Error) -> InputError | StoreError:
    code = code_of(error)
    if code == sqlite3.SQLITE_NOTADB:
        return no_campaign(path)
    if code == sqlite3.SQLITE_FULL and ability == "writable":
        return no_room(path)
    if code == sqlite3.SQLITE_BUSY:
        return StoreError(f"{path} was in use by others for {PATIENCE:.0f} s; try again later.")
    if is_damage(error):
        return StoreError(f"{path} is damaged ({error}); go back to a copy of it, or: {SALVAGE}.")
    if _detailed(error) in NO_LOCK:
        return no_locks(path, str(error))
    return _unusable(path, ability, reason_of(error))


def reason_of(error: sqlite3.Error | OSError) -> str:
    """What is said; a failing disk has many faces, which only the name tells apart."""
    if isinstance(error, OSError):
        return str(error.strerror)
    if _detailed(error) in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE):
        return f"{error}: no room left under a limit, or a failing disk"
    if code_of(error) == sqlite3.SQLITE_IOERR:
        return f"{error}, {getattr(error, 'sqlite_errorname', 'SQLITE_IOERR')}"
    return str(error)


def _unusable(path: Path, ability: Ability, reason: str) -> StoreError:
    return StoreError(
        f"{path} is not {ability} ({reason}); check that it is there and who may use its folder, "
        "or go on with a copy elsewhere."
    )


def no_campaign(path: Path) -> InputError:
    """That the file is no campaign, or not there."""
    what = "is not a spotheight campaign" if path.exists() else "does not exist"
    if path.is_file() and path.stat().st_size == 0:
        what = (
            "is empty, which is not a spotheight campaign: perhaps a start was cut off; remove it"
        )
    return InputError(f"{path} {what}; name a file that `spotheight init` wrote.")


def no_room(path: Path) -> StoreError:
    """That the disk is full, before anything of a step was written."""
    return StoreError(
        f"No room left to write {path}; nothing of this step was kept. Free some space and repeat."
    )


def no_locks(path: Path, reason: str) -> StoreError:
    """That files cannot be locked where the campaign lies."""
    return StoreError(
        f"{path} cannot be locked where it lies ({reason}), as on some network file systems; "
        "without locks two writers could harm it. Copy it to a disk of this machine."
    )


def doubtful(path: Path, reason: str, is_kept: bool | None) -> StoreError:
    """What became of a step that was being made to last when the disk failed."""
    fate = {
        True: "this step is in the file all the same, and lasts unless the machine loses power "
        "now: do not repeat it",
        False: "nothing of this step was kept; repeat it once the disk works",
        None: "whether this step was kept cannot be seen; look with `spotheight status` before "
        "you repeat it",
    }[is_kept]
    return StoreError(f"{path} could not be written through to the disk ({reason}); {fate}.")
