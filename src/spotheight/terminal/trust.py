"""Text table of guessed attributes: how far they can be believed."""

from collections.abc import Sequence

from spotheight.guesses import Trust
from spotheight.terminal.text import percent, table_text

COLUMNS = (
    "attribute",
    "true levels told",
    "right",
    "said to be right",
    "after calibration: right",
    "said to be right",
    "log loss",
    "after",
)


def trust_rows(rows: Sequence[Trust]) -> list[tuple[str, ...]]:
    """A row an attribute, as text."""
    return [
        (
            row.name,
            f"{row.gold:,}",
            percent(row.right),
            percent(row.said),
            percent(row.right_calibrated),
            percent(row.calibrated),
            _loss(row.loss),
            _loss(row.loss_calibrated),
        )
        for row in rows
    ]


def _loss(value: float) -> str:
    return "no estimate" if value != value else f"{value:.3f}"


def trust_text(rows: Sequence[Trust]) -> str:
    """The table for a terminal."""
    return table_text(list(COLUMNS), trust_rows(rows))
