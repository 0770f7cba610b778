"""What can go wrong in ways a user can mend; anything else is our bug and keeps its traceback."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

LONGEST = 500
"""Characters of a message; what people handed in may be a million, and stands inside."""


def plain(message: str, most: int = LONGEST) -> str:
    r"""A message on one line, without control characters, cut in its middle where it is long.

    >>> plain("no column 'a\x1b[31m'\n")
    "no column 'a\\x1b[31m'\\n"
    """
    message = _cut(message, 4 * most)  # a million letters need not all be looked at
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    return _cut("".join(shown), most)


def _cut(text: str, most: int) -> str:
    """What to do about a fault stands at the end of its message, and must stay."""
    end = most // 3
    return text if len(text) <= most else f"{text[: most - end - 5]} ... {text[-end:]}"


LEAST_STRENGTH, MOST_STRENGTH = 1e-12, 1e12
"""Beyond these a prior is none, or all there is, and numbers end."""


class SpotheightError(Exception):
    """The message says what is wrong, with the value, and what to do about it."""

    def __init__(self, message: str = "") -> None:
        super().__init__(plain(message))


class InputError(SpotheightError, ValueError):
    """Something that was handed in cannot be used as it is."""


class ItemError(InputError):
    """What was said about one item cannot be used; ``item`` lets a file's reader name the row."""

    def __init__(self, item: str, message: str) -> None:
        super().__init__(message)
        self.item = item

    def __reduce__(self) -> tuple[type["ItemError"], tuple[str, str]]:
        """Crosses from one process to another whole."""
        return ItemError, (self.item, str(self))


class StoreError(SpotheightError):
    """The campaign file cannot be read or written."""


class ConflictError(SpotheightError):
    """Someone else wrote to the campaign first; read again and retry."""


def did_you_mean(name: str, known: Collection[str], most: int = 8) -> str:
    """A hint that ends a sentence: the name that was probably meant, or the names there are."""
    near = get_close_matches(name, known, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"there is {listed(known, most)}." if known else "there is none."


def require_column(name: str, columns: Collection[str]) -> None:
    """Raise unless ``name`` is a column, and say which one was probably meant."""
    if name not in columns:
        raise InputError(f"The table has no column {name!r}; {did_you_mean(name, columns)}")


def require_choice(said: str, value: str, choices: Collection[str]) -> None:
    """Raise unless ``value`` is one of the choices; ``said`` begins the sentence."""
    if value not in choices:
        raise InputError(f"{said} is one of {', '.join(choices)}, not {value!r}.")


def require_at_most(said: str, value: float, most: float) -> None:
    """Raise where a number takes more time or memory than it is worth; ``said`` names it."""
    if value > most:
        raise InputError(f"{said} is at most {most:,g}, got {value:,g}.")


def require_strength(strength: float) -> None:
    """Raise unless a prior is worth so many labels that numbers can tell it from nothing."""
    if not strength > 0:
        raise InputError(f"The strength of a prior must be positive, got {strength:g}.")
    if not LEAST_STRENGTH <= strength <= MOST_STRENGTH:
        raise InputError(
            f"The strength of a prior lies between {LEAST_STRENGTH:g} and {MOST_STRENGTH:,.0f} "
            f"labels, got {strength:g}."
        )


def listed(names: Iterable[str], most: int = 8) -> str:
    """Names in a row, cut where it gets long.

    >>> listed("abc", most=2)
    'a, b and 1 more'
    """
    names = [str(name) for name in names]
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
