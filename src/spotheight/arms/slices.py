"""Slices: sets of arms, as people write them."""

import re
from collections.abc import Iterable, Mapping
from itertools import starmap

from spotheight.errors import InputError


def parse_slice(text: str) -> tuple[dict[str, tuple[str, ...]], ...]:
    """Read ``accent=german,gender=f``, ``accent=german|english`` or ``accent=german or gender=f``.

    >>> parse_slice("accent=german|english,gender=f or age=<18")
    ({'accent': ('german', 'english'), 'gender': ('f',)}, {'age': ('<18',)})
    """
    return tuple(_conjunction(part, text) for part in re.split(r"\s+or\s+", text.strip()))


def slice_words(parts: Iterable[Mapping[str, str | Iterable[str]]]) -> str:
    """A slice, or several whose union is meant, as ``parse_slice`` reads it.

    >>> slice_words([{"accent": ("german", "english"), "gender": "f"}, {"age": "<18"}])
    'accent=german|english,gender=f or age=<18'
    """
    return " or ".join(",".join(starmap(_choice, part.items())) for part in parts)


def _choice(name: str, levels: str | Iterable[str]) -> str:
    return f"{name}={levels if isinstance(levels, str) else '|'.join(map(str, levels))}"


def _conjunction(part: str, text: str) -> dict[str, tuple[str, ...]]:
    levels: dict[str, str] = {}
    name = ""
    for piece in part.split(","):
        left, equals, value = piece.partition("=")
        if equals and left.strip():
            name = left.strip()
            levels[name] = value
        elif name:
            levels[name] += f",{piece}"  # a level may itself hold a comma
        else:
            raise InputError(
                f"The slice {text!r} should read like accent=german,gender=f "
                f"(| between alternatives, ' or ' between slices)."
            )
    return {name: tuple(o.strip() for o in value.split("|")) for name, value in levels.items()}
