"""HTML pages of reports: numbers in, one file out."""

from importlib import import_module
from typing import Any

_HOME = {"render_html": "spotheight.page.html"}


def __getattr__(name: str) -> Any:
    """Load the page when it is wanted: lines for a terminal need neither templates nor a report."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
