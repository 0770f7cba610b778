"""Campaign files of earlier versions open, hold what they held, and go on."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from shell import Shell

OLD = Path(__file__).parents[2] / "old"
NAMES = [path.relative_to(OLD).as_posix() for path in sorted(OLD.glob("*/*.db"))]

CHANGED = ("thompson.db",)
"""Its policy reads draws of a surface that has another model now, and verify says so."""


@pytest.fixture(params=NAMES)
def old(request, tmp_path, monkeypatch):
    """A copy of an old campaign beside its pool: the shell there, its name, and its labels."""
    source = OLD / request.param
    for path in source.parent.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    known = json.loads((tmp_path / f"{source.stem}.labels.json").read_text())
    return Shell(tmp_path), source.name, known


def test_an_old_campaign_has_its_labels_and_its_asks(old):
    sh, name, known = old
    said = sh.ok("export", name, "--to", "json", "--what", "labels").stdout
    assert json.loads(said) == known
    verified = sh("verify", name)
    assert verified.exit_code == (name in CHANGED), verified.output
    assert sh.ok("status", name).stdout


def test_an_old_campaign_goes_on(old):
    sh, name, known = old
    todo = sh.ok("ask", name, "-n", "2").stdout
    rows = list(csv.DictReader(io.StringIO(todo)))
    answer = known[0]["label"]
    for row in rows:
        row["label"] = answer
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    assert "2 new labels" in sh.ok("tell", name, "-", input=text.getvalue()).stderr
