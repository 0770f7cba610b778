"""Gold items: true levels of guessed attributes, as people tell them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from spotheight.arms import Attribute
from spotheight.errors import InputError, ItemError, did_you_mean
from spotheight.history.ledger import Ledger
from spotheight.pool.chances import chances_of
from spotheight.pool.coding import Columns
from spotheight.pool.roles import NO, YES
from spotheight.types import FloatArray, IntArray

Levels = Mapping[str, Mapping[str, object]]
"""By item and attribute: the true level, as people write it."""

_WORDS = {"1": YES, "true": YES, "y": YES, "0": NO, "false": NO, "n": NO}


@dataclass(frozen=True, eq=False)
class Gold:
    """Items whose true levels were told, beside what the attribute models say of them.

    Args:
        chances: What each model says, (items, levels) per attribute.
        codes: The true levels, (items, attributes); -1 where nobody said.
    """

    attributes: tuple[Attribute, ...]
    chances: tuple[FloatArray, ...] = field(repr=False)
    codes: IntArray = field(repr=False)

    @classmethod
    def of(cls, columns: Columns, attributes: Sequence[Attribute], codes: IntArray) -> "Gold":
        """Read what the models say from columns of a pool."""
        return cls(tuple(attributes), chances_of(columns, attributes), codes)

    def __len__(self) -> int:
        return len(self.codes)

    def some(self, rows: IntArray) -> "Gold":
        """Some of the items."""
        chances = tuple(part[rows] for part in self.chances)
        return Gold(self.attributes, chances, self.codes[rows])


def read_level(value: object, attribute: Attribute) -> str:
    """A level as people write it: 1 and true are yes where the levels are yes and no.

    Where levels are cut from a number, the number will do.

    >>> read_level(1, Attribute("smiling", "smiling", ("yes", "no")))
    'yes'
    """
    text = str(value).strip()
    if text not in attribute.levels and attribute.is_number:
        text = _level_of_number(text, attribute)
    elif text not in attribute.levels and set(attribute.levels) == {YES, NO}:
        text = _WORDS.get(text.lower().removesuffix(".0"), text.lower())
    if text not in attribute.levels:
        raise InputError(
            f"The attribute {attribute.name!r} has no level {str(value)!r}; "
            f"{did_you_mean(str(value), attribute.levels)}"
        )
    return text


def _level_of_number(text: str, attribute: Attribute) -> str:
    """The level that a number lies in; the text itself where it is no number."""
    try:
        value = float(text)
    except ValueError:
        return text
    return text if np.isnan(value) else attribute.levels[attribute.codes(np.array([value]))[0]]


def told_codes(items: Sequence[str], attributes: Sequence[Attribute], ledger: Ledger) -> IntArray:
    """(items, attributes): told levels, -1 where nobody said or where people are at odds."""
    codes = np.full((len(items), len(attributes)), -1)
    for place, attribute in enumerate(attributes):
        number = {level: code for code, level in enumerate(attribute.levels)}
        levels = (ledger.gold_level(item, attribute.name) for item in items)
        codes[:, place] = [-1 if level is None else number[level] for level in levels]
    return codes


def new_levels(
    told: Levels,
    attributes: Sequence[Attribute],
    ledger: Ledger,
    annotator: str,
    *,
    is_correction: bool = False,
) -> dict[str, dict[str, str]]:
    """What is new in some told levels; raise where they cannot be read, or contradict."""
    guessed = {attribute.name: attribute for attribute in attributes if attribute.is_guessed}
    fresh: dict[str, dict[str, str]] = {}
    for item, levels in told.items():
        before = ledger.gold.get(str(item), {}).get(annotator, {})
        for name, value in levels.items():
            level = _read(str(item), name, value, guessed)
            if before.get(name, level) != level and not is_correction:
                raise ItemError(
                    str(item),
                    f"Item {item!r} was said to have {name}={before[name]} before, now "
                    f"{name}={level}; if this is a correction, say so (--correct).",
                )
            if before.get(name) != level:
                fresh.setdefault(str(item), {})[name] = level
    return fresh


def _read(item: str, name: str, value: object, guessed: Mapping[str, Attribute]) -> str:
    if name not in guessed:
        raise ItemError(
            item,
            f"Item {item!r}: true levels are told of attributes that are only guessed, "
            f"and {name!r} is none; {did_you_mean(name, guessed)}",
        )
    try:
        return read_level(value, guessed[name])
    except InputError as error:
        raise ItemError(item, f"Item {item!r}: {error}") from None
