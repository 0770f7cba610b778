"""How well runs did, from their pseudo-counts: runs first, groups and outcomes after."""

from collections.abc import Callable

import numpy as np

from spotheight.types import FloatArray

Measure = Callable[[FloatArray], FloatArray]

SAME = 1e-9
"""Numbers closer than this are ties."""


def weighted_rmse(truth: FloatArray, share: FloatArray) -> Measure:
    """The error of rates of hits, groups by their share of the items."""

    def measure(alpha: FloatArray) -> FloatArray:
        return np.sqrt(((alpha[..., 0] / alpha.sum(axis=-1) - truth) ** 2) @ share)

    return measure


def confusion_rmse(truth: FloatArray, share: FloatArray) -> Measure:
    """The error of whole distributions over true classes."""

    def measure(alpha: FloatArray) -> FloatArray:
        guess = alpha / alpha.sum(axis=-1, keepdims=True)
        return np.sqrt(((guess - truth) ** 2).sum(axis=-1) @ share)

    return measure


def relative_calibration_error(truth: float, score: FloatArray, share: FloatArray) -> Measure:
    """How far the calibration error of the mean accuracies is off, as a share of the true one."""

    def measure(alpha: FloatArray) -> FloatArray:
        accuracy = alpha[..., 0] / alpha.sum(axis=-1)
        return np.abs(np.abs(accuracy - score) @ share - truth) / truth

    return measure


def reciprocal_rank(
    value: Callable[[FloatArray], FloatArray], truth: FloatArray, most: int
) -> Measure:
    """How early a ranking by ``value``, highest first, names the ``most`` truly highest groups.

    One over the rank, others of the set left out, on average over the set and over all orders of
    groups with equal values. Groups as high as the last of the set will do as well as it.
    """
    is_right = truth >= np.sort(truth)[-most] - SAME
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, len(truth) + 2))])

    def measure(alpha: FloatArray) -> FloatArray:
        guess = value(alpha)
        wrong = guess[:, ~is_right]
        found = []
        for right in np.flatnonzero(is_right):
            gap = wrong - guess[:, right, None]
            before, tied = (gap > SAME).sum(axis=1), (np.abs(gap) <= SAME).sum(axis=1)
            found.append((harmonic[before + tied + 1] - harmonic[before]) / (tied + 1))
        return np.sort(np.stack(found), axis=0)[-most:].mean(axis=0)

    return measure


def with_prior(measure: Measure, before: FloatArray, after: FloatArray) -> Measure:
    """The measure of the same labels under another prior."""
    change = after - before
    return lambda alpha: measure(alpha + change)
