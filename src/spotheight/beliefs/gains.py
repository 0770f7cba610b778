"""What one more label is worth: the expected drop of a loss, cell by cell."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import expit

from spotheight.beliefs.additive import AdditiveModel
from spotheight.beliefs.bank import AdditivePosterior
from spotheight.beliefs.surface import Surface
from spotheight.numerics import beta
from spotheight.numerics.design import Matrix, Sparse, dense, row_products
from spotheight.pool.cells import Cells
from spotheight.types import FloatArray, IntArray

RARE = 1 / 16
"""A column is rare where no label has touched it and at most this share of the arms has it.

Such columns are kept sparse. A name with a thousand levels has hundreds of them, and dense they
would cost their square for every arm.
"""


MOST_ARMS = 10_000
"""Arms in which a label is thought of, targets and large ones first.

With forty attributes a hundred thousand occur, mostly of a single item, and what a label in one of
them tells of others a label in a larger one tells as well.
"""


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
    if not isinstance(surface.pool, AdditivePosterior):
        return IndependentGains.of(surface, targets)
    model, left = surface.pool.model, surface.pool.bank.left
    if model.cells.arms <= MOST_ARMS:
        return AdditiveGains.of_model(model, left, targets)
    arms = _looked_at(model, targets)
    some, kept = model.only(arms)
    return SomeGains(AdditiveGains.of_model(some, left[kept], targets[:, arms]), kept, len(left))


def _looked_at(model: AdditiveModel, targets: Sparse) -> IntArray:
    """Arms in which a label is thought of, and those that have labels."""
    is_target = targets.getnnz(axis=0) > 0
    first = np.lexsort((-model.cells.mass, ~is_target))[:MOST_ARMS]
    return np.union1d(first, model.seen_arms)


@dataclass(frozen=True, eq=False)
class SomeGains:
    """Gains in some of the cells; elsewhere nothing is thought to be gained.

    Args:
        among: The gains in these cells.
        kept: Which they are, in order.
        cells: How many there are altogether.
    """

    among: Gains
    kept: IntArray = field(repr=False)
    cells: int

    def drop(self) -> FloatArray:
        drop = np.zeros(self.cells)
        drop[self.kept] = self.among.drop()
        return drop

    def took(self, cell: int) -> None:
        place = int(np.searchsorted(self.kept, cell))
        if place < len(self.kept) and self.kept[place] == cell:
            self.among.took(place)


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
        # A hit instead of a miss adds one, and moves what is expected of the other items.
        centre, strength = beta.mean(self.a, self.b), self.a + self.b
        moved = (1 + np.maximum(self.rest - 1, 0) / (strength + 1)) / self.size
        return (self.worth * centre * (1 - centre) * moved**2 * (self.rest > 0))[self.arm]

    def took(self, cell: int) -> None:
        arm = self.arm[cell]
        centre = self.a[arm] / (self.a[arm] + self.b[arm])
        self.a[arm] += centre
        self.b[arm] += 1 - centre
        self.rest[arm] = max(self.rest[arm] - 1, 0.0)


@dataclass(eq=False)
class AdditiveGains:
    """Labels teach about all arms that share a term.

    Vectors live where the covariance of all weights is the identity. That of cell c has a part y
    for what arms share (see ``Vectors``) and one entry, ``root``, for its arm's own term. With J
    the gradients of the targets and e what the item itself adds to them, a label's gain is
    |J y + e|^2 over the variance of its outcome. A label that is taken removes one direction u from
    the covariance; what that changes is told by u'y and u'J'Jy, two numbers a cell.

    Args:
        of: The shared part of every cell's vector.
        aim: The shared part of J, transposed.
        far: Its rows for rare columns, sparse.
        targets: (targets, arms), sparse.
        root: Deviation of each arm's own term given the shared weights.
        reach: By how much an arm's number moves with its own term.
        size: Items of each arm, at least one.
        heat: p(1-p) of each cell.
        alone: |e|^2 of every cell.
        square: |J y|^2 of every cell.
        cross: e'J y of every cell.
        length: y'y of every cell.
    """

    of: "Vectors" = field(repr=False)
    aim: FloatArray = field(repr=False)
    far: Sparse = field(repr=False)
    targets: Sparse = field(repr=False)
    root: FloatArray = field(repr=False)
    reach: FloatArray = field(repr=False)
    size: FloatArray = field(repr=False)
    heat: FloatArray = field(repr=False)
    alone: FloatArray = field(repr=False)
    square: FloatArray = field(repr=False)
    cross: FloatArray = field(repr=False)
    length: FloatArray = field(repr=False)
    _taken: list["_Taken"] = field(default_factory=list, repr=False)

    @classmethod
    def of_model(cls, model: AdditiveModel, left: FloatArray, targets: Sparse) -> "AdditiveGains":
        """At the most plausible scales, from the gradient of each arm's number.

        ``left`` has the unlabelled items of each cell.
        """
        cells, fit = model.cells, model.mode
        of = Vectors.of_model(model)
        chance = _chances(model)
        heat = chance * (1 - chance)
        size = np.maximum(cells.arm_sum(cells.count), 1.0)
        share = left * heat / size[cells.arm]
        reach = cells.arm_sum(share)
        common, rare = of.gathered(share)
        aim, far = np.asarray((targets @ common.T).T), (rare @ targets.T).tocsr()
        toward = of.across(np.asarray((targets.T @ aim.T).T), far @ targets)
        worth = np.asarray(targets.multiply(targets).sum(axis=0)).ravel()
        own = model.arm_spreads(fit) ** 2
        own[model.seen_arms] = 1 / fit.pull
        mine, worth, items, lever = (each[cells.arm] for each in (own, worth, size, reach))
        # |J y|^2, where y has a common part and a rare one: their squares, and twice their product.
        square, joint, inner = of.form(aim @ aim.T), far @ aim.T, far @ far.T
        for times, part in ((1.0, of.rare), (of.slope, of.rare_slope)):
            square += times * of.across(2 * np.asarray(part.T @ joint).T, inner @ part)
        square += 2 * mine * lever * toward
        return cls(
            of, aim, far, targets, np.sqrt(own), reach, size, heat,
            alone=worth / items**2,
            square=square + mine**2 * worth * lever**2,
            cross=(toward + worth * lever * mine) / items,
            length=of.form(None) + mine,
        )  # fmt: skip

    def drop(self) -> FloatArray:
        return (self.square + 2 * self.cross + self.alone) / (1 / self.heat + self.length)

    def took(self, cell: int) -> None:
        arm = self.of.cells.arm
        shared, own = self.of.vector(cell), np.zeros(len(self.root))
        own[arm[cell]] = self.root[arm[cell]]
        for earlier in self._taken:
            shared = shared - earlier.shared * earlier.along[cell]
            own -= earlier.own * earlier.along[cell]
        scale = 1 / np.sqrt(1 / self.heat[cell] + self.length[cell])
        shared, own = shared * scale, own * scale
        along = self.of.dot(shared) + (own * self.root)[arm]
        common = len(self.aim)
        seen = shared[:common] @ self.aim + self.far.T @ shared[common:]
        seen += self.targets @ (self.reach * self.root * own)
        back = self.reach * self.root**2 * (self.targets.T @ seen)
        pulled = self.of.dot(np.concatenate([self.aim @ seen, self.far @ seen])) + back[arm]
        for earlier in self._taken:
            pulled -= earlier.along * (earlier.seen @ seen)
        self.square += along * (along * (seen @ seen) - 2 * pulled)
        self.cross -= along * (self.targets.T @ seen / self.size)[arm]
        self.length -= along**2
        self._taken.append(_Taken(shared, own, along, seen))


@dataclass(frozen=True, eq=False)
class _Taken:
    """A direction that a label removed, its product with every cell's vector, and its J u."""

    shared: FloatArray
    own: FloatArray
    along: FloatArray
    seen: FloatArray


