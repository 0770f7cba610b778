"""Help: instant, complete, and ending with a line to paste."""

import subprocess
import sys
import time
from importlib import import_module

import pytest

from spotheight.cli import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_an_example_and_repeats_the_overview(name):
    command = import_module(f"spotheight.cli.{name.replace('-', '_')}").command
    lines = [line.strip() for line in command.help.strip().splitlines()]
    assert lines[0] == COMMANDS[name]
    assert lines[-1].startswith(f"Example: spotheight {name}")


def test_help_is_fast_and_loads_nothing_heavy():
    """Aim: under half a second; a machine under load gets three times as much."""
    code = (
        "import sys\nfrom spotheight.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'ibis', 'pyarrow', 'pandas', 'duckdb'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "simulate" in done.stdout
    assert time.perf_counter() - start < 1.5
