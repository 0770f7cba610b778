"""Quantities: what a question is about, a number per group that can be read off draws."""

from spotheight.quantities.calibration import CalibrationError
from spotheight.quantities.cost import Costs, ExpectedCost
from spotheight.quantities.groups import Groups
from spotheight.quantities.hits import HitRate
from spotheight.quantities.protocol import ArmBelief, Quantity

__all__ = [
    "ArmBelief",
    "CalibrationError",
    "Costs",
    "ExpectedCost",
    "Groups",
    "HitRate",
    "Quantity",
]
