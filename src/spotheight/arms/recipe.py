"""Recipes: how the user wants a column cut into levels."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spotheight.errors import InputError

MISSING = "(missing)"

PREDICTION = "@prediction"

SCORE = "@score"

CATEGORY = "@category"

MOST_BINS = 1000
"""Of a number: more tell nothing apart, and cutting takes time and memory for each."""

_CUT = re.compile(r"^(?P<column>.+):(?P<cut>bins|widths|edges|ordered)=(?P<value>.+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one column is to be cut into levels, as the user wrote it.

    Args:
        column: A column of the table, or ``@prediction`` or ``@score``.
        bins: Cut a number into so many bins of equal weight; 0 for none.
        widths: Cut a number into so many bins of equal width; 0 for none.
        edges: Cut a number at these values, each of which belongs to the bin above it.
        order: The levels from low to high.

    >>> Recipe.parse("age:edges=18,65")
    Recipe(column='age', bins=0, widths=0, edges=(18.0, 65.0), order=())
    """

    column: str
    bins: int = 0
    widths: int = 0
    edges: tuple[float, ...] = ()
    order: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Recipe":
        """Read ``NAME``, or ``NAME:`` and one of ``bins=4 widths=4 edges=18,65 ordered=S,M,L``."""
        found = _CUT.match(text)
        if found is None:
            return cls(text)
        column, cut, value = found["column"], found["cut"], found["value"]
        if cut == "ordered":
            return cls(column, order=_distinct(text, value.split(",")))
        if cut == "edges":
            return cls(column, edges=_increasing(text, value.split(",")))
        bins = _bin_count(text, value)
        return cls(column, bins=bins) if cut == "bins" else cls(column, widths=bins)

    @property
    def is_built_in(self) -> bool:
        """Whether it names no column of the table but what the services said."""
        return self.column in (PREDICTION, SCORE, CATEGORY)

    @property
    def is_number(self) -> bool:
        """Whether the column is read as a number and cut at edges."""
        return bool(self.bins or self.widths or self.edges)

    def __str__(self) -> str:
        cuts = {
            "bins": str(self.bins or ""),
            "widths": str(self.widths or ""),
            "edges": ",".join(repr(float(edge)).removesuffix(".0") for edge in self.edges),
            "ordered": ",".join(self.order),
        }
        return self.column + "".join(f":{name}={value}" for name, value in cuts.items() if value)


def _bin_count(text: str, value: str) -> int:
    digits = value.isdecimal() and len(value) <= len(str(MOST_BINS))
    if not digits or not 2 <= int(value) <= MOST_BINS:
        raise InputError(
            f"Attribute {text!r} needs a whole number of at least 2 bins, and at most {MOST_BINS}."
        )
    return int(value)


def _increasing(text: str, values: Sequence[str]) -> tuple[float, ...]:
    try:
        edges = tuple(float(value) for value in values[: MOST_BINS + 1])
    except ValueError:
        raise InputError(
            f"Attribute {text!r} needs numbers as edges, as in age:edges=18,65."
        ) from None
    if len(edges) > MOST_BINS:
        raise InputError(f"Attribute {text!r} has more than {MOST_BINS} edges; name fewer.")
    if not np.isfinite(edges).all() or any(b <= a for a, b in pairwise(edges)):
        raise InputError(f"Attribute {text!r} needs finite edges that grow from left to right.")
    return edges


def _distinct(text: str, values: Sequence[str]) -> tuple[str, ...]:
    if len(set(values)) < len(values) or len(values) < 2:
        raise InputError(
            f"Attribute {text!r} needs at least two different levels, from low to high."
        )
    return tuple(values)
