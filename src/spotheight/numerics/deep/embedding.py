"""Where a learned embedding begins, and how far from there it is expected to go."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.linalg import block_diag, helmert

from spotheight.types import FloatArray, IntArray

LEEWAY = 0.3
"""Standard deviation of what all weights of a layer change together, in units of its start."""

HINT = 0.1
"""The same of random features at the start: enough to be found, too little to part arms."""


@dataclass(frozen=True)
class Start:
    """First weights of an embedding, and the deviation of each layer's prior around them.

    A prior around zero would make the constant embedding the likeliest of all: two thousand
    weights at their prior's own deviation cost a thousand nats, and effects of a few points in
    accuracy gain three. So a prior is around a start, and the start keeps distances.
    """

    values: Mapping[str, FloatArray] = field(repr=False)
    deviations: Mapping[str, float]


def distance_keeping(
    columns: FloatArray, group: IntArray, layers: tuple[int, ...], rng: Generator
) -> Start:
    """The kernel without an embedding, and a few random features beside it.

    The first units of every layer hand on the columns, or what they span, and the others are
    random features that the last layer hardly looks at.

    Args:
        columns: Inputs of some arms.
        group: The attribute of each column.
        layers: Widths, rectified between.
        rng: Of the random features.
    """
    attributes = max(len(np.unique(group)), 1)
    kept = _spanned(columns, group, min(layers), rng)
    carried, width, active = kept.shape[1], columns.shape[1], float(attributes)
    # What is handed on must be positive to pass unchanged.
    offset = np.maximum(-(columns @ kept).min(axis=0, initial=0.0), 0.0)
    values: dict[str, FloatArray] = {}
    deviations: dict[str, float] = {}
    for number, wide in enumerate(layers):
        is_last = number + 1 == len(layers)
        deviation = LEEWAY / np.sqrt(active * (wide if is_last else 1))
        spread = deviation * HINT / LEEWAY if is_last else np.sqrt(2 / active)
        weight = rng.normal(0, spread, (width, wide))
        handed = kept if number == 0 else np.eye(width, carried)
        if is_last:
            weight[:, :carried] += handed / np.sqrt(attributes)
        else:
            weight[:, :carried] = handed
            values[f"bias{number}"] = np.append(offset, np.zeros(wide - carried))
            deviations[f"bias{number}"] = LEEWAY
            offset = np.zeros(carried)
        values[f"layer{number}"], deviations[f"layer{number}"] = weight, deviation
        # Half of the rectified random features are active.
        width, active = wide, wide / 2
    return Start(values, deviations)


def _spanned(columns: FloatArray, group: IntArray, most: int, rng: Generator) -> FloatArray:
    """A map of the columns into at most so many dimensions that keeps distances.

    One column for each level says one thing too many: their contrasts have the same distances.
    Where even these are too many, a random projection keeps distances roughly.
    """
    width = columns.shape[1]
    if width <= most:
        return np.eye(width)
    whole = block_diag(*(_contrasts(columns[:, group == one]) for one in np.unique(group)))
    excess = whole.shape[1] / most
    if excess <= 1:
        return whole
    turned, _ = np.linalg.qr(rng.standard_normal((whole.shape[1], most)))
    return whole @ turned * np.sqrt(excess)


def _contrasts(columns: FloatArray) -> FloatArray:
    levels = columns.shape[1]
    is_one_hot = levels > 1 and bool(np.all(columns.sum(axis=1) == 1))
    return helmert(levels).T if is_one_hot else np.eye(levels)
