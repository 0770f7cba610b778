"""Tasks: the questions that labels are to answer."""

from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.calibration import Calibrated, Calibration
from spotheight.questions.certainty import CERTAINTY, NOT_DECIDED
from spotheight.questions.compare import Compare, Compared, CompareServices
from spotheight.questions.confusion import Confusion, ConfusionMatrix
from spotheight.questions.cost import Cost, Costed
from spotheight.questions.detection import Detection
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identified, Identify
from spotheight.questions.lists import Gap, LabelTask, ListAnswer, ListTask
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.protocol import (
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
from spotheight.questions.rank import Rank, Ranked
from spotheight.questions.systems import RankSystems, lists_of
from spotheight.questions.values import GroupValues

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
