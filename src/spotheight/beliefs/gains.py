"""What one more label is worth: the expected drop of a loss, cell by cell."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import expit

from spotheight.beliefs.additive import AdditiveModel, AdditivePosterior
from spotheight.beliefs.surface import Surface
from spotheight.numerics import beta
from spotheight.numerics.multilevel import Sparse
from spotheight.types import FloatArray


class Gains(Protocol):
    """The loss is the summed variance of some targets; a batch takes one cell after another."""

    def drop(self) -> FloatArray:
        """By how much a label in each cell would lower the loss, on average."""
        ...

    def took(self, cell: int) -> None:
        """Reckon with a label in this cell from now on, whatever it will be."""
        ...


def gains_of(surface: Surface, targets: Sparse) -> Gains:
    """Gains under a surface; ``targets`` is (targets, arms): each a weighted sum of arms."""
    if isinstance(surface.pool, AdditivePosterior):
        return AdditiveGains.of(surface.pool, targets)
    return IndependentGains.of(surface, targets)


@dataclass(eq=False)
class IndependentGains:
    """Arms that teach nothing about each other: a label helps its own arm only."""

    arm: np.ndarray = field(repr=False)
    worth: FloatArray = field(repr=False)
    a: FloatArray = field(repr=False)
    b: FloatArray = field(repr=False)
    size: FloatArray = field(repr=False)
    rest: FloatArray = field(repr=False)

    @classmethod
    def of(cls, surface: Surface, targets: Sparse) -> "IndependentGains":
        """From the rate of each arm, taken for a Beta."""
        a, b = beta.matched(surface.rate.mean, surface.rate.variance)
        mass = np.maximum(surface.cells.mass, 1e-9)
        rest = np.maximum(mass - surface.labelled, 0.0)
        worth = np.asarray(targets.multiply(targets).sum(axis=0)).ravel()
        return cls(surface.cells.arm, worth, a, b, mass, rest)

    def drop(self) -> FloatArray:
        centre = beta.mean(self.a, self.b)
        model = (self.rest / self.size) ** 2 * beta.variance_drop(self.a, self.b, centre)
        own = centre * (1 - centre) / self.size**2
        return (self.worth * (model + own) * (self.rest > 0))[self.arm]

    def took(self, cell: int) -> None:
        arm = self.arm[cell]
        centre = self.a[arm] / (self.a[arm] + self.b[arm])
        self.a[arm] += centre
        self.b[arm] += 1 - centre
        self.rest[arm] = max(self.rest[arm] - 1, 0.0)


@dataclass(eq=False)
class AdditiveGains:
    """Labels teach about all arms that share a term.

    Vectors live where the posterior covariance of the weights is the identity: ``of_arm``,
    ``of_bin`` and ``of_slope`` make up a cell's vector y = of_arm + of_bin + position * of_slope,
    ``aim`` holds the targets' gradients. ``own`` is the variance of an arm's own term given the
    weights; inside a batch its correlation with the weights is neglected.
    """

    model: AdditiveModel = field(repr=False)
    of_arm: FloatArray = field(repr=False)
    of_bin: FloatArray = field(repr=False)
    of_slope: FloatArray = field(repr=False)
    aim: FloatArray = field(repr=False)
    lift: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)
    heat: FloatArray = field(repr=False)
    single: FloatArray = field(repr=False)
    reach: FloatArray = field(repr=False)
    worth: FloatArray = field(repr=False)

    @classmethod
    def of(cls, posterior: AdditivePosterior, targets: Sparse) -> "AdditiveGains":
        """At the most plausible scales, from the gradient of each arm's number."""
        model = posterior.model
        cells, terms, fit = model.cells, model.terms, model.mode
        of_arm, of_bin, of_slope = _white(model)
        own = np.full(cells.arms, float(np.exp(2 * fit.log_scale[-1])))
        own[model.seen_arms] = 1 / fit.pull
        chance = _chances(model)
        heat = chance * (1 - chance)
        size = np.maximum(cells.arm_sum(cells.count), 1.0)
        share = posterior.left * heat / size[cells.arm]
        by_bin = sparse.csr_matrix(
            (share, (cells.arm, cells.bin)), shape=(cells.arms, len(terms.position))
        )
        total = cells.arm_sum(share)
        steep = by_bin @ terms.position
        gradient = of_arm * total + of_bin @ by_bin.T + of_slope * steep
        aim = np.asarray((targets @ gradient.T).T)
        lift = np.asarray((targets.T @ aim.T).T)
        worth = np.asarray(targets.multiply(targets).sum(axis=0)).ravel()
        single = worth[cells.arm] * heat / size[cells.arm] ** 2
        return cls(
            model, of_arm, of_bin, of_slope, aim, lift * total, own, heat, single, total, worth
        )

    def drop(self) -> FloatArray:
        cells, position = self.model.cells, self.model.terms.position
        x, arm, bin_ = position[cells.bin], cells.arm, cells.bin
        square = self._squares(self.aim @ self.aim.T)
        length = self._squares(None)
        # The arm's own term joins the targets through the arm itself.
        cross = (
            np.einsum("da,da->a", self.lift, self.of_arm)[arm]
            + (self.lift.T @ self.of_bin)[arm, bin_]
            + x * np.einsum("da,da->a", self.lift, self.of_slope)[arm]
        )
        own = self.own[arm]
        through = own**2 * self.worth[arm] * self.reach[arm] ** 2
        shared = square + 2 * own * cross + through
        return shared / (1 / self.heat + length + own) + self.single

    def _squares(self, middle: FloatArray | None) -> FloatArray:
        """The quadratic form y' M y of every cell, with M the identity where none is given."""
        cells, position = self.model.cells, self.model.terms.position
        x, arm, bin_ = position[cells.bin], cells.arm, cells.bin
        a, b, s = self.of_arm, self.of_bin, self.of_slope
        ma, mb, ms = (a, b, s) if middle is None else (middle @ a, middle @ b, middle @ s)
        aa, bb, ss = (np.einsum("dk,dk->k", u, v) for u, v in ((a, ma), (b, mb), (s, ms)))
        as_ = np.einsum("dk,dk->k", a, ms)
        ab, sb = a.T @ mb, s.T @ mb
        return (
            aa[arm] + bb[bin_] + x**2 * ss[arm]
            + 2 * (ab[arm, bin_] + x * as_[arm] + x * sb[arm, bin_])
        )  # fmt: skip

    def took(self, cell: int) -> None:
        """Down-date by one row: y loses the part along the cell's vector that a label settles."""
        arm, bin_ = self.model.cells.arm[cell], self.model.cells.bin[cell]
        x = self.model.terms.position[bin_]
        vector = self.of_arm[:, arm] + self.of_bin[:, bin_] + x * self.of_slope[:, arm]
        length = float(vector @ vector)
        noise = 1 / self.heat[cell] + self.own[arm]
        if length > 0:
            shrink = (1 - np.sqrt(1 - length / (noise + length))) / length
            for block in (self.of_arm, self.of_bin, self.of_slope, self.aim, self.lift):
                block -= shrink * np.outer(vector, vector @ block)
        self.own[arm] -= self.own[arm] ** 2 / noise


