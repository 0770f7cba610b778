"""What the page says of answers, in sentences."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import floor, log10

from spotheight.arms import PREDICTION, Recipe
from spotheight.page.charts import chance, interval, percent
from spotheight.page.drawing import Write
from spotheight.page.words import listed, points
from spotheight.questions import CERTAINTY, NOT_DECIDED
from spotheight.report.basis import Basis
from spotheight.report.calibration import Reliability
from spotheight.report.comparison import Comparison
from spotheight.report.confusion import ConfusionTable, Mistake
from spotheight.report.expense import Expense
from spotheight.report.ranking import Ranking
from spotheight.report.rows import GroupRow
from spotheight.report.shortlist import Shortlist
from spotheight.terminal.text import count, estimand_words

OFF_BY = 0.03
"""So far from the surface's number, a reader would notice and wonder."""

NAMED_MISTAKES = 3


def costs_like(values: Iterable[float]) -> Write:
    """A way to write costs, all with the digits that the largest of them needs.

    >>> write = costs_like([3.164, 0.0408])
    >>> write(3.164), write(0.0408), write(-12.5)
    ('3.16', '0.04', '\N{MINUS SIGN}12.50')
    """
    largest = max((abs(value) for value in values), default=1.0)
    digits = 2 - floor(log10(largest)) if largest > 0 else 0
    return partial(_number, digits=min(max(digits, 0), 6))


