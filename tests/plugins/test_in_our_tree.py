"""A new algorithm of our own is one file and one line of the table of names."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spotheight

MODEL = '''"""An estimator."""

from dataclasses import dataclass

from spotheight.models.pooled import Pooled


@dataclass(frozen=True)
class Fresh(Pooled):
    """Believe what the pooled estimator believes."""
'''
POLICY = '''"""A policy."""

from dataclasses import dataclass

from spotheight.policies.passive import Random


@dataclass(frozen=True)
class Newest(Random):
    """Draw as the policy at random does."""
'''
CODE = """
import io, sys, spotheight
from contextlib import redirect_stdout
from spotheight.campaign.spec import Spec
from spotheight.registry import read_spec, write_spec, loads, dumps
spec = Spec(estimator=spotheight.Fresh(), policy=spotheight.Newest())
assert read_spec(write_spec(spec)) == spec == loads(dumps(spec), Spec)
assert 'estimator = "fresh"' in write_spec(spec), write_spec(spec)
assert {"Fresh", "Newest"} < set(dir(spotheight))
from spotheight.cli import main
main(["init", "--help"], standalone_mode=False)
"""


@pytest.fixture
def tree(tmp_path):
    """A copy of the package."""
    ours = Path(spotheight.__file__).parent
    return Path(shutil.copytree(ours, tmp_path / "spotheight"))


def add(tree, file, text, after, line):
    (tree / file).write_text(text)
    table = tree / "registry" / "names.py"
    before = table.read_text()
    table.write_text(before.replace(after, after + line, 1))
    assert len(table.read_text()) == len(before) + len(line)


def test_one_file_and_one_line(tree):
    add(tree, "models/fresh.py", MODEL, '    "estimator": {\n',
        '        "fresh": "spotheight.models.fresh:Fresh",\n')  # fmt: skip
    add(tree, "policies/newest.py", POLICY, '    "policy": {\n',
        '        "newest": "spotheight.policies.newest:Newest",\n')  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=tree.parent, env={"PYTHONPATH": str(tree.parent)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "NAME:field=value: fresh, additive" in said
    assert "NAME:field=value: newest, gain" in said
