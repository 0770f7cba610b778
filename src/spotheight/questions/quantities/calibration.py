"""Expected calibration error (ECE): how far scores are from the accuracy."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from spotheight.arms import MISSING, MOST_BINS, SCORE, Partition, Recipe
from spotheight.beliefs import Surface
from spotheight.errors import InputError, require_at_most
from spotheight.evidence import Cut, Evidence, Source
from spotheight.metrics import Metric
from spotheight.numerics.calibration import calibration_gap
from spotheight.questions.quantities.groups import Groups
from spotheight.questions.quantities.protocol import DRAWS, drawn_quantile
from spotheight.questions.unit import Unit
from spotheight.types import BoolArray, FloatArray, IntArray

CutBy = Literal["width", "weight"]


@dataclass(frozen=True)
class CalibrationError:
    """ECE, the expected gap between score and accuracy, over bins of the score.

    Args:
        by: Attributes as in ``init`` that make the groups; empty means all items together.
        bins: How many bins the score is cut into.
        cut_by: Bins of equal ``width``, or of equal ``weight`` in items.
        service: Whose answers; empty means the campaign's service.
    """

    by: tuple[str, ...] = ()
    bins: int = 10
    cut_by: CutBy = "width"
    service: str = ""
    has_exact_mean = False

    def __post_init__(self) -> None:
        if self.bins < 2:
            raise InputError(f"A calibration error needs at least 2 bins, got {self.bins}.")
        require_at_most("The number of bins", self.bins, MOST_BINS)
        if self.cut_by not in get_args(CutBy):
            raise InputError(f"Bins have equal width or equal weight, not equal {self.cut_by!r}.")

    @property
    def recipe(self) -> Recipe:
        """How the score is cut."""
        if self.cut_by == "weight":
            return Recipe(SCORE, bins=self.bins)
        return Recipe(SCORE, edges=tuple(k / self.bins for k in range(1, self.bins)))

    @property
    def cut(self) -> Cut:
        recipes = tuple(Recipe.parse(text) for text in self.by)
        return Cut((*recipes, self.recipe), None, self.service or None)

    def evidence(self, source: Source) -> Evidence:
        evidence = source.evidence(*self.cut)
        evidence.cells.require_probabilities("A calibration error")
        return evidence

    def unit(self, metric: Metric) -> Unit:
        return Unit("calibration error", is_bad_high=True, short="ECE")

    def is_bad_high(self, belief: Surface) -> bool:
        return True

    def groups(self, belief: Surface) -> Groups:
        """Those with items that have a score; the others have no calibration error."""
        arms, known = belief.partition, has_score(belief)
        if not known.any():
            raise InputError("No item with a score counts for the metric.")
        codes = arms.codes[:, :-1]
        named = Partition.of(arms.attributes[:-1], codes[known])
        return Groups(named.find(codes), named)

    def draw(self, belief: Surface, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

    def read(self, belief: Surface, parts: FloatArray, groups: Groups) -> FloatArray:
        return Diagram.of(belief, groups).errors(parts)

    def mean(self, belief: Surface, groups: Groups, rng: Generator) -> FloatArray:
        return self.read(belief, self.draw(belief, DRAWS, rng), groups).mean(axis=0)

    def quantile(self, belief: Surface, groups: Groups, share: float, rng: Generator) -> FloatArray:
        return drawn_quantile(self, belief, groups, share, rng)


def has_score(surface: Surface) -> BoolArray:
    """The arms that enter a calibration error: they have a score, and items that count."""
    bins = surface.partition.attributes[-1].levels
    is_bin = np.array([level != MISSING for level in bins])[surface.partition.codes[:, -1]]
    return is_bin & ~np.isnan(surface.cells.arm_score) & (surface.weight > 0)


@dataclass(frozen=True, eq=False)
class Diagram:
    """The (group, score bin) pieces of a surface whose last attribute is the score.

    Args:
        pieces: Arms by piece; those without a score lie in none.
        group: The group of each piece.
        groups: How many groups there are.
        bin: The score bin of each piece.
        score: Its mean score.
        arm_weight: How much each arm counts; 0 for those that lie in no piece.
    """

    pieces: Groups = field(repr=False)
    group: IntArray = field(repr=False)
    groups: int
    bin: IntArray = field(repr=False)
    score: FloatArray = field(repr=False)
    arm_weight: FloatArray = field(repr=False)

    @classmethod
    def of(cls, surface: Surface, groups: Groups) -> "Diagram":
        """The pieces that hold items; raise for a group without any."""
        arms, scores = surface.partition, surface.cells.arm_score
        bin, levels = arms.codes[:, -1], len(arms.attributes[-1].levels)
        is_in = (groups.group >= 0) & has_score(surface)
        key = groups.group * levels + bin
        found, place = np.unique(key[is_in], return_inverse=True)
        empty = np.setdiff1d(np.arange(len(groups)), found // levels)
        if len(empty):
            name = groups.name(int(empty[0]))
            raise InputError(f"No item of {name!r} has a score, so it has no calibration error.")
        piece = np.full(len(key), -1)
        piece[is_in] = place
        pieces = Groups(piece, labels=tuple(map(str, found)))
        weight = np.where(is_in, surface.weight, 0.0)
        score = pieces.mean(np.nan_to_num(scores), weight)
        return cls(pieces, found // levels, len(groups), found % levels, score, weight)

    @cached_property
    def weight(self) -> FloatArray:
        """How much of its group each piece is."""
        held = self.pieces.total(self.arm_weight)
        return held / self.by_group.total(held)[self.group]

    @cached_property
    def by_group(self) -> Groups:
        """Pieces by group."""
        return Groups(self.group, labels=tuple(map(str, range(self.groups))))

    def named(self, surface: Surface) -> Groups:
        """The pieces, each with the name of its score bin."""
        levels = surface.partition.attributes[-1].levels
        return Groups(self.pieces.group, labels=tuple(levels[code] for code in self.bin))

    def ends(self, surface: Surface) -> FloatArray:
        """Where the score bin of each piece starts and ends, (pieces, 2)."""
        marks = np.array([0.0, *surface.partition.attributes[-1].edges, 1.0])
        return np.column_stack([marks[self.bin], marks[self.bin + 1]])

    def accuracy(self, parts: FloatArray) -> FloatArray:
        """The accuracy of each piece, (draws, pieces)."""
        return self.pieces.mean(parts, self.arm_weight)

    def errors(self, parts: FloatArray) -> FloatArray:
        """The calibration error of each group, (draws, groups)."""
        gap = calibration_gap(self.accuracy(parts), self.score, self.weight)
        return self.by_group.total(gap)
