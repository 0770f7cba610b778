"""Comparing two groups, many pairs at a time: verdicts and where the next label makes them surest.

A pair of Betas is integrated on a grid, so nothing is drawn but items.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.special import betainc, betaincc

from spotheight.errors import InputError
from spotheight.numerics.distributions import beta
from spotheight.policies.passive import Random
from spotheight.policies.sureness import TIE, ExpectedLambda
from spotheight.simulate.many.pick import draw_indices
from spotheight.simulate.many.world import Runs
from spotheight.types import BoolArray, FloatArray, IntArray

CELLS = 500
"""Of the unit interval; the usual region of practical equivalence is 25 of them."""

MIDDLES = (np.arange(CELLS) + 0.5) / CELLS


@dataclass(frozen=True, eq=False)
class Duels:
    """Pairs of groups to be compared.

    Args:
        items: Hits and misses of both groups of every pair, (pairs, 2, 2).
        prior: Pseudo-counts, of the same shape.
        rope: The region of practical equivalence, to both sides of zero.
        tolerance: Relative error allowed in the probability of the verdict.
    """

    items: IntArray = field(repr=False)
    prior: FloatArray = field(repr=False)
    rope: float = 0.05
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        if abs(self.rope * CELLS - round(self.rope * CELLS)) > 1e-9:
            raise InputError(
                f"The region of practical equivalence must be a multiple of {1 / CELLS:g}, "
                f"got {self.rope:g}."
            )

    def run(self, policy: Random | ExpectedLambda, rng: Generator) -> tuple[IntArray, BoolArray]:
        """Labels needed to match the verdict of full labelling, and whether it was reached early.

        Full labelling always matches, so a pair that used all its items gained nothing.
        """
        runs = Runs.of(self.items, self.prior)
        target = verdict_chances(self.items + self.prior, self.rope)
        size = self.items.sum(axis=(1, 2))
        labels = size.copy()
        still = np.arange(len(self.items))
        while len(still):
            group = self._pick(policy, runs, rng)
            runs.take(np.arange(len(runs)), group, rng.random(len(runs)))
            is_there = self._has_settled(verdict_chances(runs.alpha, self.rope), target[still])
            labels[still[is_there]] = runs.labels[is_there]
            stays = np.flatnonzero(~is_there & (runs.held.sum(axis=1) > 0))
            runs, still = runs.only(stays), still[stays]
        return labels, labels < size

    def _pick(self, policy: Random | ExpectedLambda, runs: Runs, rng: Generator) -> IntArray:
        if isinstance(policy, Random):
            return draw_indices(runs.held / runs.held.sum(axis=1, keepdims=True), rng)
        return surest_group(runs.alpha, runs.is_open, self.rope)

    def _has_settled(self, now: FloatArray, target: FloatArray) -> BoolArray:
        sure = target.max(axis=1)
        is_right = now.argmax(axis=1) == target.argmax(axis=1)
        return is_right & (np.abs(now.max(axis=1) - sure) < self.tolerance * sure)


def verdict_chances(alpha: FloatArray, rope: float) -> FloatArray:
    """P(first lower by more than ``rope``), P(equivalent), P(higher): (pairs, 3)."""
    return _joint(cell_masses(alpha[:, 0]), cell_masses(alpha[:, 1]), rope)


def surest_group(alpha: FloatArray, is_open: BoolArray, rope: float) -> IntArray:
    """The group whose next label is expected to make the likeliest verdict likeliest.

    Where no single label can turn the verdict both tie; then the one whose variance drops more.
    """
    masses = [cell_masses(alpha[:, group]) for group in (0, 1)]
    sure = np.stack([_expected_sureness(masses, group, rope) for group in (0, 1)], axis=1)
    a, b = alpha[..., 0], alpha[..., 1]
    drop = beta.variance_drop(a, b, beta.mean(a, b))
    is_tied = np.abs(sure[:, 0] - sure[:, 1]) <= TIE
    worth = np.where(is_tied[:, None], drop, sure)
    return np.argmax(np.where(is_open, worth, -np.inf), axis=1)


def _expected_sureness(masses: list[FloatArray], group: int, rope: float) -> FloatArray:
    """Expected probability of the likeliest verdict after one more label of the group."""
    total = np.zeros(len(masses[0]))
    for chance in (MIDDLES, 1 - MIDDLES):
        parts = [mass * chance if place == group else mass for place, mass in enumerate(masses)]
        total += _joint(parts[0], parts[1], rope).max(axis=1)
    return total


def _joint(first: FloatArray, second: FloatArray, rope: float) -> FloatArray:
    """Mass below, inside and above; a cell that is cut by an edge counts half."""
    shift = round(rope * CELLS)
    below = _mass_above(first, second, shift)
    above = _mass_above(second, first, shift)
    whole = first.sum(axis=1) * second.sum(axis=1)
    return np.stack([below, whole - below - above, above], axis=1)


def _mass_above(first: FloatArray, second: FloatArray, shift: int) -> FloatArray:
    """Where the second lies more than ``shift`` cells above the first."""
    beyond = second.sum(axis=1, keepdims=True) - np.cumsum(second, axis=1) + second / 2
    return np.einsum("pc,pc->p", first[:, : CELLS - shift], beyond[:, shift:])


def cell_masses(shapes: FloatArray) -> FloatArray:
    """How much of each Beta lies in each cell of the unit interval, (betas, cells).

    By the density in the middle; the outermost cells exactly, for a density may have poles there.
    """
    a, b = shapes[:, :1], shapes[:, 1:]
    log_density = (a - 1) * np.log(MIDDLES) + (b - 1) * np.log1p(-MIDDLES)
    mass = np.exp(log_density - log_density[:, 1:-1].max(axis=1, keepdims=True))
    low, high = betainc(a, b, 1 / CELLS), betaincc(a, b, 1 - 1 / CELLS)
    mass[:, :1] = mass[:, -1:] = 0.0
    mass *= (1 - low - high) / mass.sum(axis=1, keepdims=True)
    mass[:, :1], mass[:, -1:] = low, high
    return mass
