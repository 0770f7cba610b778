"""Fit of the joint distribution: few rows with known levels, a pool without, cross-validation.

Temperatures alone follow from ``temper``. With pairs, how large they may be, and whether the
pool's signals help, is decided by cross-validation among the known rows: signals help much where
models err independently, and mislead where models look at the same things.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize

from spotheight.numerics.joint.chances import Joint, JointChances, exact, log_chances
from spotheight.numerics.joint.levels import Levels
from spotheight.numerics.joint.model import Model, Sampler
from spotheight.numerics.joint.parameters import Scales, Values
from spotheight.numerics.joint.rows import Known
from spotheight.numerics.joint.temper import GRID, Temperatures, learn_temperatures
from spotheight.numerics.threads import one_thread
from spotheight.types import BoolArray, FloatArray, IntArray

Mode = Literal["temp", "full"]
Pool = Literal["expected", "predicted", "none"]

PAIRS = (0.0, 0.15, 0.3, 0.6)
"""Spreads of pairs to choose from, 0 for none; for two levels a log odds ratio has twice that."""

FEW, USUAL = 12, 0.3
"""With fewer known rows nothing is chosen: pairs have this spread, and the pool says nothing."""

MANY = 2**18
"""Nor with more combinations, where it would take a minute or more."""

FOLDS = 4
"""Each is left out once when something is chosen."""

POOL_ROWS = 1000
"""So many rows of the pool are looked at; together they count as much as all known rows."""

HALF = 0.5
"""How often tilts and pairs are left out where guesses count as known, as in the paper."""

STEPS, ENOUGH, NEARLY = 100, 1e-6, 1e-5
"""A search ends after so many steps, or where one gains less than this part of the density.

