"""Terms of the linear predictor: which columns each arm and each score cell has."""

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy import sparse

from spotheight.arms import PREDICTION, Attribute
from spotheight.models.additive.columns import (
    main_columns,
    neighbour_columns,
    pair_columns,
    score_columns,
    size_columns,
)
from spotheight.numerics.regression.design import Design, Sparse
from spotheight.pool.cells import SMALL, Cells
from spotheight.types import FloatArray, IntArray

MAIN, PAIR, NEIGHBOUR, TREND, SIZE, ARM, CURVE, SLOPE = 0.8, 0.5, 0.4, 0.5, 0.4, 0.5, 0.8, 0.5
"""Prior scales on the logit scale: of all attributes together, of all pairs together, and so on.

They say how the families compare; how far terms reach altogether is learned (see ``multilevel``).
"""

ANSWERS = 2.0
"""Of the service's answers, alone and in pairs, in units of another attribute's scale: what it says
tells more of how often it is right than what it was asked about."""

FEW_PAIRS = 10
"""Of attributes: so many learn a scale each, for often one of them decides and the others do not
matter. More have one scale together."""

SIZE_TREND, SIZE_FAMILY = "trend with the size of the arm", "size of the arm"
"""A line in the log of the size, and where it bends. What is rare is often hard; where it is not, a
line of a fixed reach would carry to small arms, and back, what a few labels say of the others."""

BY_SIZE = 0.4
"""By what part of itself a level's term may differ, for one deviation of the arms' log sizes.

A level can be bad where it is rare and harmless where it is common, and a policy that prefers small
arms sees it mostly where it is rare.
"""

FEW_BY_SIZE, MOST_BY_SIZE = 5, 200
"""Attributes, and columns of one of them, for that. With the twelve of ImageNet-X errors over all
arms grew a little; a name with more levels has few arms of each to compare."""

