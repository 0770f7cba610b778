"""Questions that labels are to answer (`Task`), and their frozen answers."""

from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.basis import Answer, Basis
from spotheight.questions.calibration import Calibrated, Calibration
from spotheight.questions.certainty import CERTAINTY, NOT_DECIDED
from spotheight.questions.compare import Compare, Compared, CompareServices
from spotheight.questions.confusion import Confusion, ConfusionMatrix
from spotheight.questions.cost import Cost, Costed
from spotheight.questions.detection import Detection
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identified, Identify
from spotheight.questions.listanswer import Gap, ListAnswer, require_pool
from spotheight.questions.lists import LabelTask, ListTask
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
from spotheight.questions.unit import Unit
from spotheight.questions.values import GroupRow, GroupValues

__all__ = [
    "CERTAINTY",
    "NOT_DECIDED",
    "Answer",
    "AnyEvidence",
    "AveragePrecision",
    "Basis",
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
    "GroupRow",
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
    "Unit",
    "is_about_items",
    "lists_of",
    "require_pool",
]