@dataclass(frozen=True, eq=False)
class Vectors:
    """The vector of every cell, put together from those of its arm and its score cell.

    Slopes have few columns, so that of an arm's slope is not written out: it is ``of_slope`` times
    the arm's row of ``slopes``. Rare columns come last, those of slopes apart.
    """

    cells: Cells = field(repr=False)
    slope: FloatArray = field(repr=False)
    of_arm: FloatArray = field(repr=False)
    of_bin: FloatArray = field(repr=False)
    of_slope: FloatArray = field(repr=False)
    slopes: Sparse = field(repr=False)
    rare: Sparse = field(repr=False)
    rare_slope: Sparse = field(repr=False)

    @classmethod
    def of_model(cls, model: AdditiveModel) -> "Vectors":
        """Columns of arms, score cells and slopes, turned until their covariance is one."""
        terms, fit, cells = model.terms, model.mode, model.cells
        of_arms, of_curve, of_slopes = terms.split
        spread = model.spreads(fit)
        rare, plain = _untouched(model)

        def whitened(part: slice, block: Matrix, seen: FloatArray | None = None) -> FloatArray:
            known, free = (dense(_rows(block, part, chosen)) for chosen in (model.touched, plain))
            if seen is not None:
                # What a labelled arm's own term takes over, its columns no longer carry.
                known[:, model.seen_arms] -= seen
            solved = solve_triangular(fit.factor, known, lower=True, check_finite=False)
            return np.vstack([solved, free * spread[plain, None]])

        arms, slopes = (part.T.tocsr() for part in (terms.arms, terms.slopes))
        shared = np.setdiff1d(np.arange(slopes.shape[0]), rare - of_slopes.start)
        return cls(
            cells,
            terms.position[cells.bin],
            whitened(of_arms, arms, dense(fit.cross).T / fit.pull),
            whitened(of_curve, terms.curve.T),
            whitened(of_slopes, np.eye(slopes.shape[0])[:, shared]),
            terms.slopes[:, shared],
            *(
                sparse.diags(spread[rare]) @ _rows(block, part, rare)
                for part, block in ((of_arms, arms), (of_slopes, slopes))
            ),
        )

    def vector(self, cell: int) -> FloatArray:
        """Of one cell."""
        arm, bin_ = self.cells.arm[cell], self.cells.bin[cell]
        steep = self.of_slope @ dense(self.slopes[arm]).ravel()
        common = self.of_arm[:, arm] + self.of_bin[:, bin_] + self.slope[cell] * steep
        rare = self.rare[:, [arm]] + self.slope[cell] * self.rare_slope[:, [arm]]
        return np.concatenate([common, dense(rare).ravel()])

    def dot(self, vector: FloatArray) -> FloatArray:
        """The product of a vector with that of every cell."""
        common, rare = np.split(vector, [len(self.of_arm)])
        by_arm, by_bin, by_slope = (common @ v for v in (self.of_arm, self.of_bin, self.of_slope))
        by_arm = by_arm + self.rare.T @ rare
        steep = self.slopes @ by_slope + self.rare_slope.T @ rare
        return by_arm[self.cells.arm] + by_bin[self.cells.bin] + self.slope * steep[self.cells.arm]

    def gathered(self, share: FloatArray) -> tuple[FloatArray, Sparse]:
        """(columns, arms): sums over each arm's cells, weighted; the common and the rare ones."""
        cells = self.cells
        by_bin = sparse.csr_matrix(
            (share, (cells.arm, cells.bin)), shape=(cells.arms, self.of_bin.shape[1])
        )
        total, steep = cells.arm_sum(share), cells.arm_sum(share * self.slope)
        tilted = sparse.diags(steep) @ self.slopes
        common = self.of_arm * total + (by_bin @ self.of_bin.T).T + (tilted @ self.of_slope.T).T
        return common, self.rare @ sparse.diags(total) + self.rare_slope @ sparse.diags(steep)

    def across(self, lift: FloatArray, rare: Sparse) -> FloatArray:
        """The product of every cell's vector with the one that its arm has here, in two parts."""
        arm, bin_ = self.cells.arm, self.cells.bin
        by_arm = np.einsum("da,da->a", lift, self.of_arm) + row_products(self.rare.T, rare.T)
        by_slope = row_products(self.slopes, lift.T @ self.of_slope)
        by_slope += row_products(self.rare_slope.T, rare.T)
        return by_arm[arm] + (lift.T @ self.of_bin)[arm, bin_] + self.slope * by_slope[arm]

    def form(self, middle: FloatArray | None) -> FloatArray:
        """The quadratic form y' M y of every cell's common columns, or y'y of all its columns."""
        x, arm, bin_ = self.slope, self.cells.arm, self.cells.bin
        a, b, s = self.of_arm, self.of_bin, self.of_slope
        ma, mb, ms = (a, b, s) if middle is None else (middle @ a, middle @ b, middle @ s)
        aa, bb = (np.einsum("dk,dk->k", u, v) for u, v in ((a, ma), (b, mb)))
        ss = row_products(self.slopes, self.slopes @ (s.T @ ms))
        if middle is None:
            aa = aa + row_products(self.rare.T, self.rare.T)
            ss = ss + row_products(self.rare_slope.T, self.rare_slope.T)
        as_ = row_products(self.slopes, a.T @ ms)
        ab, sb = a.T @ mb, self.slopes @ (s.T @ mb)
        return (
            aa[arm] + bb[bin_] + x**2 * ss[arm]
            + 2 * (ab[arm, bin_] + x * as_[arm] + x * sb[arm, bin_])
        )  # fmt: skip


