"""Calibration errors from accuracies by bin."""

import numpy as np

from spotheight.types import FloatArray


def calibration_gap(accuracy: FloatArray, score: FloatArray, weight: FloatArray) -> FloatArray:
    """What each bin adds to the expected calibration error; bins on the last axis.

    >>> float(calibration_gap(np.array([0.5, 0.9]), np.array([0.6, 0.8]), np.full(2, 0.5)).sum())
    0.1
    """
    return weight * np.abs(accuracy - score)
