"""Tasks: the questions that labels are to answer."""

from spotheight.tasks.averageprecision import AveragePrecision
from spotheight.tasks.calibration import Calibrated, Calibration
from spotheight.tasks.certainty import CERTAINTY, NOT_DECIDED
from spotheight.tasks.compare import Compare, Compared, CompareServices
from spotheight.tasks.confusion import Confusion, ConfusionMatrix
from spotheight.tasks.cost import Cost, Costed
from spotheight.tasks.detection import Detection
from spotheight.tasks.estimate import Estimate
from spotheight.tasks.identify import Identified, Identify
from spotheight.tasks.lists import Gap, LabelTask, ListAnswer, ListTask
from spotheight.tasks.precision import PrecisionAt
from spotheight.tasks.protocol import (
    AnyEvidence,
    Belief,
    BoundedTask,
    GroupTask,
    ItemTask,
    PreparedTask,
    TargetTask,
    Task,
    is_about_items,
)
from spotheight.tasks.rank import Rank, Ranked
from spotheight.tasks.systems import RankSystems, lists_of
from spotheight.tasks.values import GroupValues

__all__ = [
    "CERTAINTY",
    "NOT_DECIDED",
    "AnyEvidence",
    "AveragePrecision",
    "Belief",
    "BoundedTask",
    "Calibrated",
    "Calibration",
    "Compare",
    "CompareServices",
    "Compared",
    "Confusion",
    "ConfusionMatrix",
    "Cost",
    "Costed",
    "Detection",
    "Estimate",
    "Gap",
    "GroupTask",
    "GroupValues",
    "Identified",
    "Identify",
    "ItemTask",
    "LabelTask",
    "ListAnswer",
    "ListTask",
    "PrecisionAt",
    "PreparedTask",
    "Rank",
    "RankSystems",
    "Ranked",
    "TargetTask",
    "Task",
    "is_about_items",
    "lists_of",
]
