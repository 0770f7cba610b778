"""Overview of a surface: the whole, the arms, levels, and pairs of levels, read at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from spotheight.arms import Attribute
from spotheight.beliefs import Reading, Surface
from spotheight.questions.quantities import Groups
from spotheight.report.groups import Readings, read_arms, read_groups
from spotheight.report.values import ArmRow
from spotheight.types import IntArray

SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
MAP_LEVELS = 40  # a side; a larger map is scrolled, not read
MAP_ATTRIBUTES = 10  # 45 pairs

Pair = tuple[int, int]
"""Places of two attributes."""


@dataclass(frozen=True, eq=False)
class Overview:
    """Readings of a surface, before they are named and sorted.

    Args:
        surface: Where they come from.
        overall: The whole pool.
        quantiles: Of the arms' values, at ``SHARES``.
        arms: Every arm.
        levels: The levels of each attribute.
        pairs: The combinations of levels of each pair of attributes.
    """

    surface: Surface = field(repr=False)
    overall: Reading
    quantiles: tuple[float, ...]
    arms: Readings = field(repr=False)
    levels: Sequence[Readings] = field(repr=False)
    pairs: Mapping[Pair, Readings] = field(repr=False)

    @classmethod
    def of(cls, surface: Surface, level: float) -> "Overview":
        """Read everything at once, so that all arms need drawing only once."""
        codes, attributes = surface.partition.codes, surface.partition.attributes
        pairs = list(combinations(mapped(attributes), 2))
        groupings = [
            Groups.whole(len(codes)),
            *(Groups(codes[:, k], labels=a.levels) for k, a in enumerate(attributes)),
            *(_crossed(codes, attributes, pair) for pair in pairs),
        ]
        (whole, *rest), quantiles = read_groups(surface, groupings, SHARES, level)
        return cls(
            surface,
            whole.reading(0, level, surface.estimand),
            tuple(float(value) for value in quantiles),
            read_arms(surface, level),
            rest[: len(attributes)],
            dict(zip(pairs, rest[len(attributes) :], strict=True)),
        )

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """In the order of an arm's levels."""
        return self.surface.partition.attributes

    def rows(self, arms: Sequence[int] | IntArray) -> tuple[ArmRow, ...]:
        """Some arms by their names."""
        name, levels = self.surface.partition.name, self.surface.partition.levels
        return tuple(self.arms.row(arm, name(arm), levels(arm)) for arm in map(int, arms))


def mapped(attributes: Sequence[Attribute]) -> list[int]:
    """The attributes whose pairs are read."""
    fit = [k for k, a in enumerate(attributes) if 2 <= len(a.levels) <= MAP_LEVELS]
    return fit[:MAP_ATTRIBUTES]


def _crossed(codes: IntArray, attributes: Sequence[Attribute], pair: Pair) -> Groups:
    first, second = (attributes[k].levels for k in pair)
    group = codes[:, pair[0]] * len(second) + codes[:, pair[1]]
    return Groups(group, labels=tuple(f"{one}, {other}" for one in first for other in second))
