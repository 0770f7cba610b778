"""How far an estimate is from the truth."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import Surface
from spotheight.evidence import Counts
from spotheight.pool.cells import SMALL
from spotheight.types import BoolArray, FloatArray

EXTREME = 50
"""How many arms are the worst, or the rarest."""

DRAWN_AT_ONCE = 4_000_000
"""Numbers held in memory at a time: 32 MB."""

SAME = 1e-9
"""Shares of items that differ by less are one value, added up in another order."""

SHUFFLES = 200
"""Random orders of tied arms: a standard error of at most .035 for one mean reciprocal rank."""

UNKNOWN = 0.5
"""What an arm without an estimate is scored as."""

Score = float | None
"""``None`` where there is nothing to score."""


@dataclass(frozen=True, eq=False)
class Target:
    """What a surface is held against.

    Args:
        counts: True hits and items of each arm.
        overall: The true overall number.
        is_held_out: Whether these are items that the campaign did not see.
        missed: True hits and items of arms that the surface lacks: where attributes are only
            guessed, nobody may have guessed them.
    """

    counts: Counts = field(repr=False)
    overall: float
    is_held_out: bool = False
    missed: Counts | None = field(default=None, repr=False)

    @property
    def whole(self) -> "Target":
        """With the arms that the surface lacks at the end."""
        if self.missed is None or not len(self.missed.trials) or self.is_held_out:
            return self
        hits = np.concatenate([self.counts.hits, self.missed.hits])
        trials = np.concatenate([self.counts.trials, self.missed.trials])
        return Target(Counts(hits, trials), self.overall)

    @property
    def accuracy(self) -> FloatArray:
        """The truth of each arm, NaN where it has no item."""
        trials = self.counts.trials
        return np.divide(
            self.counts.hits, trials, out=np.full(len(trials), np.nan), where=trials > 0
        )

    def over(self, arms: BoolArray, weight: FloatArray) -> float:
        """The truth of a set of arms, weighted, NaN where it has no item."""
        found = mean_of(np.nan_to_num(self.accuracy), weight * (arms & (self.counts.trials > 0)))
        return float("nan") if found is None else found

    @property
    def is_scored(self) -> BoolArray:
        """Whether an arm has enough items."""
        return self.counts.trials >= SMALL - SAME


def errors(surface: Surface, target: Target) -> dict[str, Score]:
    """Squared errors over arms with at least 5 items, x100, and two plain ones.

    ``macro_mse`` weighs arms alike, ``micro_mse`` by their items; ``worst50_mse`` is over the 50
    truly worst arms, ``infrequent50_mse`` over the 50 with the fewest items, ties shared out.
    ``rmse`` is 100 times the root of the squared error over all arms weighted by their items (Ji
    et al. 2021), ``overall_error`` the absolute error of the overall number. An arm without an
    estimate is scored as one half.
    """
    overall, target = target.overall, target.whole
    guess = np.full(len(target.counts.trials), UNKNOWN)
    guess[: len(surface.mean)] = np.where(np.isnan(surface.mean), UNKNOWN, surface.mean)
    squared = np.nan_to_num((guess - target.accuracy) ** 2)
    scored, size = target.is_scored, target.counts.trials
    every, gap = mean_of(squared, size), abs(_overall(surface) - overall)
    return {
        "macro_mse": _percent(mean_of(squared, scored)),
        "micro_mse": _percent(mean_of(squared, scored * size)),
        "worst50_mse": _percent(mean_of(squared, lowest(target.accuracy, scored))),
        "infrequent50_mse": _percent(mean_of(squared, lowest(size, scored))),
        "rmse": None if every is None else 100 * float(np.sqrt(every)),
        "overall_error": None if np.isnan(gap) else gap,
    }


def _percent(value: Score) -> Score:
    return None if value is None else 100 * value


def mean_of(values: FloatArray, weight: FloatArray | BoolArray | None = None) -> Score:
    """The weighted mean, nothing where all weights are zero."""
    weight = np.ones(len(values)) if weight is None else weight
    total = float(weight.sum())
    return float(values @ weight / total) if total > 0 else None


def lowest(values: FloatArray, among: BoolArray, most: int = EXTREME) -> FloatArray:
    """Weights of the lowest values; those tied for the last places share them.

    >>> lowest(np.array([3.0, 1, 2, 2]), np.array([True] * 4), most=2)
    array([0. , 1. , 0.5, 0.5])
    """
    if among.sum() <= most:
        return among.astype(float)
    mark = np.sort(values[among])[most - 1]
    below = among & (values < mark - SAME)
    tied = among & (np.abs(values - mark) <= SAME)
    return below + tied * ((most - below.sum()) / tied.sum())


def _overall(surface: Surface) -> float:
    """The overall number without the noise of draws, where every arm has a mean."""
    if np.isnan(surface.mean).any():
        return surface.overall().mean
    weight = surface.weight
    return float(weight @ surface.mean / weight.sum())


def reciprocal_rank(guess: FloatArray, truth: FloatArray, worst: int, rng: Generator) -> Score:
    """How early a ranking by ``guess`` names the truly lowest: 1 if it names them first.

    The mean over the ``worst`` of one over their rank, other true ones left out (Ji et al. 2021).
    Those that are truly as bad as the last of the worst will do as well as it, and equal guesses
    are ranked at random, on average over many orders.
    """
    worst = min(worst, len(truth))
    if not worst:
        return None
    is_right = truth <= np.sort(truth)[worst - 1] + SAME
    times = min(SHUFFLES, DRAWN_AT_ONCE // len(truth) + 1)
    orders = np.lexsort((rng.random((times, len(truth))), np.tile(guess, (times, 1))))
    found = is_right[orders]
    is_first = found & (np.cumsum(found, axis=1) <= worst)
    rank = 1 + np.cumsum(~found, axis=1)
    return float((is_first / rank).sum(axis=1).mean() / worst)


def gap_scores(guess: float, truth: float) -> dict[str, Score]:
    """The absolute error of a difference, and whether it has the wrong sign."""
    if np.isnan(truth):
        return {"gap_error": None, "misranked": None}
    is_wrong = bool(truth != 0 and np.sign(guess) != np.sign(truth))
    return {"gap_error": abs(guess - truth), "misranked": is_wrong}
