"""Questions that labels are to answer (`Task`), and their frozen answers."""

from spotheight.questions.basis import Answer, Basis
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
from spotheight.questions.unit import Unit

__all__ = [
    "Answer",
    "AnyEvidence",
    "Basis",
    "Belief",
    "BoundedTask",
    "GroupTask",
    "ItemTask",
    "PreparedTask",
    "TargetTask",
    "Task",
    "Unit",
    "is_about_items",
]
