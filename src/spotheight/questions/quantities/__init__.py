"""Quantities: what a question is about, a number per group that can be read off draws."""

from spotheight.questions.quantities.calibration import CalibrationError
from spotheight.questions.quantities.cost import Costs, ExpectedCost
from spotheight.questions.quantities.groups import Groups
from spotheight.questions.quantities.hits import HitRate
from spotheight.questions.quantities.protocol import ArmBelief, Quantity

__all__ = [
    "ArmBelief",
    "CalibrationError",
    "Costs",
    "ExpectedCost",
    "Groups",
    "HitRate",
    "Quantity",
]
