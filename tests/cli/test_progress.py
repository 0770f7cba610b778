"""What is said of long work: on a terminal only, after a while only, and gone when it is done."""

import os
import pty
import subprocess
import sys

import pytest

CODE = """
import sys, time
from spotheight.cli import progress
progress.PATIENCE = {patience}
with progress.working("counting sheep"):
    time.sleep({seconds})
print("rich" in sys.modules)
"""


def shown(patience: float, seconds: float) -> tuple[str, bool]:
    """What a terminal gets to see on standard error, and whether Rich was loaded."""
    ours, theirs = pty.openpty()
    code = CODE.format(patience=patience, seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, check=True, text=True
    )
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:
        pass  # how the end of a terminal reads on Linux
    os.close(ours)
    return seen.decode(), done.stdout.strip() == "True"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
def test_long_work_is_named_on_a_terminal():
    seen, _ = shown(patience=0.05, seconds=0.6)
    assert "counting sheep" in seen
    assert seen.count("\x1b[?25l") == seen.count("\x1b[?25h") == 1  # the cursor is given back


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
def test_short_work_is_not():
    seen, _ = shown(patience=30, seconds=0.01)
    assert seen == ""


def test_nothing_is_said_or_loaded_where_nobody_looks():
    code = CODE.format(patience=0, seconds=0.1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")