DEVIATION = -0.25
"""An arm's own term varies with its size to this power: what has many items averages out.

On real pools the squared deviations of arms fall about as the root of their sizes.
"""


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns of the linear predictor: per arm, per score cell, and slopes that join the two.

    The predictor of an item in arm a and score cell s is
    ``arms[a] w + curve[s] v + position[s] (slopes[a] u)``, with a term of its own for every arm.

    Args:
        arms: (arms, columns), sparse: intercept, size, attributes, pairs, all attributes but one.
        curve: (score cells, columns): a line, whether the score is missing, and a curve.
        slopes: (arms, columns), sparse: by how much the line is steeper in some arms.
        position: Where each score cell lies on the line.
        family: The family of each column in this order, -1 for those without.
        names: What each family is called, the arms' own terms last.
        prior_scale: Of each family.
        spread: By how much each arm's own term varies, in units of its family's scale.
    """

    arms: Sparse = field(repr=False)
    curve: FloatArray = field(repr=False)
    slopes: Sparse = field(repr=False)
    position: FloatArray = field(repr=False)
    family: IntArray = field(repr=False)
    names: tuple[str, ...]
    prior_scale: FloatArray
    spread: FloatArray = field(repr=False)

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, cells: Cells) -> "Terms":
        """Terms for the arms and score cells of a pool; a campaign asks for the same ones often."""
        attributes = cells.partition.attributes
        mains = {place: main_columns(cells, place) for place in range(len(attributes))}
        mains = {place: main for place, main in mains.items() if main.shape[1]}
        share = 1 / np.sqrt(max(len(mains), 1))
        size_line, size_walk = size_columns(cells)
        position, line, walk = score_columns(cells)
        arms, curve, slopes = _Columns(cells.arms), _Columns(len(position)), _Columns(cells.arms)
        arms.add("", 0.0, np.ones((cells.arms, 1)))
        arms.add(SIZE_TREND, TREND, size_line)
        arms.add(SIZE_FAMILY, SIZE, size_walk)
        tilt = size_line if len(mains) <= FEW_BY_SIZE else size_line[:, :0]
        for place, main in mains.items():
            scale = MAIN * share * _reach(attributes[place])
            arms.add(attributes[place].name, scale, main, _by_size(main, tilt))
        _add_pairs(arms, cells, list(mains))
        others = neighbour_columns(cells, list(mains)).values()
        arms.add(
            "all attributes but one", NEIGHBOUR, *(each / np.sqrt(len(others)) for each in others)
        )
        curve.add("", 0.0, line)
        curve.add("curve of the score", CURVE, walk)
        if line.shape[1]:
            # A score tells more or less in what is rare: an arm's size counts as an attribute.
            steeper = (*mains.values(), size_line)
            slopes.add("score by attribute", SLOPE, *(block * share for block in steeper))
        own = _own_terms(cells, [attributes[place] for place in mains])
        return cls._joined(arms, curve, slopes, position, own)

    @classmethod
    def _joined(
        cls,
        arms: "_Columns",
        curve: "_Columns",
        slopes: "_Columns",
        position: FloatArray,
        own: tuple[float, FloatArray],
    ) -> "Terms":
        parts = (arms, curve, slopes)
        starts = np.cumsum([0, *(len(part.names) for part in parts)])
        family = [
            number + start if number >= 0 else -1
            for part, start in zip(parts, starts[:-1], strict=True)
            for number in part.family
        ]
        return cls(
            arms.matrix(),
            curve.matrix().toarray(),
            slopes.matrix(),
            position,
            np.array(family, dtype=np.int64),
            (*(name for part in parts for name in part.names), "arms"),
            np.array([*(scale for part in parts for scale in part.scales), own[0]]),
            own[1],
        )

    @cached_property
    def split(self) -> tuple[slice, slice, slice]:
        """Which weights belong to arms, curve and slopes."""
        a, b = self.arms.shape[1], self.arms.shape[1] + self.curve.shape[1]
        return slice(0, a), slice(a, b), slice(b, b + self.slopes.shape[1])

    def only(self, arms: IntArray) -> "Terms":
        """The same columns, for some of the arms."""
        return replace(
            self, arms=self.arms[arms], slopes=self.slopes[arms], spread=self.spread[arms]
        )

    def design(self, arm: IntArray, bin: IntArray, group: IntArray) -> tuple[Design, IntArray]:
        """The columns that items in these arms and score cells have, and which columns they are.

        ``arm`` has an entry for each group, ``bin`` and ``group`` one for each row.
        """
        parts = [self.arms[arm], self.curve[bin], self.slopes[arm]]
        touched = [np.flatnonzero(np.asarray(abs(part).sum(axis=0)).ravel()) for part in parts]
        shared, own, steep = (part[:, kept] for part, kept in zip(parts, touched, strict=True))
        starts = (part.start for part in self.split)
        kept = np.concatenate([t + start for t, start in zip(touched, starts, strict=True)])
        return Design(shared, own, steep, self.position[bin], group).compact(), kept


class _Columns:
    """Puts columns side by side and keeps the family of each."""

    def __init__(self, rows: int) -> None:
        self.blocks: list[Sparse] = [sparse.csr_matrix((rows, 0))]
        self.names: list[str] = []
        self.scales: list[float] = []
        self.family: list[int] = []

    def add(self, name: str, scale: float, *blocks: Sparse | FloatArray) -> None:
        """Take in some columns; without a name they have no learned scale."""
        columns = sum(block.shape[1] for block in blocks)
        if columns and name:
            self.names.append(name)
            self.scales.append(scale)
        self.family += [len(self.names) - 1 if name else -1] * columns
        self.blocks += [sparse.csr_matrix(block) for block in blocks]

    def matrix(self) -> Sparse:
        """All columns, sparse."""
        return sparse.hstack(self.blocks, format="csr")


def _reach(*attributes: Attribute) -> float:
    """How far terms of these may reach, in units of others."""
    return ANSWERS if any(each.name == PREDICTION for each in attributes) else 1.0


def _by_size(main: Sparse, size_line: FloatArray) -> Sparse:
    """What an attribute's levels add in larger arms."""
    if not size_line.shape[1] or main.shape[1] > MOST_BY_SIZE:
        return main[:, :0]
    return main.multiply(BY_SIZE * size_line).tocsr()


def _add_pairs(arms: _Columns, cells: Cells, told: list[int]) -> None:
    """Terms of pairs of attributes, with a scale for each pair where there are few."""
    pairs, attributes = pair_columns(cells, told), cells.partition.attributes
    share = 1 / np.sqrt(max(len(pairs), 1))
    reach = {pair: share * _reach(*(attributes[place] for place in pair)) for pair in pairs}
    if len(pairs) > FEW_PAIRS:
        arms.add("pairs of attributes", PAIR, *(reach[pair] * pairs[pair] for pair in pairs))
        return
    for pair, block in pairs.items():
        arms.add(" by ".join(attributes[place].name for place in pair), PAIR * reach[pair], block)


def _own_terms(cells: Cells, told: list[Attribute]) -> tuple[float, FloatArray]:
    """The prior scale of arms' own terms, and by how much each of them varies in its units.

    Where two attributes make an arm, its term is also that of the pair, however many items it has.
    """
    deviation = _deviations(cells)
    if len(told) != 2:
        return ARM, deviation
    pair = PAIR * _reach(*told)
    scale = float(np.hypot(ARM, pair))
    return scale, np.hypot(ARM * deviation, pair) / scale


def _deviations(cells: Cells) -> FloatArray:
    """By how much arms' own terms vary, one on average over arms that are not small."""
    size = np.maximum(cells.mass, 1.0)
    judged = size >= min(SMALL, size.max())
    return (size / np.exp(np.log(size[judged]).mean())) ** DEVIATION
