"""A small table of calls, and a way to run commands in its folder."""

import csv
from pathlib import Path

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


INIT = ("init", "calls.csv", "--id", "id", "--prediction", "pred", "--score", "conf",
        "--attribute", "accent", "--attribute", "gender", "--payload", "url",
        "-o", "calls.db")  # fmt: skip


@pytest.fixture
def calls(sh):
    """The shell with a campaign started."""
    sh.ok(*INIT)
    return sh


def filled(text: str, label: str = "yes") -> str:
    """What a person makes of an ask: the last column filled in."""
    head, *rows = text.splitlines()
    return "\n".join([head, *(row + label for row in rows)]) + "\n"
