"""What commands load, in a fresh process: what they do not use, nobody waits for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOLD = "id,label\n000,no\n001,yes\n"

CODE = """
import json, sys
from spotheight.cli import main
loaded = []
for arguments in json.loads(sys.argv[1]):
    main(arguments, standalone_mode=False)
    loaded.append(sorted(sys.modules))
print(json.dumps(loaded), file=sys.stderr)
"""
PAGE = {"jinja2", "spotheight.report.build", "spotheight.page.html"}
SLOW = {"pandas", "scipy.optimize", "scipy.stats", "torch", "sklearn"}


@pytest.fixture
def campaign(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", "--score", "conf",
          "--attribute", "accent", "-o", "calls.db")  # fmt: skip
    Path("told.csv").write_text(TOLD, encoding="utf-8")
    sh.ok("tell", "calls.db", "told.csv")


def loaded(*commands: tuple[str, ...]) -> list[set[str]]:
    """The modules there are when each command is done, one after another."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps(commands)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [set(names) for names in json.loads(done.stderr.splitlines()[-1])]


def test_an_ask_loads_no_report(campaign):
    (found,) = loaded(("ask", "calls.db", "-n", "3"))
    assert "spotheight.campaign" in found
    reports = {name for name in found if name.split(".")[:2] == ["spotheight", "report"]}
    assert not reports
    assert not found & (PAGE | SLOW)


COMMANDS = (
    ("init", "calls.csv", "--id", "id", "--prediction", "pred", "--attribute", "age:bins=2",
     "-o", "other.db"),
    ("tell", "calls.db", "told.csv"),
    ("status", "calls.db"),
    ("surface", "calls.db", "--slice", "accent=german"),
    ("check", "calls.db", "--min", "0.01"),
    ("verify", "calls.db"),
    ("identify", "calls.db", "--worst", "1"),
    ("rank", "calls.db", "--by", "accent"),
    ("compare", "calls.db", "accent=german", "accent=french"),
    ("confusion", "calls.db"),
)  # fmt: skip


def test_other_commands_load_neither_a_page_nor_what_is_slow(campaign):
    """In one process: what the first of them loads is there when the last is done."""
    for command, found in zip(COMMANDS, loaded(*COMMANDS), strict=True):
        assert not found & (PAGE | SLOW), command[0]


def test_a_report_loads_its_page(campaign):
    (found,) = loaded(("report", "calls.db", "-o", "calls.html"))
    assert found >= PAGE
