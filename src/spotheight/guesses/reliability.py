"""Reliability of attribute models: accuracy and log loss, before and after calibration."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spotheight.guesses.calibration import Calibrator
from spotheight.guesses.gold import Gold
from spotheight.pool.coding import Columns
from spotheight.types import FloatArray, IntArray

FOLDS = 3
"""Parts of the gold set; each is judged by what was learned from the others."""

BINS = 5
"""Groups of chances; a gold set is small."""

SMALLEST = 1e-5
"""No chance counts as smaller where a model ruled the truth out: its loss would be endless."""


@dataclass(frozen=True, slots=True)
class Trust:
    """One attribute model, held against true levels.

    Args:
        right: The share of them whose likeliest level is the true one.
        said: The chance that the model gave its likeliest level, on average.
        calibrated: The same after calibration, learned from other gold items.
        right_calibrated: The share right by the likeliest level after calibration.
        loss: Minus the log of the chance of the true level, on average.
        loss_calibrated: The same after calibration.
        bins: Per chance of a level, from low to high: its mean, the share of true ones, items;
            after calibration.
    """

    name: str
    gold: int
    right: float
    said: float
    calibrated: float
    right_calibrated: float
    loss: float
    loss_calibrated: float
    bins: tuple[tuple[float, float, int], ...] = ()


def reliability(
    gold: Gold,
    calibration: Calibrator,
    sample: Columns,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Trust, ...]:
    """How reliable each attribute model is; calibrated chances come from other gold items."""
    after = [part.copy() for part in gold.chances]
    fold = np.arange(len(gold)) % FOLDS
    for number in range(FOLDS):
        others, mine = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        if len(others) and len(mine):
            joint = calibration.fit(gold.some(others), sample)
            chances = gold.some(mine).chances
            learned = chances if joint is None else joint.marginals(chances)
            for part, found in zip(after, learned, strict=True):
                part[mine] = found
        if progress is not None:
            progress(number + 1, FOLDS)
    return tuple(
        _trust(attribute.name, gold.codes[:, place], gold.chances[place], after[place])
        for place, attribute in enumerate(gold.attributes)
    )


def _trust(name: str, codes: IntArray, before: FloatArray, after: FloatArray) -> Trust:
    rows = np.flatnonzero(codes >= 0)
    truth = codes[rows]
    if not len(rows):
        nothing = float("nan")
        return Trust(name, 0, *(nothing,) * 6)
    (right, said, loss), (right_after, said_after, loss_after) = (
        _judged(part[rows], truth) for part in (before, after)
    )
    numbers = right, said, said_after, right_after, loss, loss_after
    return Trust(name, len(rows), *numbers, _bins(after[rows], truth))


def _judged(chances: FloatArray, truth: IntArray) -> tuple[float, float, float]:
    """The share right, the chance of the likeliest level, and the loss."""
    given = np.maximum(chances[np.arange(len(truth)), truth], SMALLEST)
    right = float((chances.argmax(axis=1) == truth).mean())
    return right, float(chances.max(axis=1).mean()), float(-np.log(given).mean())


def _bins(chances: FloatArray, truth: IntArray) -> tuple[tuple[float, float, int], ...]:
    """Chances of all levels in groups of one size, each with the share of true levels in it."""
    is_true = np.zeros_like(chances)
    is_true[np.arange(len(truth)), truth] = 1.0
    order = np.argsort(chances, axis=None, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    said, true = chances.ravel(), is_true.ravel()
    return tuple((float(said[p].mean()), float(true[p].mean()), len(p)) for p in parts)
