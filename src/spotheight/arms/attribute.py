"""Attributes: a named property of items, with its levels and bin edges fixed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spotheight.arms.recipe import MISSING
from spotheight.errors import InputError, did_you_mean
from spotheight.types import FloatArray, IntArray, TextArray


def bin_names(edges: Sequence[float]) -> tuple[str, ...]:
    """The levels of a number that is cut at ``edges``.

    >>> bin_names([18, 65])
    ('<18', '18..65', '>=65')
    """
    marks = _shortest([float(edge) for edge in edges])
    if not marks:
        return ("any",)
    between = [f"{a}..{b}" for a, b in pairwise(marks)]
    return (f"<{marks[0]}", *between, f">={marks[-1]}")


def _shortest(edges: Sequence[float]) -> list[str]:
    """As few digits as tell the edges apart."""
    for digits in range(3, 17):
        marks = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(marks)) == len(marks):
            return marks
    return [repr(edge) for edge in edges]


class _Known(dict[str | None, int]):
    """Level numbers by name, -1 for a name that is no level; quick enough for millions of rows."""

    def __missing__(self, name: str | None) -> int:
        return -1


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named property of items with its levels fixed: from here on nothing depends on the data.

    Args:
        column: The column it is read from, or ``@prediction`` or ``@score``.
        levels: All levels, in order; ``(missing)`` comes last where values are missing.
        edges: Where a number is cut; empty for text.
        is_ordered: Whether the order of the levels means something.
        is_number: Whether values are numbers, to be cut at the edges.
        guesses: Columns with the chance of each level, where a model says how sure it is.
    """

    name: str
    column: str
    levels: tuple[str, ...]
    edges: tuple[float, ...] = ()
    is_ordered: bool = False
    is_number: bool = False
    guesses: tuple[str, ...] = ()
    is_guessed: bool = False

    def codes(self, values: TextArray | FloatArray) -> IntArray:
        """The level's number for each value; missing values have a level of their own.

        >>> age = Attribute("age", "age", ("<18", ">=18", MISSING), (18.0,), is_number=True)
        >>> age.codes(np.array([18, 3, np.nan]))
        array([1, 0, 2])
        """
        if self.is_number:
            return self._number_codes(np.asarray(values, dtype=float))
        known = _Known({level: code for code, level in enumerate(self.levels)})
        known[None] = known[MISSING]
        codes = np.fromiter(map(known.__getitem__, values), dtype=np.int64, count=len(values))
        if (codes < 0).any():
            self._refuse(values[int(np.argmax(codes < 0))])
        return codes

    def _number_codes(self, values: FloatArray) -> IntArray:
        codes = np.searchsorted(self.edges, values, side="right").astype(np.int64)
        missing = np.isnan(values)
        if missing.any() and self.levels[-1] != MISSING:
            self._refuse(None)
        codes[missing] = len(self.levels) - 1
        return codes

    def _refuse(self, value: object) -> None:
        what = "a missing value" if value is None else f"the level {value!r}"
        raise InputError(
            f"Attribute {self.name!r} has {what}, which it did not have before; "
            f"run `spotheight relink` to take the changed table in."
        )

    def code(self, level: str) -> int:
        """The number of a level by its name."""
        if level not in self.levels:
            raise InputError(
                f"Attribute {self.name!r} has no level {level!r}; "
                f"{did_you_mean(level, self.levels)}"
            )
        return self.levels.index(level)

    def codes_of(self, texts: Sequence[str]) -> list[int]:
        """The numbers of levels; what a slice cut at a bar inside a level is joined again.

        >>> Attribute("genre", "genre", ("Comedy", "Drama|War")).codes_of(["Drama", "War"])
        [1]
        """
        trimmed = {level.strip(): level for level in self.levels}
        codes, start = [], 0
        while start < len(texts):
            ends = range(start + 1, len(texts) + 1)
            joined = {end: "|".join(texts[start:end]) for end in ends}
            end = next((end for end in ends if joined[end] in trimmed), start + 1)
            name = joined[end]
            codes.append(self.code(name if name in self.levels else trimmed.get(name, name)))
            start = end
        return codes
