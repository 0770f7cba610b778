"""Reports: everything that is known of a service, read off a campaign and frozen."""

from importlib import import_module
from typing import Any

_VALUES = ("ArmRow", "HeatMap", "HistoryPoint", "Report", "ServiceRow", "thinned")
_HOME = {
    "build_report": "spotheight.report.build",
    "report_json": "spotheight.report.text",
    **dict.fromkeys(_VALUES, "spotheight.report.values"),
}


def __getattr__(name: str) -> Any:
    """Load a name when it is wanted: what `check` asks of one file needs no other."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
