"""A campaign that is kept in a file: the only door for the command line and the web."""

from spotheight.workspace.label_log import LabelLog
from spotheight.workspace.workspace import Workspace

__all__ = ["LabelLog", "Workspace"]
