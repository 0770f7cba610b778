"""Event log: what happened in a campaign, in order, the only state there is."""

from collections.abc import Mapping
from dataclasses import dataclass

Label = str | float | Mapping[str, float]
"""A class, a number, or a verdict for each service."""


@dataclass(frozen=True, slots=True)
class Query:
    """One item to be labelled.

    Args:
        why: The reason it was chosen, in words.
        chance: The chance it had at its turn; ``None`` when the choice was deterministic.
        arm: The levels it lies in, in words.
    """

    item: str
    why: str
    chance: float | None = None
    arm: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """Items went out; ``seen`` is the log position of the belief that chose them."""

    queries: tuple[Query, ...]
    seen: int
    annotator: str = ""
    until: str | None = None
    at: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """Labels came in from one annotator."""

    labels: Mapping[str, Label]
    annotator: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """An annotator changed labels given before; the old ones stay in the log."""

    labels: Mapping[str, Label]
    annotator: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Attributed:
    """An annotator said which levels guessed attributes truly have; later ones replace earlier."""

    levels: Mapping[str, Mapping[str, str]]
    annotator: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Items that cannot be labelled: they stay in the pool and are asked no more."""

    items: tuple[str, ...]
    annotator: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Released:
    """Items that were out are free to be asked again."""

    items: tuple[str, ...]
    annotator: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Relinked:
    """The pool's file moved or grew; asks before it grew were made on the pool as it was."""

    fingerprint: str
    has_grown: bool = False
    at: str = ""


Event = Asked | Told | Corrected | Attributed | Skipped | Released | Relinked
