"""Belief about objects in images: which detections have found them, at each threshold."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator

from spotheight.evidence.objects import SceneEvidence
from spotheight.numerics.portions import portions
from spotheight.numerics.ranking.matching import (
    THRESHOLDS,
    Contest,
    PrecisionCurve,
    credits,
    levels,
    values,
)
from spotheight.types import BoolArray, FloatArray, IntArray

LEAST = 1e-3
"""A pair less likely to pass even the lowest threshold is left out of the matching."""

TOGETHER = 50
"""Worlds that are matched at a time."""


class PassingModel(Protocol):
    """Model of chances to pass that are uncertain themselves: draws of them."""

    def draw(self, n: int, rng: Generator, where: IntArray) -> FloatArray:
        """Plausible chances of some pairs, (draws, pairs, thresholds)."""
        ...


@dataclass(frozen=True, eq=False)
class SceneBelief:
    """The chance of every detection to overlap every object enough, threshold by threshold.

    Args:
        evidence: The objects and detections.
        passing: Of each pair, (pairs, thresholds); 0 or 1 where the object is vetted.
        is_in: Objects that are reckoned with: all, or those of vetted images alone.
        model: Draws chances where they are uncertain themselves, pairs of one object together: an
            outline that is smaller than its box is so for all detections.
        estimator: What it was estimated by, in words of the API.
    """

    evidence: SceneEvidence = field(repr=False)
    passing: FloatArray = field(repr=False)
    is_in: BoolArray = field(repr=False)
    model: PassingModel | None = field(default=None, repr=False)
    estimator: str = ""

    @cached_property
    def chance(self) -> FloatArray:
        """Of each object to be found by some detection, at the lowest threshold."""
        missed = np.ones(len(self.evidence))
        np.minimum.at(missed, self.evidence.pairs.item, 1 - self.passing[:, 0])
        return 1 - missed

    def positives(self) -> FloatArray:
        """Objects of each category that are reckoned with and not known to be absent."""
        evidence = self.evidence
        is_there = self.is_in & ~evidence.is_absent
        counts = np.bincount(evidence.category[is_there], minlength=len(evidence.categories))
        return counts.astype(float)

    @cached_property
    def board(self) -> "Board":
        """What the worlds of this belief have in common."""
        return Board.of(self)

    def worlds(self, n: int, rng: Generator) -> "Worlds":
        """Plausible outlines of all objects, and what they make of the services."""
        if not self.board.is_open.any():
            n = 1  # nothing is in doubt
        parts = [self.board.played(value) for value in self._values(n, rng)]
        hits = np.concatenate([hit for hit, _ in parts], axis=2)
        return Worlds(self.evidence, self.board, hits, [won for _, won in parts])

    def _values(self, n: int, rng: Generator) -> Iterator[FloatArray]:
        """What pairs are matched by, (pairs on the board, some draws)."""
        board = self.board
        for size in portions(n, TOGETHER):
            level = np.repeat(board.level[:, None], size, axis=1)
            if board.is_open.any():
                level[board.is_open] = self._levels(size, rng).T
            yield values(level, board.overlap[:, None])

    def _levels(self, n: int, rng: Generator) -> IntArray:
        """How many thresholds pairs in doubt pass, (draws, pairs)."""
        where = self.board.pairs[self.board.is_open]
        passing = self.passing[where] if self.model is None else self.model.draw(n, rng, where)
        return (rng.random((n, len(where), 1)) < passing).sum(axis=2)


@dataclass(frozen=True, eq=False)
class Board:
    """Pairs that may be matched, and the lists they stand in.

    Args:
        pairs: The pairs by their number in the evidence.
        overlap: The overlap of each, vetted or noisy.
        level: How many thresholds it passes.
        is_open: Whether that is in doubt.
        contest: Who may find what.
        curves: Of all lists.
    """

    pairs: IntArray = field(repr=False)
    overlap: FloatArray = field(repr=False)
    level: IntArray = field(repr=False)
    is_open: BoolArray = field(repr=False)
    contest: Contest = field(repr=False)
    curves: tuple[PrecisionCurve, ...] = field(repr=False)

    @classmethod
    def of(cls, belief: SceneBelief) -> "Board":
        """Leave out what cannot be right, and images that are not reckoned with."""
        evidence, pairs = belief.evidence, belief.evidence.pairs
        is_seen = _seen_images(belief)[evidence.detections.image]
        may_pass = (belief.passing[:, 0] > LEAST) & is_seen[pairs.detection]
        chosen = np.flatnonzero(may_pass)
        passing = belief.passing[chosen]
        is_open = np.any((passing > 0) & (passing < 1), axis=1)
        overlap = np.where(evidence.is_vetted[pairs.item], pairs.true, pairs.noisy)[chosen]
        rows, detection = np.unique(pairs.detection[chosen], return_inverse=True)
        list_of, image = (a[rows] for a in (evidence.detections.list_of, evidence.detections.image))
        slot = evidence.pair_service[chosen] * len(evidence) + pairs.item[chosen]
        slots = len(evidence.services) * len(evidence)
        group = list_of * len(evidence.images) + image
        contest = Contest(detection.ravel(), slot, slots, group)
        level = (passing >= 1).sum(axis=1)
        curves = tuple(_curves(belief, rows, is_seen))
        return cls(chosen, overlap, level, np.asarray(is_open), contest, curves)

    def played(self, value: FloatArray) -> tuple[BoolArray, list[BoolArray]]:
        """Which detections are right, (thresholds, detections, draws), and which pairs matched."""
        won = list(self.contest.won(value))
        return np.stack([self.contest.found(one) for one in won]), won

    def precision(self, hits: BoolArray) -> FloatArray:
        """Average precision of all lists, (draws, lists); NaN where nothing is to be found."""
        found = [
            curve.precision(hits[:, curve.rows])
            if curve.positives
            else np.full(hits.shape[2], np.nan)
            for curve in self.curves
        ]
        return np.stack(found, axis=1)

    def slope(self, chance: FloatArray) -> FloatArray:
        """What a right detection adds to its list, (thresholds, detections)."""
        return np.concatenate([one.slope(chance[:, one.rows]) for one in self.curves], axis=1)


@dataclass(frozen=True, eq=False)
class Worlds:
    """Drawn outlines of all objects, matched: what may be true of all services.

    Args:
        evidence: The objects and detections.
        board: The pairs that were matched.
        hits: Which detections are right, (thresholds, detections, draws).
        won: Matched pairs, some draws at a time, for each threshold.
    """

    evidence: SceneEvidence = field(repr=False)
    board: Board = field(repr=False)
    hits: BoolArray = field(repr=False)
    won: list[list[BoolArray]] = field(repr=False)

    @cached_property
    def precision(self) -> FloatArray:
        """Average precision of every list, (draws, services, categories)."""
        shape = (self.hits.shape[2], len(self.evidence.services), len(self.evidence.categories))
        return self.board.precision(self.hits).reshape(shape)

    @cached_property
    def credit(self) -> FloatArray:
        """What each object adds to a service's mean, (draws, services, objects)."""
        slope = self.board.slope(self.hits.mean(axis=2))
        parts = [credits(self.board.contest, won, slope) for won in self.won]
        shape = (len(self.evidence.services), len(self.evidence), self.hits.shape[2])
        share = np.concatenate(parts, axis=1).reshape(shape) / len(self.evidence.categories)
        return share.transpose(2, 0, 1)


