"""A small table of calls, and a way to run commands in its folder."""

import csv
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from spotheight.cli import main

ACCENTS, GENDERS = ("german", "english", "french"), ("f", "m")


def write_calls(path: Path, rows: int = 120, **changes: str) -> None:
    """A pool of calls in which the service errs on every fifth; ``changes`` replace columns."""
    fields = ["id", "pred", "pred_b", "conf", "accent", "gender", "age", "truth", "url"]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(fields)
        for i in range(rows):
            truth = "yes" if i % 2 else "no"
            wrong = "no" if i % 2 else "yes"
            row = {
                "id": f"{i:03}", "pred": wrong if i % 5 == 0 else truth,
                "pred_b": wrong if i % 4 == 0 else truth, "conf": f"{(i * 37 % 100) / 100}",
                "accent": ACCENTS[i % 3], "gender": GENDERS[i // 3 % 2], "age": str(18 + i % 50),
                "truth": truth, "url": f"http://localhost/{i}",
            }  # fmt: skip
            writer.writerow([changes.get(name, row[name]) for name in fields])


class Shell:
    """Runs commands like a user in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runner = CliRunner()

    def __call__(self, *arguments: str, input: str | None = None):
        return self.runner.invoke(main, [str(a) for a in arguments], input=input)

    def ok(self, *arguments: str, input: str | None = None):
        result = self(*arguments, input=input)
        assert result.exit_code == 0, result.output
        return result

    def refused(self, *arguments: str, input: str | None = None) -> str:
        """One clear sentence on stderr, exit code 2, and no traceback."""
        result = self(*arguments, input=input)
        assert result.exit_code == 2, (result.exit_code, result.output, result.exception)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr


@pytest.fixture
def sh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_calls(tmp_path / "calls.csv")
    return Shell(tmp_path)


@cache
def _left_by(make: Callable[[Shell], object]) -> dict[str, tuple[bytes, int]]:
    """The files of a folder after ``make``, and when each was written.

    The folder itself goes, so that a campaign has no pool but the one that lies beside it.
    """
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        patch.chdir(folder)
        write_calls(folder / "calls.csv")
        make(Shell(folder))
        return {
            file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()
        }


def prepared(sh: Shell, make: Callable[[Shell], object]) -> Shell:
    """The shell in a folder as ``make`` leaves it; only the first test waits for the commands."""
    for name, (content, written) in _left_by(make).items():
        (sh.folder / name).write_bytes(content)
        os.utime(sh.folder / name, ns=(written, written))
    return sh


INIT = ("init", "calls.csv", "--id", "id", "--prediction", "pred", "--score", "conf",
        "--attribute", "accent", "--attribute", "gender", "--payload", "url",
        "-o", "calls.db")  # fmt: skip


def start(sh: Shell) -> None:
    """Start a campaign on the calls."""
    sh.ok(*INIT)


@pytest.fixture
def calls(sh):
    """The shell with a campaign started."""
    return prepared(sh, start)


def filled(text: str, label: str = "yes") -> str:
    """What a person makes of an ask: the last column filled in."""
    head, *rows = text.splitlines()
    return "\n".join([head, *(row + label for row in rows)]) + "\n"
