"""Atomic writes: a draft in a hidden folder beside its target, moved when it is whole."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

try:
    import fcntl
except ImportError:  # not on Windows: drafts of killed commands are not swept there
    fcntl = None  # type: ignore[assignment]

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)

PREFIX = ".spotheight-"
"""Begins the name of every such folder, so that one that was left behind can be told."""


@contextmanager
def drafting(path: Path) -> Iterator[Path]:
    """Where to write what shall be ``path``; whatever is left there afterwards is removed."""
    folder, lock = _locked_folder(path.parent)
    try:
        yield folder / path.name
    finally:
        rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep(folder: Path) -> None:
    """Remove the drafts of commands that were killed; those still at work hold a lock."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_if_left(entry)


def publish(draft: Path, path: Path) -> None:
    """Give a finished file its name in one step; ``FileExistsError`` where somebody has it."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _publish_without_links(draft, path)
    _flush(path.parent)


def _publish_without_links(draft: Path, path: Path) -> None:
    """The same in two steps, where the file system gives a file one name only."""
    path.touch(exist_ok=False)
    try:
        draft.replace(path)
    except BaseException:
        path.unlink()
        raise


def _flush(folder: Path) -> None:
    """Keep a new name over a power failure, where the system can open and flush a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    while True:
        folder = parent / f"{PREFIX}{token_hex(4)}"
        folder.mkdir(mode=0o700)
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue  # someone swept it before it was opened
        _try_lock(lock, is_patient=True)
        if folder.is_dir():
            return folder, lock
        os.close(lock)  # someone swept it before it was locked


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    with suppress(OSError):
        if entry.stat(follow_symlinks=False).st_uid != os.getuid():
            return
        lock = os.open(entry.path, os.O_RDONLY)
        try:
            if _try_lock(lock):
                rmtree(entry.path, ignore_errors=True)
        finally:
            os.close(lock)


def _try_lock(handle: int, *, is_patient: bool = False) -> bool:
    """Try the lock; False where it is taken, or the file system has none."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if is_patient else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def locks_fail(folder: Path) -> OSError | None:
    """The error that locking raises in this folder, or nothing."""
    if fcntl is None:
        return None
    try:
        with drafting(folder / "lock") as probe, probe.open("wb") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error if error.filename is None else None  # a closed folder says nothing of locks
    return None
