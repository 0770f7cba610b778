"""Value of a label under an additive surface: it teaches about all arms that share a term."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from spotheight.beliefs.protocols import Gains
from spotheight.models.additive.model import AdditiveModel
from spotheight.models.additive.vectors import Vectors, log_odds, own_variances
from spotheight.numerics.regression.design import Sparse
from spotheight.types import FloatArray, IntArray

MOST_ARMS = 10_000
"""Arms in which a label is thought of, targets and large ones first.

With forty attributes a hundred thousand occur, mostly of a single item, and what a label in one of
them tells of others a label in a larger one tells as well.
"""

CERTAIN = 1e-4
"""Chances are kept so far off 0 and 1."""


@dataclass(frozen=True, eq=False)
class AdditiveForesight:
    """What labels to come would tell under the fitted model.

    Args:
        model: The fitted model.
        left: Unlabelled items of each cell.
    """

    model: AdditiveModel
    left: FloatArray = field(repr=False)

    def gains(self, targets: Sparse) -> Gains:
        model, left = self.model, self.left
        if model.cells.arms <= MOST_ARMS:
            return AdditiveGains.of_model(model, left, targets)
        arms = self._looked_at(targets)
        some, kept = model.only(arms)
        return SomeGains(
            AdditiveGains.of_model(some, left[kept], targets[:, arms]), kept, len(left)
        )

    def doubts(self, targets: Sparse) -> FloatArray:
        """Among very many arms looked up where labels are thought of; the same elsewhere."""
        model = self.model
        some, kept = model.only(self._looked_at(targets))
        known = Vectors.of_model(some).form(None) + own_variances(some)[some.cells.arm]
        variance = np.full(len(model.cells), np.median(known))
        variance[kept] = known
        # MacKay 1992: the mean of a chance whose log odds are Gaussian.
        chance = expit(log_odds(model) / np.sqrt(1 + np.pi / 8 * variance))
        return np.sqrt(chance * (1 - chance))

    def _looked_at(self, targets: Sparse) -> IntArray:
        """Arms in which a label is thought of, and those that have labels."""
        is_target = targets.getnnz(axis=0) > 0
        first = np.lexsort((-self.model.cells.mass, ~is_target))[:MOST_ARMS]
        return np.union1d(first, self.model.seen_arms)


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

    of: Vectors = field(repr=False)
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
        cells, of = model.cells, Vectors.of_model(model)
        chance = np.clip(expit(log_odds(model)), CERTAIN, 1 - CERTAIN)
        heat = chance * (1 - chance)
        size = np.maximum(cells.arm_sum(cells.count), 1.0)
        share = left * heat / size[cells.arm]
        reach = cells.arm_sum(share)
        common, rare = of.gathered(share)
        aim, far = np.asarray((targets @ common.T).T), (rare @ targets.T).tocsr()
        toward = of.across(np.asarray((targets.T @ aim.T).T), far @ targets)
        worth = np.asarray(targets.multiply(targets).sum(axis=0)).ravel()
        own = own_variances(model)
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
