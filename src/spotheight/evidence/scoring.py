"""Scoring of answers by labels: how much an item counts, and how much of a hit it is."""

from collections.abc import Sequence

import numpy as np

from spotheight.history.ledger import Shares
from spotheight.metrics import Metric
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray, TextArray


def hits_of(
    answers: TextArray, shares: Sequence[Shares], metric: Metric
) -> tuple[FloatArray, FloatArray]:
    """How much each item counts, and how much of a hit it is where it counts."""
    item = np.array([i for i, share in enumerate(shares) for _ in share], dtype=np.int64)
    labels = np.array([label for share in shares for label in share], dtype=object)
    share = np.array([value for each in shares for value in each.values()], dtype=float)
    weight = share * metric.counts(answers[item], labels)
    counted = sum_by(item, weight, len(shares))
    hits = sum_by(item, weight * metric.hit(answers[item], labels), len(shares))
    return counted, np.divide(hits, counted, out=np.zeros(len(shares)), where=counted > 0)


def share_table(shares: Sequence[Shares], outcomes: Sequence[str]) -> FloatArray:
    """Shares of outcomes as a dense table, a column each: most of many classes have none."""
    column = {cls: place for place, cls in enumerate(outcomes)}
    table = np.zeros((len(shares), len(outcomes)))
    for row, share in enumerate(shares):
        for cls, value in share.items():
            if cls in column:
                table[row, column[cls]] = value
    return table
