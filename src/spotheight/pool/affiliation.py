"""Which arms an item belongs to, and how probably: certain attributes, and guessed ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from spotheight.arms import Attribute, Keys, Partition, row_keys
from spotheight.numerics.joint.chances import Joint
from spotheight.numerics.joint.spread import Spread
from spotheight.numerics.regression.design import Sparse
from spotheight.numerics.sums import sum_by
from spotheight.pool import names as c
from spotheight.pool.cells import Cells, Reach
from spotheight.pool.coding import Columns, level_codes, place_in_cells
from spotheight.types import FloatArray, IntArray

CUT = 0.001
"""An arm this much less likely than the item's likeliest one is left out."""

MOST_ARMS = 256
"""An item that may be nearly anything is spread over so many arms at most."""

BLOCK = 5_000
"""Items that are spread at a time, so that memory stays flat."""


Known = Mapping[str, IntArray]
"""By attribute: the level that each row has for certain, -1 where only a guess is there."""

NOTHING_KNOWN: Known = {}


class Affiliation(Protocol):
    """P(arm given item), for whatever attributes arms are cut by."""

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        """Whether every item lies in just one of their arms."""
        ...

    def heard(self, attributes: Sequence[Attribute]) -> Sequence[Attribute]:
        """The attributes whose guesses decide where an item belongs."""
        ...

    def spread(
        self,
        columns: Columns,
        attributes: Sequence[Attribute],
        service: str,
        known: Known = NOTHING_KNOWN,
    ) -> Spread:
        """All arms that each row may belong to, given the levels that are known for certain."""
        ...


@dataclass(frozen=True)
class Independent:
    """What the attribute models say, taken at their word, and one apart from the other."""

    def is_certain(self, attributes: Sequence[Attribute]) -> bool:
        return not self.heard(attributes)

    def heard(self, attributes: Sequence[Attribute]) -> Sequence[Attribute]:
        return [attribute for attribute in attributes if attribute.guesses]

    def spread(
        self,
        columns: Columns,
        attributes: Sequence[Attribute],
        service: str,
        known: Known = NOTHING_KNOWN,
    ) -> Spread:
        guessed = [a for a in attributes if a.guesses or a.name in known]
        joint = Joint.product([len(attribute.levels) for attribute in guessed])
        return spread_jointly(columns, attributes, service, known, (guessed, joint))


def guess_shares(columns: Columns, attribute: Attribute) -> FloatArray:
    """The chance of each level, adding up to one per row; a bare guess is sure of itself."""
    if not attribute.guesses:
        codes = attribute.codes(columns[c.attribute_of(attribute.column)])
        return np.eye(len(attribute.levels))[codes]
    chances = np.column_stack([np.asarray(columns[g], dtype=float) for g in attribute.guesses])
    return chances / chances.sum(axis=1, keepdims=True)


def chances_of(columns: Columns, attributes: Sequence[Attribute]) -> tuple[FloatArray, ...]:
    """What each attribute model says of some rows."""
    return tuple(guess_shares(columns, attribute) for attribute in attributes)


def spread_jointly(
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
        return merged(joint.spread(chances, CUT, MOST_ARMS, told), places)
    if joint.pairs:
        chances = joint.marginals(chances, told)
        joint = Joint.product([part.shape[1] for part in chances])
    some = tuple(chances[place] for place in places)
    return joint.some(places).spread(some, CUT, MOST_ARMS, told[:, list(places)])


def merged(spread: Spread, places: Sequence[int]) -> Spread:
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


def reach_of(blocks: Iterable[Columns], cells: Cells, affiliation: Affiliation) -> Reach:
    """How many items of each cell are expected in each arm, from all items, block by block."""
    attributes = cells.partition.attributes
    found = [_block_reach(block, cells, affiliation) for block in blocks]
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


def _block_reach(
    columns: Columns, cells: Cells, affiliation: Affiliation
) -> tuple[IntArray, Sparse]:
    """Arms of some rows, and (cells, arms): expected items; rows that are alike only once."""
    kind, spread = spread_kinds(columns, cells, affiliation)
    kinds = int(kind.max(initial=-1)) + 1
    _, one, arm = np.unique(_numbered(spread.codes), return_index=True, return_inverse=True)
    belongs = sparse.csr_matrix((spread.weight, (spread.row, arm)), (kinds, len(one)))
    place = place_in_cells(columns, cells)
    drawn = sparse.csr_matrix((np.ones(len(place)), (place, kind)), (len(cells), kinds))
    return spread.codes[one], (drawn @ belongs).tocoo()


def spread_kinds(
    columns: Columns, cells: Cells, affiliation: Affiliation
) -> tuple[IntArray, Spread]:
    """The kind of each row, and kinds spread over arms: rows that are alike only once."""
    attributes = cells.partition.attributes
    codes = level_codes(columns, attributes, cells.service)
    shares = chances_of(columns, affiliation.heard(attributes))
    _, first, kind = np.unique(
        np.hstack([codes, *shares]), axis=0, return_index=True, return_inverse=True
    )
    some = {name: values[first] for name, values in columns.items()}
    return kind.ravel(), affiliation.spread(some, attributes, cells.service)