That is enough for what is kept; and nearly, where plans are compared, which differ by some nats.
"""


@one_thread()
def fit_joint(
    gold_chances: JointChances,
    gold_codes: IntArray,
    pool_chances: JointChances,
    *,
    mode: Mode,
    pool: Pool = "expected",
    rng: Generator,
) -> Joint:
    """The joint distribution (MAP), from a few rows whose levels are known.

    Beyond ``MANY`` combinations pairs have a usual spread, and the pool's signals are left out;
    beyond ``EXACT_ARMS`` sums over combinations are sampled.

    Args:
        gold_chances: What the models say of these rows.
        gold_codes: Their levels, (rows, K); -1 where an attribute is not known.
        pool_chances: What the models say of the rows without known levels.
        mode: ``temp`` for temperatures alone; ``full`` for tilts and pairs too.
        pool: What the pool adds to pairs: ``expected``, how likely its signals are, if known rows
            agree; ``predicted``, the likeliest level of every attribute as if it were known
            (the paper's algorithm 2); ``none``.
        rng: Draws the rows of the pool that are looked at, and the folds.
    """
    told = np.flatnonzero((gold_codes >= 0).any(axis=1))
    known = Known(log_chances(gold_chances), gold_codes, np.ones(len(gold_codes))).take(told)
    some = np.sort(rng.permutation(len(pool_chances[0]))[:POOL_ROWS])
    looked_at = log_chances(tuple(part[some] for part in pool_chances))
    levels = Levels(tuple(part.shape[1] for part in gold_chances))
    learner = Learner(levels, known, looked_at, pool, int(rng.integers(2**32)))
    return learner.joint(Plan(0.0) if mode == "temp" else choose(learner, rng))


@dataclass(frozen=True)
class Plan:
    """The spread of tilts and pairs, 0 for none; and what the pool counts beside known rows."""

    pair: float
    share: float = 0.0


@dataclass(frozen=True, eq=False)
class Learner:
    """What is learned from: known rows, rows of the pool, and how those are taken."""

    levels: Levels
    known: Known
    pool: FloatArray
    kind: Pool
    seed: int
    enough: float = ENOUGH

    def without(self, rows: BoolArray) -> "Learner":
        """From the other known rows only, to compare plans."""
        return replace(self, known=self.known.take(np.flatnonzero(~rows)), enough=NEARLY)

    @cached_property
    def found(self) -> Temperatures:
        """Temperatures without tilts and pairs."""
        model = Model(self.levels, self.known, self.pool, Scales(0.0, 1.0, 1.0, 1.0))
        return learn_temperatures(model.profile(GRID))

    def model(self, plan: Plan) -> Model:
        """What is to be as large as possible."""
        scales = Scales(self.found.centre, self.found.spread, plan.pair, plan.pair)
        weight = plan.share * len(self.known.log)
        sampler = None if exact(self.levels.counts) else Sampler(self.found.log, self.seed)
        model = Model(self.levels, self.known, self.pool, scales, sampler=sampler)
        if self.kind == "predicted" and weight:
            return replace(model, known=self.known.join(self._guessed(weight)), dropped=HALF)
        return replace(model, pool_weight=weight)

    def _guessed(self, weight: float) -> Known:
        """The pool as if the likeliest levels were known."""
        codes = [self.pool[:, place].argmax(axis=1) for place in self.levels.slices]
        each = np.full(len(self.pool), weight / len(self.pool))
        return Known(self.pool, np.stack(codes, axis=1), each)

    @property
    def start(self) -> Values:
        """No tilts and pairs."""
        total = self.levels.total
        return Values(self.found.log, np.zeros(total), np.zeros((total, total)))

    def values(self, plan: Plan, start: Values | None = None) -> Values:
        """The most plausible parameters."""
        start = start or self.start
        return search(self.model(plan), start, self.enough) if plan.pair else self.start

    def joint(self, plan: Plan) -> Joint:
        """The most plausible chances."""
        return self.finished(plan, self.values(plan))

    def finished(self, plan: Plan, values: Values) -> Joint:
        """Chances from parameters."""
        slices = self.levels.slices
        temperature, tilt = np.exp(values.log_temperature), [values.tilt[at] for at in slices]
        if not plan.pair:
            return Joint(temperature, tuple(tilt))
        theta = self.model(plan).theta(values)
        both = [(k, m) for m in range(len(slices)) for k in range(m)]
        pairs = tuple(((k, m), theta[slices[k], slices[m]]) for k, m in sorted(both))
        return Joint(temperature, tuple(tilt), pairs)


def search(model: Model, start: Values, enough: float) -> Values:
    """Maximum a posteriori parameters, by L-BFGS in units of their likely precision."""
    levels, unit = model.levels, _units(model)

    def downhill(at: FloatArray) -> tuple[float, FloatArray]:
        value, slope = model.density(Values.read(at * unit, levels))
        return -value, -slope.vector(levels) * unit

    begin = start.vector(levels) / unit
    found = minimize(
        downhill,
        begin,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": STEPS, "ftol": enough},
    )
    return Values.read(found.x * unit, levels)


def _units(model: Model) -> FloatArray:
    """About the posterior spread of each parameter, from the pool's mean chances."""
    rows, mean, scales = float(model.known.weight.sum()), model.mean, model.scales
    temperature = np.full(model.levels.size, scales.temperature**-2 + 0.2 * rows)
    tilt = scales.tilt**-2 + rows * mean * (1 - mean)
    pair = scales.pair**-2 + rows * np.outer(mean, mean)
    return Values(temperature, tilt, pair).vector(model.levels) ** -0.5


def choose(learner: Learner, rng: Generator) -> Plan:
    """The best plan by cross-validation: of pairs first, then of the pool."""
    forced = 1.0 if learner.kind == "predicted" else 0.0
    if len(learner.known.log) < FEW or prod(learner.levels.counts) > MANY:
        return Plan(USUAL, forced)
    fold = rng.permutation(len(learner.known.log)) % FOLDS
    best, score = _best(learner, fold, [Plan(pair) for pair in PAIRS])
    if learner.kind == "expected" and best.pair:
        other, gain = _best(learner, fold, [replace(best, share=1.0)])
        return other if gain > score else best
    return replace(best, share=forced)


def _best(learner: Learner, fold: IntArray, plans: list[Plan]) -> tuple[Plan, float]:
    """Of some plans the one with the highest log chance of rows left out, the first if equal."""
    score = sum(_held_out(learner, fold == part, plans) for part in range(FOLDS))
    best = int(np.argmax(score))
    return plans[best], float(np.ravel(score)[best])


def _held_out(learner: Learner, out: BoolArray, plans: Iterable[Plan]) -> FloatArray:
    """The log chance under each plan of rows that were left out; each starts at the one before."""
    rest, test = learner.without(out), learner.known.take(np.flatnonzero(out))
    values, scores = None, []
    chances = tuple(np.exp(test.log[:, place]) for place in learner.levels.slices)
    for plan in plans:
        values = rest.values(plan, values)
        scores.append(rest.finished(plan, values).log_chance(chances, test.codes).sum())
    return np.array(scores)
