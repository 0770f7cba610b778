"""Markdown of the pages: tables, and sentences with figures filled in."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

WIDTH = 100
"""Columns of a page's text."""


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


def filled(template: str, **figures: Any) -> str:
    r"""A template with its figures, its paragraphs and list items wrapped anew.

    >>> print(filled("An error\nof {error:.1f}.\n\n- One\n  thing.\n- Another.", error=2))
    An error of 2.0.
    <BLANKLINE>
    - One thing.
    - Another.
    """
    text = template.format(**figures)
    blocks = groupby(text.split("\n"), key=lambda line: bool(line.strip()))
    lines = [line for is_text, block in blocks for line in _wrapped(list(block), is_text)]
    return "\n".join(lines)


def _wrapped(block: list[str], is_text: bool) -> Iterator[str]:
    """A block of lines with nothing empty in between; headings and indented code stay."""
    if not is_text or block[0].startswith(("    ", "#")):
        yield from block
        return
    items: list[list[str]] = []
    for line in block:
        if line.startswith("- ") or not items:
            items.append([])
        items[-1].append(line.strip())
    for item in items:
        inner = "  " if item[0].startswith("- ") else ""
        text = " ".join(item)
        yield from wrap(
            text, WIDTH, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
        )
