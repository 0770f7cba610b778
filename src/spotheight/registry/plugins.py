"""Entry points: what installed packages offer under names of their own.

Packages say so in their metadata, which is read when a name is unknown or names are listed, never
before. Only what is installed can be named: a campaign file cannot make us import anything else.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from spotheight.errors import InputError

GROUPS = {
    "estimator": "spotheight.estimators",
    "policy": "spotheight.policies",
    "task": "spotheight.questions",
    "reader": "spotheight.readers",
}
"""Where packages register what goes by each noun."""

_SPELLED = {"reader": re.compile(r"(\.[a-z0-9_-]+)+")}
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""How names go: in ``mine:depth=3,by=(other)`` a colon, a comma or a bracket would end one."""


def a(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


class NotInstalledError(InputError):
    """An algorithm that is named but not here, or that comes with a package that does not work."""


@dataclass(frozen=True)
class Plugin:
    """An entry point of one package.

    Args:
        noun: What it is.
        name: What it is called.
        package: Who offers it, as ``NAME==VERSION``.
        entry: Where it is; imported when it is used.
        rivals: Other packages that offer the same name.
    """

    noun: str
    name: str
    package: str
    entry: EntryPoint
    rivals: tuple[str, ...] = ()

    def load(self) -> Any:
        """Import it; raise, and name the package, where that does not work."""
        if self.rivals:
            both = " and ".join(map(repr, (self.package, *self.rivals)))
            raise NotInstalledError(
                f"The packages {both} both offer {a(self.noun)} {self.name!r}; uninstall one."
            )
        try:
            return self.entry.load()
        except Exception as error:
            raise self.broken(f"{type(error).__name__}: {error}") from error

    def broken(self, why: str) -> NotInstalledError:
        """What is to be said of one that cannot be used."""
        return NotInstalledError(
            f"The {self.noun} {self.name!r} of the package {self.package!r} cannot be used "
            f"({why}); update that package or uninstall it."
        )


@dataclass(frozen=True)
class Offers:
    """What installed packages offer by one noun.

    Args:
        usable: By name.
        refused: A sentence for each name that cannot be used as one.
    """

    usable: Mapping[str, Plugin]
    refused: tuple[str, ...] = ()


def offers(noun: str, taken: Collection[str]) -> Offers:
    """What packages offer by a noun; names that are ``taken`` stay what they are."""
    usable: dict[str, Plugin] = {}
    refused = []
    for plugin in _found(noun) if noun in GROUPS else ():
        if plugin.name in taken:
            why = "that name is built in and stays what it is"
        elif not _SPELLED.get(noun, _PLAIN).fullmatch(plugin.name):
            why = "no such name can be written" if noun != "reader" else "no ending reads like that"
        else:
            usable[plugin.name] = plugin
            continue
        said = f"The package {plugin.package!r} offers {a(noun)} {plugin.name!r}, but {why}."
        refused.append(said)
    return Offers(usable, tuple(refused))


@cache
def _found(noun: str) -> tuple[Plugin, ...]:
    """All entry points of a noun's group by name, each name once."""
    by_name: dict[str, list[tuple[str, EntryPoint]]] = {}
    for entry in entry_points(group=GROUPS[noun]):
        by_name.setdefault(entry.name, []).append((_package(entry), entry))
    made = []
    for name in sorted(by_name):
        (package, entry), *others = sorted(by_name[name], key=lambda pair: pair[0])
        made.append(Plugin(noun, name, package, entry, tuple(other for other, _ in others)))
    return tuple(made)


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name}=={entry.dist.version}" if entry.dist else "?"


def look_again() -> None:
    """Forget which packages are installed."""
    _found.cache_clear()
