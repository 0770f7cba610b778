"""Application layer: a campaign that is kept in a file, the only door for command line and web."""

from spotheight.workspace.label_log import LabelLog
from spotheight.workspace.workspace import Workspace

open = Workspace.open
"""``spotheight.open("calls.db")``: a campaign file with every verb."""

__all__ = ["LabelLog", "Workspace", "open"]