def _seen_images(belief: SceneBelief) -> BoolArray:
    """Images all of whose objects are reckoned with."""
    is_seen = np.ones(len(belief.evidence.images), dtype=bool)
    is_seen[belief.evidence.unit[~belief.is_in]] = False
    return is_seen


def _curves(belief: SceneBelief, rows: IntArray, is_seen: BoolArray) -> Iterator[PrecisionCurve]:
    """All lists in their order, given the detections that may be right."""
    evidence, detections = belief.evidence, belief.evidence.detections
    lists = len(evidence.services) * len(evidence.categories)
    in_crowd = levels(detections.crowd) > np.arange(len(THRESHOLDS))[:, None]
    may_be_right = np.zeros(len(detections), dtype=bool)
    may_be_right[rows] = True
    misses = np.cumsum(~in_crowd & is_seen & ~may_be_right, axis=1)
    start = np.searchsorted(detections.list_of, np.arange(lists))
    before = np.concatenate([np.zeros((len(misses), 1), dtype=misses.dtype), misses], axis=1)[
        :, start
    ]
    ends = np.searchsorted(detections.list_of[rows], np.arange(lists + 1))
    positives = belief.positives().astype(int)
    for number in range(lists):
        mine = rows[ends[number] : ends[number + 1]]
        yield PrecisionCurve(
            slice(int(ends[number]), int(ends[number + 1])),
            misses[:, mine] - before[:, [number]],
            in_crowd[:, mine],
            int(positives[number % len(evidence.categories)]),
        )
