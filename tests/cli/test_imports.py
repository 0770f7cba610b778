"""What commands load, each in a process of its own: what they do not use, nobody waits for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOLD = "id,label\n000,no\n001,yes\n"

CODE = """
import json, sys
from spotheight.cli import main
main(sys.argv[1:], standalone_mode=False)
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
PAGE = {"jinja2", "spotheight.report.build", "spotheight.page.html"}
SLOW = {"pandas", "scipy.optimize", "scipy.stats", "torch", "sklearn"}


@pytest.fixture
def campaign(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", "--score", "conf",
          "--attribute", "accent", "-o", "calls.db")  # fmt: skip
    Path("told.csv").write_text(TOLD, encoding="utf-8")
    sh.ok("tell", "calls.db", "told.csv")


def loaded(*arguments: str) -> set[str]:
    """The modules there are when a command is done."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_an_ask_loads_no_report(campaign):
    found = loaded("ask", "calls.db", "-n", "3")
    assert "spotheight.campaign" in found
    reports = {name for name in found if name.split(".")[:2] == ["spotheight", "report"]}
    assert not reports
    assert not found & (PAGE | SLOW)


@pytest.mark.parametrize(
    "arguments",
    [
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
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_other_commands_load_neither_a_page_nor_what_is_slow(campaign, arguments):
    assert not loaded(*arguments) & (PAGE | SLOW)


def test_a_report_loads_its_page(campaign):
    assert loaded("report", "calls.db", "-o", "calls.html") >= PAGE
