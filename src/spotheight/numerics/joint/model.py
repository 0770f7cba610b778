"""Log posterior density of temperatures, tilts and pairs, and its gradient.

They are held against known combinations and signals of a pool. Rows with known levels count with
log P(a | x), unknown attributes summed out. Rows of a pool, of which only the models' chances are
known, count with the log of the sum over a of pi(a) prod_k mt_k(a_k | x) / rho_k(a_k). There mt are
tempered chances, rho their mean in the pool, and pi(a) is proportional to exp(sum_k u_k(a_k) +
psi(a)), u_k = tau_k + log rho_k. That is the density of the models' signals, relative to their own
in the pool, if they were independent given a. With no tilts and pairs pi is the product of the rho,
and a row of the pool says nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import default_rng

from spotheight.numerics.joint.chances import given
from spotheight.numerics.joint.levels import Levels
from spotheight.numerics.joint.parameters import Scales, Values
from spotheight.numerics.joint.rows import Known, Tempered
from spotheight.numerics.joint.sample import SampledSum
from spotheight.numerics.joint.sums import ExactSum, Sums
from spotheight.types import BoolArray, FloatArray

Summer = Callable[[FloatArray, FloatArray, FloatArray], Sums]
"""From unary log weights, pairs and weights of rows to their sums over all combinations."""


@dataclass(frozen=True, eq=False)
class Sampler:
    """Log temperatures at which combinations are drawn, and a seed."""

    log_temperature: FloatArray
    seed: int


@dataclass(frozen=True, eq=False)
class Model:
    """The log posterior density of the parameters, up to a constant, and its gradient.

    Pairs are centred by the pool's mean chances, so that they say what the single levels do not.

    Args:
        known: Rows with known levels.
        pool: The ``log_chances`` of rows without, (rows, levels).
        pool_weight: What all rows of the pool count together; 0 leaves them out.
        dropped: The share of the time that tilts and pairs are left out for known rows.
        sampler: How to sample sums over combinations instead; without rows of the pool only.
    """

    levels: Levels
    known: Known = field(repr=False)
    pool: FloatArray = field(repr=False)
    scales: Scales
    pool_weight: float = 0.0
    dropped: float = 0.0
    sampler: Sampler | None = None

    @cached_property
    def mean(self) -> FloatArray:
        """The pool's mean chance of each level, before tempering."""
        ones = np.ones(self.levels.size)
        return np.exp(Tempered.of(self.pool, ones, self.levels).log).mean(axis=0)

    @cached_property
    def centring(self) -> FloatArray:
        """Takes from the levels of each attribute their mean over the pool."""
        same = self.levels.owner[:, None] == self.levels.owner
        return np.eye(self.levels.total) - same * self.mean

    @cached_property
    def sums(self) -> tuple[Summer, Summer]:
        """Sums over all combinations, of rows as if nothing were known and of partly known ones."""
        if self.sampler is None:
            whole = ExactSum(self.levels)
            return whole, whole
        rng = default_rng(self.sampler.seed)
        temperature = np.exp(self.sampler.log_temperature)
        free = Tempered.of(self.known.log, temperature, self.levels).log
        partly = given(free[self.partly], self.levels, self.known.codes[self.partly])
        return (SampledSum.of(self.levels, free, rng), SampledSum.of(self.levels, partly, rng))

    def theta(self, values: Values) -> FloatArray:
        """The centred pairs."""
        return np.where(self.levels.above, self.centring @ values.pair @ self.centring.T, 0.0)

    def density(self, values: Values) -> tuple[float, Values]:
        """The log posterior density and its gradient."""
        value, slope = self._joint(values)
        if self.dropped:
            plain, rise = self.alone(values.log_temperature)
            value += self.dropped * plain
            slope = replace(slope, log_temperature=slope.log_temperature + self.dropped * rise)
        return self._with_prior(values, value, slope)

    def _with_prior(self, values: Values, value: float, slope: Values) -> tuple[float, Values]:
        """Add the prior's log density and gradient."""
        spread = self.scales
        parts = (
            (values.log_temperature - spread.centre, slope.log_temperature, spread.temperature),
            (values.tilt, slope.tilt, spread.tilt),
            (values.pair, slope.pair, spread.pair),
        )
        value -= sum(0.5 * float(np.sum(at**2)) / scale**2 for at, _, scale in parts)
        return value, Values(*(rise - at / scale**2 for at, rise, scale in parts))

    def profile(self, log_temperatures: FloatArray) -> FloatArray:
        """The log likelihood of each attribute's known levels without tilts and pairs.

        For all attributes at one temperature after the other, (K, temperatures).
        """
        log, told = self.known.log, self.known.told(self.levels) * self.known.weight[:, None]
        power, known = np.exp(log_temperatures), self.levels.sums(told)
        sums = (np.log(self.levels.sums(np.exp(log * each))) for each in power)
        over = np.transpose([np.sum(known * total, axis=0) for total in sums])
        return self._by_attribute(told * log)[:, None] * power - over

    def alone(self, log_temperature: FloatArray) -> tuple[float, FloatArray]:
        """The log likelihood of known levels without tilts and pairs, and its gradient."""
        tempered = Tempered.of(self.known.log, np.exp(log_temperature), self.levels)
        weight = self.known.told(self.levels) * self.known.weight[:, None]
        return float(np.sum(weight * tempered.log)), self._by_attribute(weight * tempered.slope)

    def _by_attribute(self, terms: FloatArray) -> FloatArray:
        return np.add.reduceat(terms.sum(axis=0), self.levels.starts)

    @cached_property
    def partly(self) -> BoolArray:
        """Which rows know some levels only; of the others nothing has to be summed."""
        return np.any(self.known.codes < 0, axis=1)

    @cached_property
    def fully(self) -> tuple[FloatArray, FloatArray]:
        """The weight of each row's levels, and of all pairs of levels, where all are known."""
        told = self.known.told(self.levels)[~self.partly].astype(float)
        weighed = told * (self.known.weight[~self.partly] * (1 - self.dropped))[:, None]
        return weighed, np.where(self.levels.above, told.T @ weighed, 0.0)

    def _joint(self, values: Values) -> tuple[float, Values]:
        """The log likelihood with tilts and pairs, and its gradient."""
        theta, n = self.theta(values), len(self.known.log)
        log = np.vstack([self.known.log, self.pool]) if self.pool_weight else self.known.log
        tempered = Tempered.of(log, np.exp(values.log_temperature), self.levels)
        free = Tempered(tempered.log + values.tilt, tempered.slope)
        told = self.known.weight * (1 - self.dropped)
        each = np.full(len(log) - n, self.pool_weight / len(self.pool))
        whole, partial = self.sums
        terms = [self._alone(free, theta), self._summed(whole, free, theta, np.append(-told, each))]
        if self.partly.any():
            fixed = given(free.log[:n][self.partly], self.levels, self.known.codes[self.partly])
            partly = Tempered(fixed, free.slope[:n][self.partly])
            terms.append(self._summed(partial, partly, theta, told[self.partly]))
        if self.pool_weight:
            centre = self._centre(tempered, n)
            tilted = Tempered(centre.log + values.tilt, centre.slope)
            terms.append(self._summed(whole, tilted, theta, np.array([-self.pool_weight])))
        return sum(value for value, _ in terms), _added([slope for _, slope in terms])

    def _alone(self, free: Tempered, theta: FloatArray) -> tuple[float, Values]:
        """The log weight of fully known combinations, and its gradient."""
        weight, pair = self.fully
        rows = np.flatnonzero(~self.partly)
        value = float(np.sum(weight * free.log[rows]) + np.sum(pair * theta))
        slope = self._by_attribute(weight * free.slope[rows])
        return value, Values(slope, weight.sum(axis=0), self._uncentred(pair))

    def _uncentred(self, pair: FloatArray) -> FloatArray:
        """The gradient in pairs before centring, from that in centred pairs."""
        return np.where(self.levels.above, self.centring.T @ pair @ self.centring, 0.0)

    def _summed(
        self, summer: Summer, rows: Tempered, theta: FloatArray, weight: FloatArray
    ) -> tuple[float, Values]:
        """Add up log sums of rows by their weights; with the gradient."""
        sums = summer(rows.log, theta, weight)
        share = sums.marginal * weight[:, None]
        slope = self._by_attribute(share * rows.slope)
        return float(weight @ sums.log), Values(
            slope, share.sum(axis=0), self._uncentred(sums.pair)
        )

    def _centre(self, tempered: Tempered, start: int) -> Tempered:
        """Log mean tempered chances of the pool, and how they move with log temperatures."""
        chance = np.exp(tempered.log[start:])
        mean = chance.mean(axis=0)
        moved = (chance * tempered.slope[start:]).mean(axis=0) / mean
        return Tempered(np.log(mean)[None], moved[None])


def _added(slopes: list[Values]) -> Values:
    """The sum of gradients."""
    parts = [(slope.log_temperature, slope.tilt, slope.pair) for slope in slopes]
    return Values(*(np.sum(part, axis=0) for part in zip(*parts, strict=True)))
