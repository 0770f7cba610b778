"""Class counts by arm: outcomes are true classes, or who of two services was right."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spotheight.evidence.hits import DIGITS, Evidence, Rows
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray


@dataclass(frozen=True, eq=False)
class ClassEvidence:
    """Which outcome each labelled item had: the true class, or who of two services was right.

    Args:
        shares: A row per row of ``rows``, a column per outcome, adding up to one.
        outcomes: What the columns mean.
        prior: The mean score of each outcome in each arm, where the service gives them.
        hits: How often the answer was right, where an outcome is a class; over these arms, or
            over finer ones whose first attributes are these arms'.
    """

    cells: Cells
    rows: Rows
    shares: FloatArray
    outcomes: tuple[str, ...]
    prior: FloatArray | None = None
    hits: Evidence | None = None

    @cached_property
    def counts(self) -> FloatArray:
        """Weighted outcomes of each arm: (arms, outcomes)."""
        counts = np.zeros((self.cells.arms, len(self.outcomes)))
        np.add.at(counts, self.rows.arm, self.rows.weight[:, None] * self.shares)
        return counts

    @cached_property
    def rest(self) -> FloatArray:
        """Unlabelled items of each arm, fractions rounded up: while a part is left, so is doubt."""
        return np.ceil(np.maximum(np.round(self.cells.mass - self.counts.sum(axis=1), DIGITS), 0))


class PairedEvidence(ClassEvidence):
    """Paired outcomes: which of two services was right, both, one of them, or neither."""

    @cached_property
    def questions(self) -> tuple[Evidence, Evidence, Evidence]:
        """Whether just one is right; if so, whether it is the first; if not, whether both are.

        Where arms are certain the likelihood of all outcomes is the product of the three.
        """
        both, first, second, neither = self.shares.T
        return (
            self._asked(first + second, both + neither),
            self._asked(first, second),
            self._asked(both, neither),
        )

    def _asked(self, yes: FloatArray, no: FloatArray) -> Evidence:
        counted = yes + no
        hit = np.divide(yes, counted, out=np.zeros_like(yes), where=counted > 0)
        return Evidence(self.cells, self.rows, hit, counted, always_counts=False, is_part=True)
