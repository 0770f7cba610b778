"""Many runs of an assessment at once, where beliefs are counts: the run is an axis of arrays."""

from spotheight.simulate.many.goals import (
    EstimateConfusion,
    EstimateRate,
    FindCalibration,
    FindCost,
    FindRate,
    Goal,
)
from spotheight.simulate.many.run import Luck, Trace, run_many
from spotheight.simulate.many.world import Runs, World

__all__ = [
    "EstimateConfusion",
    "EstimateRate",
    "FindCalibration",
    "FindCost",
    "FindRate",
    "Goal",
    "Luck",
    "Runs",
    "Trace",
    "World",
    "run_many",
]
