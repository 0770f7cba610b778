"""Inputs of a kernel: arms as rows of numbers, between which distances are measured."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from spotheight.arms import MISSING, Attribute, Partition
from spotheight.types import FloatArray, IntArray

InputForm = Literal["one-hot", "integer", "index"]

APART = np.sqrt(2.0)
"""Two levels lie so far apart when each has a column of its own."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """The columns that stand for an arm.

    Args:
        partition: The arms.
        form: A column for each level, and one for all levels of an ordered attribute
            (``one-hot``); the level's number (``integer``); or the arm's own number (``index``).
    """

    partition: Partition = field(repr=False)
    form: InputForm

    @cached_property
    def group(self) -> IntArray:
        """The attribute of each column."""
        if self.form == "index":
            return np.zeros(1, dtype=np.int64)
        widths = [self._table(attribute).shape[1] for attribute in self.partition.attributes]
        return np.repeat(np.arange(len(widths)), widths)

    @property
    def attributes(self) -> int:
        """How many groups of columns there are."""
        return 1 if self.form == "index" else len(self.partition.attributes)

    def columns(self, arms: IntArray) -> FloatArray:
        """(arms, columns) for some arms."""
        if self.form == "index":
            return arms[:, None].astype(float)
        codes = self.partition.codes[arms]
        parts = [
            self._table(attribute)[codes[:, place]]
            for place, attribute in enumerate(self.partition.attributes)
        ]
        return np.hstack([np.zeros((len(arms), 0)), *parts])

    def _table(self, attribute: Attribute) -> FloatArray:
        """A row for each level."""
        levels = len(attribute.levels)
        if self.form == "integer":
            return np.arange(levels, dtype=float)[:, None]
        if not attribute.is_ordered:
            return np.eye(levels)
        has_missing = attribute.levels[-1] == MISSING
        known = levels - has_missing
        line = np.append(np.linspace(0, APART, known), [APART / 2] * has_missing)
        # A missing value lies beside the line, as far from its middle as the ends from each other.
        aside = APART * (np.arange(levels) >= known)
        return np.column_stack([line, aside]) if has_missing else line[:, None]
