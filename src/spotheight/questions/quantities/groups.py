"""Groups: disjoint sets of arms for which a number is read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from spotheight.arms import MISSING, PREDICTION, Partition, parse_slice, slice_words
from spotheight.errors import InputError
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.sums import sum_by
from spotheight.types import BoolArray, FloatArray, IntArray

Slice = str | Mapping[str, str | Iterable[str]] | Sequence[Mapping[str, str | Iterable[str]]]
"""``accent=german``, or levels by attribute; several mappings mean their union."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Partial partition of arms: each lies in one group, or in none, which is -1.

    Args:
        group: The group of each arm.
        partition: The groups as arms of fewer attributes, where they are such.
        labels: Their names otherwise.
    """

    group: IntArray = field(repr=False)
    partition: Partition | None = field(default=None, repr=False)
    labels: tuple[str, ...] = ()

    @classmethod
    def each(cls, arms: Partition) -> "Groups":
        """Every arm on its own."""
        return cls(np.arange(len(arms)), arms)

    @classmethod
    def first(cls, arms: Partition, attributes: int) -> "Groups":
        """Arms that agree in their first attributes belong together."""
        if attributes == len(arms.attributes):
            return cls.each(arms)
        codes = arms.codes[:, :attributes]
        groups = Partition.of(arms.attributes[:attributes], codes)
        return cls(groups.find(codes), groups)

    @classmethod
    def one(cls, inside: BoolArray, name: str) -> "Groups":
        """A single group of the arms inside."""
        return cls(np.where(inside, 0, -1), labels=(name,))

    @classmethod
    def whole(cls, arms: int) -> "Groups":
        """All arms together."""
        return cls.one(np.ones(arms, dtype=bool), "all items")

    def __len__(self) -> int:
        return len(self.labels) if self.partition is None else len(self.partition)

    @cached_property
    def are_arms(self) -> bool:
        """Whether every arm is a group of its own."""
        return len(self) == len(self.group) and bool((self.group == np.arange(len(self))).all())

    def name(self, group: int) -> str:
        """What a group is called."""
        return self.labels[group] if self.partition is None else self.partition.name(group)

    def title(self, group: int) -> str:
        """What people call it: where groups are predicted classes, the class alone."""
        arms = self.partition
        if arms is None or PREDICTION not in [attribute.name for attribute in arms.attributes]:
            return self.name(group)
        if len(arms.attributes) == 1:
            return answer_name(arms.levels(group)[0])
        return self.name(group).replace(f"{PREDICTION}=", "answer=")

    @cached_property
    def summing(self) -> Sparse:
        """(arms, groups): ones where an arm lies in a group."""
        inside = np.flatnonzero(self.group >= 0)
        shape = (len(self.group), len(self))
        return sparse.csr_matrix((np.ones(len(inside)), (inside, self.group[inside])), shape)

    def total(self, values: FloatArray) -> FloatArray:
        """A number per arm on the last axis, added up in each group."""
        if self.are_arms:
            return values
        if values.ndim == 1:
            inside = self.group >= 0
            return sum_by(self.group[inside], values[inside], len(self))
        return np.asarray(values @ self.summing)

    def mean(self, values: FloatArray, weight: FloatArray) -> FloatArray:
        """The weighted mean of each group; 0 where a group weighs nothing."""
        held = self.total(weight)
        share = np.divide(1.0, held, out=np.zeros(len(held)), where=held > 0)
        return self.total(values * weight) * share


SILENT = "(no answer)"
"""What the items are called on which a service said nothing."""


def answer_name(answer: str) -> str:
    """An answer, or that there is none."""
    return SILENT if answer == MISSING else answer


def arms_of(chosen: Slice, arms: Partition) -> BoolArray:
    """The arms of a slice; raise where no item lies in it."""
    inside = arms.union(parts_of(chosen))
    if not inside.any():
        raise InputError(f"No item lies in the slice {slice_name(chosen)!r}.")
    return inside


def parts_of(chosen: Slice) -> Sequence[Mapping[str, str | Iterable[str]]]:
    """A slice as slices whose union it is."""
    if isinstance(chosen, str):
        return parse_slice(chosen)
    return [chosen] if isinstance(chosen, Mapping) else chosen


def slice_name(chosen: Slice) -> str:
    """A slice as it is written on the command line."""
    if isinstance(chosen, str):
        return chosen
    return slice_words(parts_of(chosen)) or "all items"