def _untouched(model: AdditiveModel) -> tuple[IntArray, IntArray]:
    """Columns that no label says anything about: those that few arms have, and the others."""
    terms = model.terms
    columns = np.setdiff1d(np.arange(len(terms.family)), model.touched)
    held = np.full(len(terms.family), model.cells.arms)
    for part, block in zip(terms.split[::2], (terms.arms, terms.slopes), strict=True):
        held[part] = block.getnnz(axis=0)
    is_rare = held[columns] <= RARE * model.cells.arms
    return columns[is_rare], columns[~is_rare]


def _rows(block: Matrix, part: slice, chosen: IntArray) -> Sparse:
    """Chosen columns of the terms as rows, of which a block holds ``part``; 0 elsewhere."""
    inside = np.flatnonzero((chosen >= part.start) & (chosen < part.stop))
    placed = sparse.csr_matrix(
        (np.ones(len(inside)), (inside, chosen[inside] - part.start)),
        shape=(len(chosen), block.shape[0]),
    )
    return placed @ sparse.csr_matrix(block)


def _chances(model: AdditiveModel) -> FloatArray:
    """The chance of a hit in every cell at the mode, kept off 0 and 1."""
    terms, fit, cells = model.terms, model.mode, model.cells
    weight = np.zeros(len(terms.family))
    weight[model.touched] = fit.weight
    of_arms, of_curve, of_slopes = terms.split
    arm = terms.arms @ weight[of_arms]
    arm[model.seen_arms] += fit.term
    slope = terms.slopes @ weight[of_slopes]
    curve = terms.curve @ weight[of_curve]
    eta = arm[cells.arm] + curve[cells.bin] + terms.position[cells.bin] * slope[cells.arm]
    return np.clip(expit(eta), 1e-4, 1 - 1e-4)
