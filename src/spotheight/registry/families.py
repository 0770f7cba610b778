"""Families of algorithms: those that can stand in one place, by their names."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin

from spotheight.errors import InputError, did_you_mean
from spotheight.registry.names import HINTS, MEMBERS, PRESETS, load
from spotheight.registry.plugins import NotInstalledError, Plugin, a, offers

NEEDED = {
    "estimator": ("fit", "is_slow", "joins_arms"),
    "policy": ("choose",),
    "task": ("cut", "evidence", "answer"),
}
"""What a type of a package must have to be one of ours; `spotheight.testing` asks for the rest."""


class Members(Mapping[str, type]):
    """The built-in names of a noun and their types, each imported when it is used."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """From the places of a table of names."""
        self._places = places

    def __getitem__(self, name: str) -> type:
        kind: type = load(self._places[name])
        return kind

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Family:
    """Algorithms that can stand in one place: the built-in ones, and those of installed packages.

    Args:
        noun: What they are called together.
        members: The type behind each built-in name.
        presets: Fields with another default under some names, where a type has several.
    """

    def __init__(self, noun: str) -> None:
        """The family that the table of names has under a noun."""
        self.noun = noun
        self.members = Members(MEMBERS[noun])
        self.presets: Mapping[str, Mapping[str, Any]] = PRESETS.get(noun, {})

    def __repr__(self) -> str:
        return f"<Family of each {self.noun}: {', '.join(self.members)}>"

    @property
    def outside(self) -> Mapping[str, Plugin]:
        """What installed packages offer by other names."""
        return offers(self.noun, self.members).usable

    @property
    def names(self) -> tuple[str, ...]:
        """All names there are, those of installed packages last."""
        return (*self.members, *self.outside)

    @property
    def refused(self) -> tuple[str, ...]:
        """A sentence for each name of a package that cannot be used."""
        return offers(self.noun, self.members).refused

    def of(self, name: str) -> type:
        """The type of this name, built in or of an installed package."""
        if not isinstance(name, str):
            raise InputError(f"The name of {a(self.noun)} is text, not {name!r}.")
        if name in self.members:
            return self.members[name]
        if name in self.outside:
            return _loaded(self.outside[name])
        # No other place lists the names, so none is left out. What is at home in another family
        # is no slip of the pen, and a name like it would mislead.
        is_elsewhere = any(name in other.members for other in KINDS_OF_ESTIMATORS)
        hint = (
            f"there is {', '.join(self.names)}."
            if is_elsewhere
            else did_you_mean(name, self.names, most=len(self.names))
        )
        raise NotInstalledError(f"There is no {self.noun} {name!r}; {hint}")

    def names_of(self, kind: type) -> list[str]:
        """The names that stand for a type."""
        places = MEMBERS[self.noun].items()
        ours = [name for name, place in places if _is_at(kind, place)]
        if ours or kind.__module__.partition(".")[0] == "spotheight":
            return ours
        return [name for name, plugin in self.outside.items() if _is_it(plugin, kind)]

    def name(self, value: object) -> str:
        """What a member is called: where names share a type, by what leaves least to be said.

        Of names that leave as much, the last.
        """
        names = self.names_of(type(value))
        if not names:
            what = type(value).__name__
            raise InputError(f"{what} is no {self.noun} that can be written to a file.")
        return min(reversed(names), key=lambda name: len(self.unsaid(name, value)))

    def unsaid(self, name: str, value: Any) -> dict[str, Any]:
        """The fields of a member that its name does not tell."""
        preset = self.presets.get(name, {})
        defaults = {f.name: preset.get(f.name, default_of(f)) for f in fields(value)}
        told = {key: getattr(value, key) for key in defaults}
        return {key: content for key, content in told.items() if content != defaults[key]}


def default_of(of: Field[Any]) -> Any:
    """What a field is when nobody says."""
    return of.default if of.default_factory is MISSING else of.default_factory()


def _is_at(what: Any, place: str) -> bool:
    """Whether a type is the one at a place; nothing is imported for one of another name."""
    return place.endswith(f":{getattr(what, '__name__', '')}") and load(place) is what


def _is_it(plugin: Plugin, kind: type) -> bool:
    """Whether a package offers this very type; one that does not work offers none."""
    try:
        return plugin.load() is kind
    except NotInstalledError:
        return False


def _loaded(plugin: Plugin) -> type:
    """The type that a package offers; raise where it is none that could be kept in a file."""
    kind = plugin.load()
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise plugin.broken(f"it is no dataclass but {type(kind).__name__!r}")
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise plugin.broken(f"the dataclass {kind.__name__} is not frozen")
    for name in NEEDED[plugin.noun]:
        if not hasattr(kind, name):
            raise plugin.broken(f"{kind.__name__} has no {name!r}, which {a(plugin.noun)} needs")
    return kind


FAMILIES = {noun: Family(noun) for noun in MEMBERS}
ESTIMATORS = FAMILIES["estimator"]
CLASS_ESTIMATORS = FAMILIES["class estimator"]
ITEM_ESTIMATORS = FAMILIES["item estimator"]
KINDS_OF_ESTIMATORS = (ESTIMATORS, CLASS_ESTIMATORS, ITEM_ESTIMATORS)
POLICIES = FAMILIES["policy"]
TASKS = FAMILIES["task"]
QUANTITIES = FAMILIES["quantity"]
METRICS = FAMILIES["metric"]
CALIBRATIONS = FAMILIES["calibration"]
EVENTS = FAMILIES["event"]


@cache
def family_of_kind(kind: type) -> Family | None:
    """The family that a type belongs to."""
    if not is_dataclass(kind):
        return None
    return next((family for family in FAMILIES.values() if family.names_of(kind)), None)


@cache
def family_of_hint(hint: Any) -> Family | None:
    """The family whose members may stand where a field is annotated with ``hint``.

    By the protocol of a noun, one of its types, or a choice of them.
    """
    noun = next((noun for place, noun in HINTS.items() if _is_at(hint, place)), None)
    if noun is not None:
        return FAMILIES[noun]
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    found = {family_of_kind(one) if isinstance(one, type) else None for one in options}
    return found.pop() if len(found) == 1 else None
