"""Page section of guessed attributes: how far they can be believed."""

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import SubElement

from spotheight.guesses import Trust
from spotheight.page.drawing import Axis, feet, levels, line, percent_mark, svg, text_of
from spotheight.terminal.trust import COLUMNS, trust_rows

WORDS = (
    "These attributes come from models. An item counts in several arms, in each by its chance. "
    "Where a model says it is right more often than it is, its chances are too sure of themselves; "
    "calibration learns from the true levels that were told how much to believe it. Every item "
    "here is judged by what was learned from others."
)

CHANCES = Axis(0, 5, 0.2)
"""Chances and shares both reach from nothing to all."""

MOST_PICTURES = 6


def picture(row: Trust) -> str:
    """Share of true levels against their chance after calibration; the diagonal is honest."""
    root = svg("plot reliability", f"Reliability of {row.name} after calibration")
    levels(root, CHANCES)
    feet(root, CHANCES)
    line(root, "reference", ("0", "100%"), ("100%", "0"))
    for said, true, items in row.bins:
        group = SubElement(root, "g")
        SubElement(group, "title").text = (
            f"{items:,} levels with a chance of {percent_mark(said)} on average: "
            f"{percent_mark(true)} of them are true"
        )
        SubElement(group, "circle", cx=CHANCES.across(said), cy=CHANCES.down(true), r="4")
    return text_of(root)


def drawn_trust(rows: Sequence[Trust]) -> dict[str, Any]:
    """What the page shows of guessed attributes."""
    return {
        "trust": trust_rows(rows),
        "trust_columns": COLUMNS,
        "trust_words": WORDS,
        "trust_pictures": [(row.name, picture(row)) for row in rows[:MOST_PICTURES]],
    }