def _white(model: AdditiveModel) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Vectors of arms, score cells and slopes, (columns, each), covariance one."""
    terms, fit = model.terms, model.mode
    of_arms, of_curve, of_slopes = terms.split
    columns = len(fit.weight)
    arm, bin_, slope = (
        np.zeros((columns, n)) for n in (model.cells.arms, len(terms.position), model.cells.arms)
    )
    arm[of_arms] = terms.arms.T.toarray()
    bin_[of_curve] = terms.curve.T
    slope[of_slopes] = terms.slopes.T.toarray()
    # What a labelled arm's own term takes over, its columns no longer carry.
    arm[:, model.seen_arms] -= (fit.cross.multiply(1 / fit.pull[:, None])).T.toarray()

    def whitened(block: FloatArray) -> FloatArray:
        return np.asarray(solve_triangular(fit.factor, block, lower=True, check_finite=False))

    return whitened(arm), whitened(bin_), whitened(slope)


def _chances(model: AdditiveModel) -> FloatArray:
    """The chance of a hit in every cell at the mode, kept off 0 and 1."""
    terms, fit, cells = model.terms, model.mode, model.cells
    of_arms, of_curve, of_slopes = terms.split
    arm = terms.arms @ fit.weight[of_arms]
    arm[model.seen_arms] += fit.term
    slope = terms.slopes @ fit.weight[of_slopes]
    curve = terms.curve @ fit.weight[of_curve]
    eta = arm[cells.arm] + curve[cells.bin] + terms.position[cells.bin] * slope[cells.arm]
    return np.clip(expit(eta), 1e-4, 1 - 1e-4)
