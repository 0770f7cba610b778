"""Application layer: a campaign that is kept in a file, the only door for command line and web."""

from pathlib import Path

from spotheight.workspace.label_log import LabelLog
from spotheight.workspace.workspace import Workspace


def open(path: str | Path) -> Workspace:
    """A campaign file with every verb of the command line: ``spotheight.open("calls.db")``."""
    return Workspace.open(path)


__all__ = ["LabelLog", "Workspace", "open"]
