"""Writing results so that a failure leaves the old file as it was."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from spotheight.errors import InputError, StoreError


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write beside the target and move it there when it is complete; ``-`` is standard output."""
    if str(path) == "-":
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        _replace(path, write)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"Cannot write {str(path)!r}: {reason}; nothing was changed.") from error


def _replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    if path.exists() and not path.is_file():
        raise InputError(f"{str(path)!r} is no file that could be written; choose another name.")
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """A text file, whole or not at all."""
    write_whole(path, lambda file: file.write(text.encode("utf-8")))


def write_csv(path: Path, table: pa.Table) -> None:
    """A table as CSV."""
    write_whole(path, lambda file: pyarrow.csv.write_csv(table, file))


def write_parquet(path: Path, table: pa.Table) -> None:
    """A table as Parquet."""
    write_whole(path, lambda file: pyarrow.parquet.write_table(table, file, compression="zstd"))
