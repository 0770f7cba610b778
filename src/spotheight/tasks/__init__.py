"""Tasks: the questions that labels are to answer."""

from spotheight.tasks.compare import Compare, Compared, CompareServices
from spotheight.tasks.confusion import Confusion, ConfusionMatrix
from spotheight.tasks.estimate import Estimate
from spotheight.tasks.identify import Identified, Identify
from spotheight.tasks.precision import PrecisionAnswer, PrecisionAt
from spotheight.tasks.protocol import AnyEvidence, ArmTask, Belief, ItemTask, Task

__all__ = [
    "AnyEvidence",
    "ArmTask",
    "Belief",
    "Compare",
    "CompareServices",
    "Compared",
    "Confusion",
    "ConfusionMatrix",
    "Estimate",
    "Identified",
    "Identify",
    "ItemTask",
    "PrecisionAnswer",
    "PrecisionAt",
    "Task",
]