def _number(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return (text if float(text.replace(",", "")) else text.lstrip("-")).replace(
        "-", "\N{MINUS SIGN}"
    )


def number(value: float) -> str:
    """A mark on an axis of costs.

    >>> number(0.5), number(-2000)
    ('0.5', '\N{MINUS SIGN}2,000')
    """
    return f"{value:,.6g}".replace("-", "\N{MINUS SIGN}")


def basis_words(basis: Basis) -> str:
    """By what and for what an answer was estimated."""
    return (
        f"Estimated by {basis.estimator} for the {estimand_words(basis.estimand)}, "
        f"with {100 * basis.level:g}% intervals."
    )


def by_words(by: Sequence[str]) -> str:
    """What makes the groups.

    >>> by_words(("@prediction",)), by_words(("age:bins=4", "accent"))
    ('predicted class', 'age and accent')
    """
    columns = [Recipe.parse(text).column for text in by]
    return listed(["predicted class" if name == PREDICTION else name for name in columns])


def calibration_finding(found: Reliability) -> str:
    """How far scores can be trusted."""
    whole = found.whole
    error, right = whole.error, whole.accuracy
    gap = whole.score - right.mean
    said = (
        f"On average the service says that it is {percent(whole.score)} sure, and it is right on "
        f"{percent(right.mean)}"
    )
    if right.low <= whole.score <= right.high:
        lean = ", which agree as far as can be told."
    else:
        lean = f": it is too {'sure' if gap > 0 else 'modest'}."
    return (
        f"{said}{lean} Score bin by score bin the two are {percent(error.mean, 1)} apart: that is "
        f"the expected calibration error (ECE), {100 * found.basis.level:g}% interval "
        f"{interval(error.low, error.high)}."
    )


def plain_words(found: Reliability) -> str:
    """The frequentist estimate beside it."""
    return (
        f"Counted plainly, from the labels alone and as if they were drawn evenly, it would be "
        f"{percent(found.whole.plain, 1)}."
    )


def classes_finding(found: Reliability) -> str:
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


def confusion_finding(found: ConfusionTable) -> str:
    """The largest mistakes in a sentence."""
    if not found.largest:
        return "No label has shown a mistake yet."
    first, *rest = found.largest[:NAMED_MISTAKES]
    more = [f"{each.truth} called {each.answer} ({_items(each)})" for each in rest]
    next_ones = f" Next: {listed(more)}." if more else ""
    return (
        f"The largest confusion is {first.truth} called {first.answer}: of the items that the "
        f"service calls {first.answer}, {percent(first.mean)} "
        f"({interval(first.low, first.high)}) truly are {first.truth}, {_items(first)}.{next_ones}"
    )


def _items(mistake: Mistake) -> str:
    items = max(round(mistake.items), 1)
    return f"some {count(items)} item{'' if items == 1 else 's'}"


def confusion_warning(found: ConfusionTable, overall: float) -> str:
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


def ranking_finding(found: Ranking) -> str:
    """Who is the worst and who the best, and how sure that is."""
    if len(found.rows) == 1:
        return f"There is nothing to rank: {found.rows[0].group.name} stands alone."
    by_last = sorted(found.rows, key=lambda row: -row.last)
    by_first = sorted(found.rows, key=lambda row: -row.first)
    worst, best = by_last[0], by_first[0]
    ends = (
        _end("worst", worst.group.name, worst.last),
        _end("best", best.group.name, best.first),
    )
    return " ".join(ends)


def _end(end: str, name: str, probability: float) -> str:
    """Who is at an end of a ranking; nobody where that is not sure enough."""
    if probability >= CERTAINTY:
        return f"{name} is the {end} with probability {chance(probability)}."
    return f"The {end} is not decided: {name} is it with probability {chance(probability)} only."


def shortlist_title(found: Shortlist) -> str:
    """What was looked for."""
    return f"The {_extreme(found)} by {found.measure.name}"


def _extreme(found: Shortlist) -> str:
    extreme = "best" if found.is_best else "worst"
    return extreme if found.wanted == 1 else f"{found.wanted} {extreme}"


def place_words(found: Shortlist) -> str:
    """The place that groups compete for."""
    return f"{'the' if found.wanted == 1 else 'among the'} {_extreme(found)}"


def shortlist_finding(found: Shortlist) -> str:
    """The most probable set."""
    chances = {each.group.name: each.probability for each in found.candidates}
    is_sure = min(chances[name] for name in found.chosen) >= CERTAINTY
    start = "It is" if is_sure else "Not decided; likeliest is"
    if len(found.chosen) == 1:
        only = found.chosen[0]
        return f"{start} {only}, with probability {chance(chances[only])}."
    start = "They are" if is_sure else "Not decided; likeliest are"
    names = [f"{name} ({chance(chances[name])})" for name in found.chosen]
    return f"{start} {'; '.join(names)}. In brackets: the probability to belong there."


def comparison_title(found: Comparison) -> str:
    """What is compared by what."""
    return f"{found.first} against {found.second}, by {found.measure.name}"


def comparison_finding(found: Comparison) -> str:
    """The verdict, how sure it is, and the difference."""
    verdicts = {
        "the first is better": f"{found.first} is better",
        "the second is better": f"{found.second} is better",
        "practically equivalent": "The two are practically equivalent",
    }
    verdict = verdicts.get(found.likeliest, found.likeliest)
    sure = f"with probability {chance(found.sureness)}"
    if found.decision == NOT_DECIDED:
        return f"Not decided: the likeliest verdict, “{verdict}”, holds {sure} only. {_gap(found)}"
    return f"{verdict}, {sure}. {_gap(found)}"


def _gap(found: Comparison) -> str:
    difference = found.difference
    numbers = (difference.mean, difference.low, difference.high)
    write, unit = (points, " points") if found.measure.is_share else (costs_like(numbers), "")
    mean, low, high = map(write, numbers)
    return f"The difference, first minus second, is {mean}{unit} ({low} to {high})."


def rope_words(found: Comparison) -> str:
    """What counts as equivalent."""
    if not found.rope:
        return "Any difference counts."
    rope = f"{100 * found.rope:g} points" if found.measure.is_share else number(found.rope)
    return f"A difference of up to {rope} either way (shaded) counts as no difference."


def expense_finding(found: Expense) -> str:
    """What an answer costs."""
    whole, worst = found.overall, found.rows[0]
    write = costs_like([whole.high, worst.high])
    mean, low, high = map(write, (whole.mean, whole.low, whole.high))
    most = f"{write(worst.mean)} ({write(worst.low)} to {write(worst.high)})"
    return (
        f"An answer costs {mean} on average ({low} to {high}), and most for {worst.name}: {most}."
    )
