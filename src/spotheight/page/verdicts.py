"""Sentences and titles of answers on the page, beside what an answer itself says."""

from collections.abc import Sequence

from spotheight.arms import PREDICTION, Recipe
from spotheight.questions import Basis
from spotheight.questions.calibration import Calibrated
from spotheight.questions.compare import Compared
from spotheight.questions.confusion import ConfusionMatrix
from spotheight.questions.identify import Identified
from spotheight.questions.values import GroupRow
from spotheight.questions.words import listed, number, percent
from spotheight.report.basis import estimator_of
from spotheight.terminal.text import estimand_words

OFF_BY = 0.03
"""So far from the surface's number, a reader would notice and wonder."""


def basis_words(basis: Basis) -> str:
    """By what and for what an answer was estimated."""
    return (
        f"Estimated by {estimator_of(basis)} for the {estimand_words(basis.estimand)}, "
        f"with {100 * basis.level:g}% intervals."
    )


def by_words(by: Sequence[str]) -> str:
    """What makes the groups.

    >>> by_words(("@prediction",)), by_words(("age:bins=4", "accent"))
    ('predicted class', 'age and accent')
    """
    columns = [Recipe.parse(text).column for text in by]
    return listed(["predicted class" if name == PREDICTION else name for name in columns])


def plain_words(found: Calibrated) -> str:
    """The frequentist estimate beside it."""
    return (
        f"Counted plainly, from the labels alone and as if they were drawn evenly, it would be "
        f"{percent(found.whole.plain, 1)}."
    )


def classes_finding(found: Calibrated) -> str:
    """Which groups are least accurate, and which least calibrated."""
    most = max(1, min(3, len(found.groups) - 1))  # all of them would tell none apart
    by_error = sorted(found.groups, key=lambda each: -each.error.mean)
    is_apart = rows_apart([each.accuracy for each in found.groups])
    is_error_apart = rows_apart([each.error for each in found.groups])
    least = [f"{each.error.name} ({percent(each.accuracy.mean)})" for each in found.groups[:most]]
    worst = [f"{each.error.name} ({percent(each.error.mean)})" for each in by_error[:most]]
    return " ".join(
        (
            f"Least accurate: {listed(least)}." if is_apart else NO_MORE_ACCURATE,
            f"Furthest from its score: {listed(worst)}." if is_error_apart else NO_FURTHER,
        )
    )


NO_MORE_ACCURATE = "Which is the least accurate is not decided: all intervals overlap."
NO_FURTHER = "Which is furthest from its score is not decided: all intervals overlap."


def rows_apart(rows: Sequence[GroupRow]) -> bool:
    """Whether the intervals of some two groups do not overlap."""
    return max(row.low for row in rows) > min(row.high for row in rows)


def confusion_warning(found: ConfusionMatrix, overall: float) -> str:
    """Why the matrix and the surface may differ; nothing where they do not."""
    if not abs(found.accuracy - overall) > OFF_BY:
        return ""
    more = "more" if found.accuracy < overall else "less"
    return (
        f"Beware: by this matrix alone the service would be right on {percent(found.accuracy)} "
        f"of the items, against {percent(overall)} by the surface. The matrix judges each answer "
        f"by its own labels and takes them for typical; where they are few, or were chosen for "
        f"being hard, its mistakes look {more} frequent than they are."
    )


def extreme_words(found: Identified) -> str:
    """Which end is looked for, and how many there."""
    extreme, wanted = "best" if found.is_best else "worst", len(found.arms)
    return extreme if wanted == 1 else f"{wanted} {extreme}"


def rope_words(found: Compared) -> str:
    """What counts as equivalent."""
    if not found.rope:
        return "Any difference counts."
    rope = f"{100 * found.rope:g} points" if found.basis.unit.is_share else number(found.rope)
    return f"A difference of up to {rope} either way (shaded) counts as no difference."
