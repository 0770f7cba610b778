"""Partitions: the arms, which are the combinations of levels that occur in a pool."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spotheight.arms.attribute import Attribute
from spotheight.errors import InputError, did_you_mean
from spotheight.types import BoolArray, IntArray

Keys = NDArray[np.bytes_]


def row_keys(codes: NDArray[np.signedinteger], most: int = 1 << 31) -> Keys:
    """Byte keys of rows of small whole numbers: they sort and compare like the rows.

    A product of level counts overflows any integer at some forty attributes; bytes do not. Keys
    made with the same ``most``, which all numbers stay below, can be compared; -1 equals none.
    """
    rows, width = codes.shape
    if width == 0:
        return np.full(rows, b"", dtype="S1")
    size = next(size for size in (1, 2, 4) if most < 1 << 8 * size)
    return codes.astype(f">u{size}", order="C").view(f"S{size * width}").ravel()


def find_sorted(ascending: NDArray[Any], wanted: NDArray[Any]) -> IntArray:
    """Binary search: where each value stands among ascending ones, -1 where it does not."""
    place = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[place] == wanted, place, -1).astype(np.int64)


def distinct_rows(codes: NDArray[np.signedinteger]) -> tuple[IntArray, IntArray]:
    """Unique rows: where each stands first, in lexicographic order, and which one each row is.

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
        return find_sorted(self._keys, row_keys(codes, _most_levels(self.attributes)))

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
