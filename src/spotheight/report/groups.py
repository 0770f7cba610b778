"""Readings of many groups off one surface at once: arms, and groups that share their draws."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import default_rng
from scipy.sparse import csc_array

from spotheight.beliefs import Reading, Surface
from spotheight.beliefs.surface import DRAWS, FEWEST_DRAWS, KEPT_DRAWS, standing
from spotheight.numerics.distributions.intervals import central_interval
from spotheight.numerics.portions import portions
from spotheight.questions.quantities import Groups
from spotheight.report.values import ArmRow
from spotheight.types import FloatArray, TextArray

GROUP_DRAWS = 60_000_000
"""So many numbers are kept of all groups together, half a gigabyte; more groups get fewer draws."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Numbers of many arms, or of many groups of arms, a column each.

    Args:
        n_pool: Expected items of each.
        n_labelled: Labelled items of each.
        mean: The best single guess, NaN where there is none.
        low: The lower end of the interval.
        high: The upper end.
        status: Estimated, inferred, complete, or insufficient evidence.
    """

    n_pool: FloatArray
    n_labelled: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    status: TextArray

    def row(self, place: int, name: str, levels: tuple[str, ...]) -> ArmRow:
        """One of them under its name."""
        return ArmRow(
            name,
            levels,
            n_pool=float(self.n_pool[place]),
            n_labelled=float(self.n_labelled[place]),
            mean=float(self.mean[place]),
            low=float(self.low[place]),
            high=float(self.high[place]),
            status=str(self.status[place]),
        )

    def reading(self, place: int, level: float, estimand: str) -> Reading:
        """One of them as a reading."""
        row = self.row(place, "", ())
        return Reading(row.mean, row.low, row.high, level, estimand, row.n_pool, row.n_labelled)


def read_arms(surface: Surface, level: float) -> Readings:
    """Every arm on its own."""
    low, high = surface.interval(level)
    sizes = (surface.cells.mass, surface.labelled)
    return _readings(surface, sizes, (surface.mean, low, high))


def _readings(
    surface: Surface,
    sizes: tuple[FloatArray, FloatArray],
    numbers: tuple[FloatArray, FloatArray, FloatArray],
) -> Readings:
    """Say of each how it stands, by the rule that the surface has for arms."""
    return Readings(*sizes, *numbers, standing(surface, sizes, numbers))


def read_groups(
    surface: Surface, groupings: Sequence[Groups], shares: Sequence[float], level: float
) -> tuple[list[Readings], FloatArray]:
    """Every group of every grouping, and the quantiles of arms at ``shares``.

    Groups have what ``Surface.over`` says of them, but all arms are drawn once for all of them.
    Quantiles are taken over the arms of each draw and then averaged: the arms' means lie closer
    together than the arms do.
    """
    tallies = [_Tally.of(surface, grouping, len(groupings)) for grouping in groupings]
    quantiles, turns = np.zeros(len(shares)), 0
    for block in _blocks(surface):
        quantiles += np.quantile(block, shares, axis=1).sum(axis=1)
        turns += len(block)
        by_arm = np.ascontiguousarray(block.T)
        for tally in tallies:
            tally.add(by_arm)
    return [tally.read(surface, level) for tally in tallies], quantiles / turns


def read_whole(surface: Surface, level: float, draws: int) -> Reading:
    """The overall number, its interval from some draws only."""
    tally = _Tally.of(surface, Groups.whole(surface.cells.arms), 1)
    tally.add(np.ascontiguousarray(surface.draw(draws, default_rng(surface.seed)).T))
    return tally.read(surface, level).reading(0, level, surface.estimand)


def _blocks(surface: Surface) -> Iterator[FloatArray]:
    """The very draws behind ``Surface.over``, (draws, arms), as many at a time as fit."""
    arms = surface.cells.arms
    turns = max(FEWEST_DRAWS, min(DRAWS, KEPT_DRAWS // arms))
    rng = default_rng(surface.seed)
    for size in portions(turns, KEPT_DRAWS // arms):
        yield surface.draw(size, rng)


@dataclass(eq=False)
class _Tally:
    """Draws of the weighted mean of each group, as they come in."""

    grouping: Groups
    shares: csc_array
    most: int
    parts: list[FloatArray] = field(default_factory=list)

    @classmethod
    def of(cls, surface: Surface, grouping: Groups, tallies: int) -> "_Tally":
        weight, total = surface.weight, grouping.total(surface.weight)
        # Where no item of a group counts there is no mean.
        share = weight / np.where(total > 0, total, np.nan)[grouping.group]
        # An arm lies in one group: one entry a column, so nothing needs to be sorted.
        arms = np.arange(len(weight) + 1)
        shape = (len(grouping), len(weight))
        most = max(FEWEST_DRAWS, GROUP_DRAWS // (len(grouping) * tallies))
        return cls(grouping, csc_array((share, grouping.group, arms), shape=shape), most)

    def add(self, by_arm: FloatArray) -> None:
        """Take in further draws, (arms, draws), until there are enough."""
        wanted = self.most - sum(part.shape[1] for part in self.parts)
        if wanted >= by_arm.shape[1]:
            self.parts.append(self.shares @ by_arm)
        elif wanted > 0:
            self.parts.append(self.shares @ np.ascontiguousarray(by_arm[:, :wanted]))

    def read(self, surface: Surface, level: float) -> Readings:
        """Means and intervals of the groups."""
        draws = np.concatenate(self.parts, axis=1)
        low, high = central_interval(draws, level, axis=1)
        # As in ``Surface.over``: without the noise of draws, where every arm has a mean.
        exact = self.shares @ np.where(surface.weight > 0, surface.mean, 0.0)
        mean = np.where(np.isnan(exact), draws.mean(axis=1), exact)
        total = self.grouping.total
        sizes = (total(surface.cells.mass), total(surface.labelled))
        return _readings(surface, sizes, (mean, low, high))
