"""Refusing ids that are not in the pool."""

from collections.abc import Callable, Collection, Sequence

from spotheight.errors import ItemError, did_you_mean


def refuse_unknown(unknown: Sequence[str], known: Callable[[], Collection[str]]) -> None:
    """Raise when there is an unknown id, and say which one was probably meant.

    ``known`` gives ids to compare with, and is only called when there is an error to word.
    """
    if not unknown:
        return
    others = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
    some = list(known())[:20_000]
    near = did_you_mean(unknown[0], some) if some else ""
    hint = near if near.startswith("did you") else "check that the ids are those of the pool."
    raise ItemError(unknown[0], f"The pool has no item {unknown[0]!r}{others}; {hint}")
