"""What all tests share."""

import gc
import os
import shutil
from collections.abc import Generator
from importlib.util import find_spec

import pytest

PARTS = {
    "chromium": lambda: shutil.which("chromium"),
    "axe": lambda: find_spec("axe_core_python"),
    "cc": lambda: shutil.which("cc"),
}
"""What some tests are skipped without; SPOTHEIGHT_NEEDS names those that must be there."""


def pytest_configure() -> None:
    for part in os.environ.get("SPOTHEIGHT_NEEDS", "").split():
        if not PARTS[part]():
            raise pytest.UsageError(f"SPOTHEIGHT_NEEDS names {part!r}, which is not here.")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Loading all modules makes no garbage, and looking for it took a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="Write the files in tests/golden anew, to be read in review.",
    )


pytest_plugins = ["shell"]
