"""Every command and every line of Python in the README runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def shell_blocks() -> list[str]:
    """All but the make targets, which set up environments of their own."""
    return [block for block in blocks("") if not block.startswith("make ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readme")


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    here = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_the_walk_and_the_ten_lines(folder):
    """One test, for each step needs the files of the one before."""
    scripts = shell_blocks()
    assert len(scripts) >= 4
    for script in scripts:
        done = run(script, folder)
        assert done.returncode == 0, f"{script}\n{done.stderr}"
    assert (folder / "calls.html").stat().st_size > 10_000
    (python,) = blocks("python")
    done = run(f"python - <<'END'\n{python}\nEND", folder)
    assert done.returncode == 0, done.stderr
    assert "interval" in done.stdout


def test_every_command_named_in_the_readme_exists():
    from spotheight.cli import COMMANDS

    named = set(re.findall(r"spotheight ([a-z]+)", "\n".join(blocks(""))))
    assert named and named <= set(COMMANDS)


def test_the_make_targets_named_in_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([\w-]+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
