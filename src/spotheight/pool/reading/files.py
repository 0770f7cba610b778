"""The file, or the files, that a pool is read from."""

import glob
import hashlib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from spotheight.errors import InputError, listed

_CHUNK = 1 << 22


@dataclass(frozen=True)
class PoolFiles:
    """Where a pool comes from: a name is a name, unless it is meant as a pattern.

    Args:
        path: The file, or the pattern, such as ``parts/*.parquet``.
        is_pattern: Whether every file that fits is a part of the table.
    """

    path: Path
    is_pattern: bool = False

    @classmethod
    def of(cls, source: "str | Path | PoolFiles") -> "PoolFiles":
        """The files that a path names; a path is taken by the letter."""
        return source if isinstance(source, PoolFiles) else cls(Path(source))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """All files, in the order of their names; raise where there are none, or of two kinds."""
        if not self.is_pattern:
            if not self.path.is_file():
                raise InputError(f"There is no file {str(self.path)!r}.")
            return (self.path,)
        found = self.fitting
        if not found:
            raise InputError(f"No file fits the pattern {str(self.path)!r}.")
        endings = {path.suffix.lower() for path in found}
        if len(endings) > 1:
            raise InputError(
                f"The pattern {str(self.path)!r} fits files of several kinds "
                f"({listed(sorted(endings))}); let it fit one."
            )
        return found

    @property
    def exists(self) -> bool:
        """Whether there is something to read."""
        return bool(self.fitting)

    def takes(self, path: Path) -> bool:
        """Whether a file of this name is a part of the table, or would be."""
        place = path.resolve()
        if self.is_pattern and fnmatch(str(place), str(self.absolute)):
            return True
        return path.exists() and any(one.samefile(path) for one in self.fitting)

    @property
    def absolute(self) -> Path:
        """The place without links; a pattern below this folder, whose own name is none."""
        if not self.is_pattern:
            return self.path.resolve()
        return Path(glob.escape(str(Path.cwd()))) / self.path

    @cached_property
    def fitting(self) -> tuple[Path, ...]:
        """The files there are."""
        if not self.is_pattern:
            return (self.path,) if self.path.is_file() else ()
        # Path.glob takes no pattern that begins at the root.
        names = sorted(glob.glob(str(self.path), recursive=True))  # noqa: PTH207
        return tuple(path for path in map(Path, names) if path.is_file())

    @property
    def footprint(self) -> tuple[str, str]:
        """Bytes in all and the time of the last change: equal where nothing can have changed.

        Of several files the times, names and sizes together: one may be put in another's place.
        """
        stats = {path: path.stat() for path in self.paths}
        size = str(sum(stat.st_size for stat in stats.values()))
        if not self.is_pattern:
            return size, str(stats[self.path].st_mtime_ns)
        each = [(path.name, stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()]
        return size, hashlib.sha256(repr(each).encode()).hexdigest()

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the file's bytes; of several files, of their names and bytes."""
        if not self.is_pattern:
            return f"sha256:{_digest(self.paths[0])}"
        whole = hashlib.sha256()
        for path in self.paths:
            whole.update(f"{path.name}\n{_digest(path)}\n".encode())
        return f"sha256:{whole.hexdigest()}"


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
