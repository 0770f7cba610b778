"""Output: a file that is written whole or not at all, or standard output."""

import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from spotheight.errors import InputError, StoreError
from spotheight.exchange.cells import guarded_table
from spotheight.store import SIDES, drafting, is_campaign, publish, sweep

GENERATOR = b'<meta name="generator" content="spotheight'
"""What a report says of itself: such a file may be written anew."""

_HEAD = 4096
"""Bytes of a file in which that stands."""


@dataclass(frozen=True)
class Output:
    """A place that a result may be written to, whole or not at all.

    Args:
        path: The file; ``-`` is standard output.
        never: Which files must stay as they are, and which names must stay free: the campaign, its
            pool and what lies beside them.
        is_forced: Whether another file that is there may be replaced.
        is_report: Whether it is a report, which replaces an earlier one.
    """

    path: Path
    never: Callable[[Path], bool] = lambda _: False
    is_forced: bool = False
    is_report: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it is a file, not standard output."""
        return str(self.path) != "-"

    def require_free(self) -> None:
        """Raise where writing would harm something: ask before the work, not after it."""
        if self.is_file:
            target = self.path.resolve()  # a link stays, what it points to is written
            self._check_place(target)
            if self.never(target) or is_campaign(target):
                what = "a campaign" if is_campaign(target) else "among what the campaign reads"
                raise InputError(
                    f"{str(self.path)!r} is {what}, which is never written over; choose another "
                    f"name."
                )
            if os.path.lexists(target):
                self._check_file(target)

    def _check_place(self, target: Path) -> None:
        if not target.parent.is_dir():
            raise InputError(f"There is no folder {str(target.parent)!r} to write into.")
        beside = next((s for s in SIDES if target.name.endswith(s)), "")
        if beside and is_campaign(target.with_name(target.name.removesuffix(beside))):
            raise InputError(
                f"{str(self.path)!r} belongs to the campaign beside it; choose another name."
            )

    def _check_file(self, target: Path) -> None:
        if not target.is_file():
            raise InputError(
                f"{str(self.path)!r} is no file that could be written; choose another name."
            )
        if not (self.is_forced or (self.is_report and _is_report(target))):
            raise InputError(
                f"{str(self.path)!r} already exists; choose another name, or replace it with "
                f"--force."
            )

    def text(self, text: str) -> None:
        """Write a text."""
        self.data(text.encode("utf-8"))

    def csv(self, table: pa.Table) -> None:
        """Write a table as CSV."""
        whole = pa.BufferOutputStream()
        pyarrow.csv.write_csv(guarded_table(table), whole)
        self.data(whole.getvalue())

    def data(self, data: bytes | pa.Buffer) -> None:
        """Write what is no text."""
        if not self.is_file:
            _send(memoryview(data))
            return
        self.require_free()
        try:
            self._replace(self.path.resolve(), data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(
                f"Cannot write {str(self.path)!r}: {reason}; nothing was changed."
            ) from error

    def _replace(self, target: Path, data: bytes | pa.Buffer) -> None:
        sweep(target.parent)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        with drafting(target) as draft:
            with draft.open("xb") as file:  # as umask has it
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if mode is None:
                self._publish(draft, target)
            else:
                draft.chmod(mode)
                draft.replace(target)

    def _publish(self, draft: Path, target: Path) -> None:
        try:
            publish(draft, target)
        except FileExistsError:  # since it was looked at
            self.require_free()
            draft.replace(target)


def _send(data: memoryview) -> None:
    """All of it to standard output, which takes a part at a time where it is not buffered."""
    out = sys.stdout.buffer
    while data:
        data = data[out.write(data) or 0 :]
    out.flush()


def _is_report(path: Path) -> bool:
    with path.open("rb") as file:
        return GENERATOR in file.read(_HEAD)


STDOUT = Output(Path("-"))
