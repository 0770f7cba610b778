"""Expected calibration error, from accuracies by bin."""

import numpy as np

from spotheight.types import FloatArray


def calibration_gap(accuracy: FloatArray, score: FloatArray, weight: FloatArray) -> FloatArray:
    """What each bin adds to the expected calibration error; bins on the last axis.

    >>> calibration_gap(np.array([0.5, 0.75]), np.array([0.75, 0.5]), np.full(2, 0.5))
    array([0.125, 0.125])
    """
    return weight * np.abs(accuracy - score)
