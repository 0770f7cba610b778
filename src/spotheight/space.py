"""Attributes, their levels, and the arms: the combinations of levels that occur in a pool."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, starmap

import numpy as np
from numpy.typing import NDArray

from spotheight.errors import InputError, did_you_mean
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

MISSING = "(missing)"
PREDICTION = "@prediction"
SCORE = "@score"
CATEGORY = "@category"

MOST_BINS = 1000
"""Of a number: more tell nothing apart, and cutting takes time and memory for each."""

Keys = NDArray[np.bytes_]

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
        name: As the user calls it.
        column: The column it is read from, or ``@prediction`` or ``@score``.
        levels: All levels, in order; ``(missing)`` comes last where values are missing.
        edges: Where a number is cut; empty for text.
        is_ordered: Whether the order of the levels means something.
        is_number: Whether values are numbers, to be cut at the edges.
        guesses: Columns with the chance of each level, where a model says how sure it is.
        is_guessed: Whether the level is only a guess.
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


def row_keys(codes: NDArray[np.signedinteger], most: int = 1 << 31) -> Keys:
    """Rows of small whole numbers as byte strings that sort and compare like the rows.

    A product of level counts overflows any integer at some forty attributes; bytes do not. Keys
    made with the same ``most``, which all numbers stay below, can be compared; -1 equals none.
    """
    rows, width = codes.shape
    if width == 0:
        return np.full(rows, b"", dtype="S1")
    size = next(size for size in (1, 2, 4) if most < 1 << 8 * size)
    return codes.astype(f">u{size}", order="C").view(f"S{size * width}").ravel()


def distinct_rows(codes: NDArray[np.signedinteger]) -> tuple[IntArray, IntArray]:
    """Where each different row stands first, in lexicographic order, and which one each row is.

    >>> distinct_rows(np.array([[1, 0], [0, 2], [1, 0]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    levels = codes.max(axis=0, initial=0) + 1
    if not codes.size or np.prod(levels, dtype=float) > len(codes):
        keys = row_keys(codes, int(codes.max(initial=0)) + 1)
        found = np.unique(keys, return_index=True, return_inverse=True)
        return found[1], found[2]
    # As many places as combinations instead of sorting: ten times quicker for a million rows.
    key = np.ravel_multi_index(tuple(codes.T), tuple(levels))
    first = np.full(int(np.prod(levels)), -1)
    first[key[::-1]] = np.arange(len(codes))[::-1]
    occurs = first >= 0
    return first[occurs], (np.cumsum(occurs) - 1)[key]


def _most_levels(attributes: Sequence[Attribute]) -> int:
    return max((len(attribute.levels) for attribute in attributes), default=0)


@dataclass(frozen=True, eq=False)
class Partition:
    """The arms of some attributes: a row of level numbers an arm, in lexicographic order.

    >>> size = Attribute("size", "size", ("S", "L"))
    >>> Partition.of((size,), np.array([[1], [0], [1]])).names
    ('size=S', 'size=L')
    """

    attributes: tuple[Attribute, ...]
    codes: IntArray
    _keys: Keys = field(repr=False)

    @classmethod
    def of(cls, attributes: Sequence[Attribute], codes: IntArray) -> "Partition":
        """The distinct rows of ``codes`` are the arms."""
        keys, first = np.unique(row_keys(codes, _most_levels(attributes)), return_index=True)
        return cls(tuple(attributes), codes[first], keys)

    def __len__(self) -> int:
        return len(self.codes)

    def only(self, arms: IntArray) -> "Partition":
        """Some of the arms, named in order."""
        return Partition(self.attributes, self.codes[arms], self._keys[arms])

    def find(self, codes: IntArray) -> IntArray:
        """The arm of each row of level numbers, -1 where that combination does not occur."""
        keys = row_keys(codes, _most_levels(self.attributes))
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, place, -1).astype(np.int64)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each arm is called, as in ``accent=german, gender=f``."""
        return tuple(self.name(arm) for arm in range(len(self)))

    def name(self, arm: int) -> str:
        """What one arm is called."""
        levels = self.levels(arm)
        pairs = [f"{a.name}={v}" for a, v in zip(self.attributes, levels, strict=True)]
        return ", ".join(pairs) or "all items"

    def levels(self, arm: int) -> tuple[str, ...]:
        """The levels of one arm, in the order of the attributes."""
        row = self.codes[arm]
        return tuple(a.levels[code] for a, code in zip(self.attributes, row, strict=True))

    def attribute(self, name: str) -> tuple[int, Attribute]:
        """The place and the value of an attribute by its name."""
        names = [attribute.name for attribute in self.attributes]
        if name not in names:
            raise InputError(f"There is no attribute {name!r}; {did_you_mean(name, names)}")
        return names.index(name), self.attributes[names.index(name)]

    def where(self, levels: Mapping[str, str | Iterable[str]]) -> BoolArray:
        """The arms whose levels are all among those named."""
        chosen = np.ones(len(self), dtype=bool)
        for name, wanted in levels.items():
            column, attribute = self.attribute(name)
            texts = [wanted] if isinstance(wanted, str) else [str(text) for text in wanted]
            chosen &= np.isin(self.codes[:, column], attribute.codes_of(texts))
        return chosen

    def union(self, parts: Iterable[Mapping[str, str | Iterable[str]]]) -> BoolArray:
        """The arms that are in at least one of several slices."""
        chosen = np.zeros(len(self), dtype=bool)
        for part in parts:
            chosen |= self.where(part)
        return chosen


def parse_slice(text: str) -> tuple[dict[str, tuple[str, ...]], ...]:
    """Read ``accent=german,gender=f``, ``accent=german|english`` or ``accent=german or gender=f``.

    >>> parse_slice("accent=german|english,gender=f or age=<18")
    ({'accent': ('german', 'english'), 'gender': ('f',)}, {'age': ('<18',)})
    """
    return tuple(_conjunction(part, text) for part in re.split(r"\s+or\s+", text.strip()))


def slice_words(parts: Iterable[Mapping[str, str | Iterable[str]]]) -> str:
    """A slice, or several whose union is meant, as ``parse_slice`` reads it.

    >>> slice_words([{"accent": ("german", "english"), "gender": "f"}, {"age": "<18"}])
    'accent=german|english,gender=f or age=<18'
    """
    return " or ".join(",".join(starmap(_choice, part.items())) for part in parts)


def _choice(name: str, levels: str | Iterable[str]) -> str:
    return f"{name}={levels if isinstance(levels, str) else '|'.join(map(str, levels))}"


def _conjunction(part: str, text: str) -> dict[str, tuple[str, ...]]:
    levels: dict[str, str] = {}
    name = ""
    for piece in part.split(","):
        left, equals, value = piece.partition("=")
        if equals and left.strip():
            name = left.strip()
            levels[name] = value
        elif name:
            levels[name] += f",{piece}"  # a level may itself hold a comma
        else:
            raise InputError(
                f"The slice {text!r} should read like accent=german,gender=f "
                f"(| between alternatives, ' or ' between slices)."
            )
    return {name: tuple(o.strip() for o in value.split("|")) for name, value in levels.items()}
