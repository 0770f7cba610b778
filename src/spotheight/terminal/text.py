"""Text on a terminal: number formats, plain tables, and a first look in sentences."""

import io
from collections.abc import Iterable, Sequence
from math import inf

from rich.console import Console
from rich.table import Table

from spotheight.errors import listed, plain
from spotheight.pool.look import FirstLook
from spotheight.pool.roles import SOLE
from spotheight.questions.words import RARE, count, counted, one_in

__all__ = [
    "chance",
    "count",
    "counted",
    "counted_are",
    "estimand_words",
    "interval",
    "look_text",
    "percent",
    "points",
    "table_text",
    "times",
]

WIDEST = 2000
"""Arms of many attributes have long names."""


def percent(value: float) -> str:
    """A share as people read it.

    >>> percent(0.8567), percent(float("nan"))
    ('85.7%', 'no estimate')
    """
    return "no estimate" if value != value else f"{100 * value:.1f}%"


def interval(low: float, high: float) -> str:
    """An interval as people read it."""
    return f"{percent(low)} to {percent(high)}"


ARM = "An arm is a group (a combination of attribute levels)."
STATUS = (
    "The status complete means that every item is labelled; insufficient evidence, that the "
    "interval is wider than half of the scale, however many labels there are, or that there is no "
    "number; inferred, that the interval is narrower though none of its own items is labelled, so "
    "that the number comes from other arms; estimated, all else."
)
ESTIMANDS = {"pool": "these items", "rate": "the service on such inputs"}


def chance(probability: float) -> str:
    """A probability from draws, which is neither quite 0 nor quite 1.

    >>> chance(0.0), chance(6.67e-05), chance(0.27), chance(1.0)
    ('<0.1%', '1 in 15,000', '27.0%', '>99.9%')
    """
    if 0 < probability < RARE:
        return one_in(probability)
    return (
        "<0.1%"
        if probability < RARE
        else ">99.9%"
        if probability > 1 - RARE / 2
        else (percent(probability))
    )


def estimand_words(estimand: str) -> str:
    """An estimand and what it is, or both of them.

    >>> estimand_words("pool")
    'pool (these items)'
    """
    each = estimand.split(" and ")
    return " and ".join(f"{name} ({ESTIMANDS[name]})" for name in each)


def points(value: float) -> str:
    """A difference of two shares, in percentage points.

    >>> points(-0.0312), points(0.2), points(-0.0001)
    ('-3.1', '+20.0', '0.0')
    """
    text = f"{100 * value:+.1f}"
    return text if float(text) else "0.0"


def times(value: float) -> str:
    """A ratio of two shares.

    >>> times(0.957), times(float("inf"))
    ('0.96', 'no end')
    """
    return "no estimate" if value != value else f"{value:.2f}" if value < inf else "no end"


def counted_are(number: float, noun: str) -> str:
    """A number of things, and the verb that goes with it.

    >>> counted_are(1, "item"), counted_are(1200, "item")
    ('1 item is', '1,200 items are')
    """
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"


def table_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table, with one line a row; numbers go to the right, with or without a sign.

    >>> print(table_text(["gap", "points"], [["a - b", "+6.9"], ["a - c", "-12.0"]]))
    gap    points
    a - b    +6.9
    a - c   -12.0
    """
    table = Table(box=None, pad_edge=False)
    rows = [list(row) for row in rows]
    for place, name in enumerate(columns):
        is_number = bool(rows) and all(_starts_like_number(row[place]) for row in rows)
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell.replace("[", "\\[") for cell in row))
    text = io.StringIO()
    Console(file=text, width=WIDEST, color_system=None, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _starts_like_number(cell: str) -> bool:
    return cell in ("", "-", "no estimate") or cell[:2].lstrip("+-<>")[:1].isdigit()


def look_text(look: FirstLook) -> str:
    """A first look in sentences."""
    smallest, middle, largest = look.sizes
    one = {"arms": "arm", "categories": "category"}[look.noun]
    could = f" ({look.possible:,.0f} combinations of levels are possible)"
    lines = [
        f"{look.items:,} items in {look.arms:,} {one if look.arms == 1 else look.noun}"
        f"{could if look.noun == 'arms' and look.possible > 1 else ''}.",
    ]
    if look.arms > 1:
        few = f"{look.small_arms:,} {'has' if look.small_arms == 1 else 'have'} fewer than 5"
        lines.append(
            f"{look.noun.capitalize()} hold {smallest:,} to {largest:,} items, half of them "
            f"{middle:,} or fewer; {few}."
        )
    for service, (low, high) in look.scores.items():
        kind = "read as probabilities" if low >= 0 and high <= 1 else "only their order is used"
        lines.append(f"Scores of {_called(service)}: about {low:.3g} to {high:.3g}, {kind}.")
    if look.labelled:
        come = "comes" if look.labelled == 1 else "come"
        items = counted(look.labelled, "item")
        lines.append(f"{items} {come} with a label, told without a chance.")
    if look.attributed:
        come = "comes" if look.attributed == 1 else "come"
        items = counted(look.attributed, "item")
        lines.append(f"{items} {come} with true levels of guessed attributes.")
    if look.answers:
        lines.append(
            f"Labels may be any word; with --classes {','.join(look.answers)} (what services "
            f"answer) a slip of the pen is refused."
        )
    notes = [f"Note: {warning}" for warning in look_warnings(look)]
    return "\n".join(plain(line) for line in lines + notes)


def _called(service: str) -> str:
    return "the service" if service == SOLE else service


def _cut_warnings(look: FirstLook) -> list[str]:
    """What another cut would mend."""
    warnings = [
        f"attribute {name!r} has {made} bins instead of {asked}: so many values are the same that "
        f"they cannot be cut more finely into equal parts; {name}:edges=... cuts where you say."
        for name, (asked, made) in look.merged.items()
    ]
    if look.thin:
        name, cut = look.thin
        how = f"cut it more coarsely, as in {cut}" if cut else "leave it out, or join its levels"
        warnings.append(f"most arms have fewer than 5 items; {name!r} has the most levels: {how}.")
    return warnings


def look_warnings(look: FirstLook) -> list[str]:
    """What looks odd, one sentence each."""
    warnings = [
        f"attribute {name!r} is missing for {counted(items, 'item')}; that is a level of its own."
        for name, items in look.missing.items()
    ]
    warnings += [
        f"attribute {name!r} has the level {listed(map(repr, levels))}, which is a word like any "
        f"other; leave cells empty where that stands for a missing value."
        for name, levels in look.blanks.items()
    ]
    warnings += [
        f"attribute {name!r} has one level only; it tells nothing apart."
        for name in look.one_valued
    ]
    warnings += [
        f"attribute {name!r} has {levels:,} levels, on average of fewer than 5 items; where these "
        f"are numbers, cut them, as in {name}:bins=4."
        for name, levels in look.scattered.items()
    ]
    warnings += _cut_warnings(look)
    warnings += [
        f"{_called(service)} gives no score for {counted(items, 'item')}; they stand apart."
        for service, items in look.unscored.items()
    ]
    warnings += [
        f"{_called(service)} gives no answer for {counted(items, 'item')}; that counts as a miss."
        for service, items in look.empty_answers.items()
    ]
    warnings += [
        f"the answer {answer!r} is no class but looks like {cls!r}; --map can translate it."
        for answer, cls in look.near_misses
    ]
    if look.strangers:
        answers = listed(map(repr, look.strangers))
        warnings.append(f"no class is meant by the answer {answers}; that counts as a miss.")
    return warnings
