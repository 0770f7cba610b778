"""One-to-one matching of detections to objects, and average precision, as COCO defines them.

A pair is a detection and an object that it may have found. It has a value: the number of thresholds
of overlap that it passes, 0 to 10, plus the overlap itself; so it passes the k-th threshold where
its value is at least k, and of two values the larger has the larger overlap. At each threshold a
system's detections are served by score: each takes the free object of highest value that passes.

Values are (pairs, draws): many possible worlds are matched at once. Detections are in the order of
their lists: list after list, the surest first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

from spotheight.numerics.sums import turns
from spotheight.types import BoolArray, FloatArray, IntArray

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)


def levels(overlap: FloatArray) -> IntArray:
    """How many thresholds each overlap passes.

    >>> levels(np.array([0.49, 0.5, 0.72, 1.0]))
    array([ 0,  1,  5, 10])
    """
    return np.searchsorted(THRESHOLDS, overlap, side="right")


def values(level: IntArray, overlap: FloatArray) -> FloatArray:
    """Matching priority of pairs: the level first, then the overlap."""
    return level.astype(float) + np.minimum(overlap, 1 - 1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Pairs whose detections are served at the same time: one of each image and list.

    Args:
        start: Where each detection's pairs begin.
        part: The number of each pair's detection, from 0.
    """

    pairs: slice
    start: IntArray
    part: IntArray


@dataclass(frozen=True, eq=False)
class Contest:
    """Candidate pairs of a matching: which detection may find which object.

    Args:
        detection: Of each pair.
        slot: The object of each pair, numbered apart for every system.
        group: The image and list of each detection, by number.
    """

    detection: IntArray
    slot: IntArray
    slots: int
    group: IntArray = field(repr=False)

    @cached_property
    def _turn(self) -> IntArray:
        """When each detection is served: how many of its group come before it."""
        return turns(self.group)

    @cached_property
    def order(self) -> IntArray:
        """Pairs turn after turn, detection after detection."""
        return np.lexsort((np.arange(len(self.slot)), self.detection, self._turn[self.detection]))

    @cached_property
    def rounds(self) -> list[Round]:
        """Of the ordered pairs."""
        detection = self.detection[self.order]
        turn = self._turn[detection]
        ends = np.searchsorted(turn, np.arange(turn.max(initial=-1) + 2))
        return [_round(detection, int(a), int(b)) for a, b in pairwise(ends)]

    def won(self, value: FloatArray) -> Iterator[BoolArray]:
        """For each threshold which pairs are matched, (pairs, draws)."""
        value, slot = value[self.order], self.slot[self.order]
        back = np.argsort(self.order)
        for threshold in range(1, len(THRESHOLDS) + 1):
            free = np.ones((self.slots, value.shape[1]), dtype=bool)
            won = np.zeros(value.shape, dtype=bool)
            for turn in self.rounds:
                mine = slot[turn.pairs]
                won[turn.pairs] = _best(value[turn.pairs], threshold, free[mine], turn)
                free[mine] &= ~won[turn.pairs]
            yield won[back]

    def found(self, won: BoolArray) -> BoolArray:
        """Which detections are matched, (detections, draws)."""
        hit = np.zeros((len(self.group), won.shape[1]), dtype=bool)
        pair, draw = np.nonzero(won)
        hit[self.detection[pair], draw] = True
        return hit


def _round(detection: IntArray, begin: int, end: int) -> Round:
    mine = detection[begin:end]
    is_first = np.concatenate([[True], mine[1:] != mine[:-1]])
    return Round(slice(begin, end), np.flatnonzero(is_first), np.cumsum(is_first) - 1)


def _best(value: FloatArray, threshold: int, free: BoolArray, turn: Round) -> BoolArray:
    """The pair of highest value that passes, of each detection; of equals the last."""
    passes = free & (value >= threshold)
    if len(turn.start) == len(value):
        return passes
    value = np.where(passes, value, 0.0)
    best = np.maximum.reduceat(value, turn.start, axis=0)[turn.part]
    place = np.where(passes & (value == best), np.arange(len(value))[:, None], -1)
    return passes & (place == np.maximum.reduceat(place, turn.start, axis=0)[turn.part])


@dataclass(frozen=True, eq=False)
class PrecisionCurve:
    """Precision by recall of one list, but for which of its detections are right.

    Args:
        rows: Its detections that may be right.
        misses: How many of the others come before each and count, (thresholds, rows).
        is_left_out: Whether each counts only if it is right, being in a crowd; likewise.
        positives: How many objects there are to be found.
    """

    rows: slice
    misses: IntArray = field(repr=False)
    is_left_out: BoolArray = field(repr=False)
    positives: int

    @cached_property
    def _weight(self) -> FloatArray:
        """How many of the recalls are reached by the first find, the second, ..."""
        reached = np.arange(1, self.positives + 1) / max(self.positives, 1)
        upto = np.searchsorted(RECALLS, reached, side="right")
        return np.diff(upto, prepend=0) / len(RECALLS)

    def precision(self, hit: BoolArray) -> FloatArray:
        """The mean over thresholds, from (thresholds, rows, draws), for each draw."""
        if not hit.shape[1] or not self.positives:
            return np.zeros(hit.shape[2])
        found = np.cumsum(hit, axis=1)
        counts = hit | ~self.is_left_out[:, :, None]
        counted = np.cumsum(counts, axis=1) + self.misses[:, :, None]
        height = np.where(hit, found / np.maximum(counted, 1), 0.0)
        height = np.maximum.accumulate(height[:, ::-1], axis=1)[:, ::-1]
        weight = self._weight[np.minimum(found, self.positives) - 1]
        return np.where(hit, weight * height, 0.0).sum(axis=1).mean(axis=0)

    def slope(self, chance: FloatArray) -> FloatArray:
        """What a right detection adds over a wrong one, (thresholds, rows).

        Of the average precision without interpolation, N known: (1 + hits before) / rank and the
        sum of 1 / rank over hits behind, divided by N.
        """
        counts = np.where(self.is_left_out, chance, 1.0)
        rank = np.maximum(self.misses + np.cumsum(counts, axis=1), 1.0)
        before = np.cumsum(chance, axis=1) - chance
        share = chance / rank
        behind = share.sum(axis=1, keepdims=True) - np.cumsum(share, axis=1)
        return ((1 + before) / rank + behind) / max(self.positives, 1)


def credits(contest: Contest, won: list[BoolArray], slope: FloatArray) -> FloatArray:
    """What each slot adds to its list's average precision, (slots, draws).

    ``won`` has the matched pairs for each threshold, ``slope`` what a right detection adds,
    (thresholds, detections).
    """
    pairs = len(contest.slot)
    gather = sparse.csr_matrix(
        (np.ones(pairs), (contest.slot, np.arange(pairs))), (contest.slots, pairs)
    )
    total = sum(one * slope[k, contest.detection][:, None] for k, one in enumerate(won))
    return np.asarray(gather @ total) / len(won)
