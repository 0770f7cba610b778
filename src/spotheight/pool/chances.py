"""P(arm | item) where attributes are only guessed, at the models' word or calibrated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from spotheight.arms import Attribute, Keys, Partition, row_keys
from spotheight.numerics.joint import Joint, Spread
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.sums import sum_by
from spotheight.pool import names as c
from spotheight.pool.cells import Cells, Parts, cells_of_parts
from spotheight.pool.coding import Columns, level_codes, place_in_cells
from spotheight.pool.strata import Strata
from spotheight.types import FloatArray, IntArray

CUT = 0.001
"""An arm this much less likely than the item's likeliest one is left out."""

MOST_ARMS = 256
"""An item that may be nearly anything is spread over so many arms at most."""

Known = Mapping[str, IntArray]
"""By attribute: the level that each row has for certain, -1 where only a guess is there."""

NOTHING_KNOWN: Known = {}


@dataclass(frozen=True, eq=False)
class Reach:
    """Where the items of strata probably belong.

    Args:
        partition: The arms that some item may belong to.
        held: (strata, arms), sparse: expected items.
    """

    partition: Partition
    held: Sparse = field(repr=False)

    def population(self, cells: Cells) -> Cells:
        """Expected items by arm and score cell."""
        held = self.held.tocoo()
        return cells_of_parts(cells, self.partition, Parts.of(cells, held.row, held.col, held.data))


@dataclass(frozen=True, eq=False)
class ArmChances:
    """P(arm | item), from what attribute models say of the item.

    Args:
        attributes: All guessed attributes, in the order of the joint chances.
        joint: What calibration learned; without it models are taken at their word, and one apart
            from the other.
    """

    attributes: tuple[Attribute, ...] = ()
    joint: Joint | None = field(default=None, repr=False)
    _found: dict[Strata, tuple[Reach, Cells]] = field(default_factory=dict, init=False, repr=False)

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        """Whether every item lies in just one of their arms: a bare guess is believed."""
        return self.joint is None and not self._heard(attributes)

    def _heard(self, attributes: Sequence[Attribute]) -> Sequence[Attribute]:
        """The attributes whose guesses decide where an item belongs."""
        own = [attribute for attribute in attributes if attribute.guesses]
        return own if self.joint is None else self.attributes

    def spread(
        self,
        columns: Columns,
        attributes: Sequence[Attribute],
        service: str,
        known: Known = NOTHING_KNOWN,
    ) -> Spread:
        """All arms that each row may belong to, given the levels that are known for certain."""
        guessed, joint = self.attributes, self.joint
        if joint is None:
            guessed = tuple(a for a in attributes if a.guesses or a.name in known)
            joint = Joint.product([len(attribute.levels) for attribute in guessed])
        return _spread_jointly(columns, attributes, service, known, (guessed, joint))

    def kinds(self, columns: Columns, cells: Cells) -> tuple[IntArray, Spread]:
        """The kind of each row, and kinds spread over arms: rows that are alike only once."""
        attributes = cells.partition.attributes
        codes = level_codes(columns, attributes, cells.service)
        shares = chances_of(columns, self._heard(attributes))
        _, first, kind = np.unique(
            np.hstack([codes, *shares]), axis=0, return_index=True, return_inverse=True
        )
        some = {name: values[first] for name, values in columns.items()}
        return kind.ravel(), self.spread(some, attributes, cells.service)

    def reach(self, strata: Strata) -> Reach:
        """How many items of each stratum are expected in each arm, from a pass over all items."""
        return self._passed(strata)[0]

    def population(self, strata: Strata) -> Cells:
        """Expected items by arm and score cell."""
        return self._passed(strata)[1]

    def _passed(self, strata: Strata) -> tuple[Reach, Cells]:
        if strata not in self._found:
            reach = self._reach(strata.pool.blocks(), strata.cells)
            self._found[strata] = reach, reach.population(strata.cells)
        return self._found[strata]

    def _reach(self, blocks: Iterable[Columns], cells: Cells) -> Reach:
        attributes = cells.partition.attributes
        found = [self._block_reach(block, cells) for block in blocks]
        partition = Partition.of(attributes, np.concatenate([codes for codes, _ in found]))
        place, arm, weight = (
            np.concatenate(part)
            for part in zip(
                *((held.row, partition.find(codes)[held.col], held.data) for codes, held in found),
                strict=True,
            )
        )
        held = sparse.csr_matrix((weight, (place, arm)), shape=(len(cells), len(partition)))
        held.data = np.round(held.data, 9)  # engines add in their own order
        return Reach(partition, held)

    def _block_reach(self, columns: Columns, cells: Cells) -> tuple[IntArray, Sparse]:
        """Arms of some rows, and (strata, arms): expected items; rows that are alike only once."""
        kind, spread = self.kinds(columns, cells)
        kinds = int(kind.max(initial=-1)) + 1
        _, one, arm = np.unique(_numbered(spread.codes), return_index=True, return_inverse=True)
        belongs = sparse.csr_matrix((spread.weight, (spread.row, arm)), (kinds, len(one)))
        place = place_in_cells(columns, cells)
        drawn = sparse.csr_matrix((np.ones(len(place)), (place, kind)), (len(cells), kinds))
        return spread.codes[one], (drawn @ belongs).tocoo()


