"""Markdown of the pages: tables."""

from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, and an empty one behind it.

    >>> list(table(["case", "error"], [["tiny", "2"]]))
    ['| case | error |', '|---|---|', '| tiny | 2 |', '']
    """
    yield _line(head)
    yield f"|{'---|' * len(head)}"
    yield from map(_line, rows)
    yield ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