def _guess_shares(columns: Columns, attribute: Attribute) -> FloatArray:
    """The chance of each level, adding up to one per row; a bare guess is sure of itself."""
    if not attribute.guesses:
        codes = attribute.codes(columns[c.attribute_of(attribute.column)])
        return np.eye(len(attribute.levels))[codes]
    chances = np.column_stack([np.asarray(columns[g], dtype=float) for g in attribute.guesses])
    return chances / chances.sum(axis=1, keepdims=True)


def chances_of(columns: Columns, attributes: Sequence[Attribute]) -> tuple[FloatArray, ...]:
    """Chances of levels by each attribute model, for some rows."""
    return tuple(_guess_shares(columns, attribute) for attribute in attributes)


def _spread_jointly(
    columns: Columns,
    attributes: Sequence[Attribute],
    service: str,
    known: Known,
    believed: tuple[Sequence[Attribute], Joint],
) -> Spread:
    """Spread rows over arms by joint chances of some guessed attributes; others are certain."""
    guessed, joint = believed
    codes = level_codes(columns, attributes, service)
    names = [attribute.name for attribute in guessed]
    asked = [place for place, attribute in enumerate(attributes) if attribute.name in names]
    if not asked:
        return Spread(np.arange(len(codes)), codes, np.ones(len(codes)))
    chances = chances_of(columns, guessed)
    unknown = np.full(len(codes), -1)
    told = np.column_stack([known.get(name, unknown) for name in names])
    places = [names.index(attributes[place].name) for place in asked]
    if (told[:, places] >= 0).all():
        codes[:, asked] = told[:, places]
        return Spread(np.arange(len(codes)), codes, np.ones(len(codes)))
    found = _spread_over(places, joint, chances, told)
    if len(asked) == len(attributes):
        return found
    codes = codes[found.row]
    codes[:, asked] = found.codes
    return Spread(found.row, codes, found.weight)


def _spread_over(
    places: Sequence[int], joint: Joint, chances: tuple[FloatArray, ...], told: IntArray
) -> Spread:
    """Spread rows over some of the guessed attributes.

    The others are summed out before anything is cut: what is cut off of an item's many arms is no
    fair sample of the levels of one attribute. Only several attributes tied to others come from
    arms of all.
    """
    if list(places) == list(range(len(chances))):
        return joint.spread(chances, CUT, MOST_ARMS, told)
    if joint.pairs and len(places) > 1:
        return _merged(joint.spread(chances, CUT, MOST_ARMS, told), places)
    if joint.pairs:
        chances = joint.marginals(chances, told)
        joint = Joint.product([part.shape[1] for part in chances])
    some = tuple(chances[place] for place in places)
    return joint.some(places).spread(some, CUT, MOST_ARMS, told[:, list(places)])


def _merged(spread: Spread, places: Sequence[int]) -> Spread:
    """The same items over fewer attributes: weights of arms that become one add up."""
    codes = spread.codes[:, list(places)]
    keys = _numbered(np.column_stack([spread.row, codes]))
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    weight = sum_by(group, spread.weight, len(first))
    return Spread(spread.row[first], codes[first], weight)


def _numbered(codes: IntArray) -> Keys | IntArray:
    """A number for each row of codes, or bytes where no number is large enough."""
    sizes = codes.max(axis=0, initial=0) + 1
    if np.prod(sizes, dtype=float) < 2**62:
        return np.ravel_multi_index(tuple(codes.T), tuple(sizes))
    return row_keys(codes)
