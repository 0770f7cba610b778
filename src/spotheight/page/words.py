"""Sentences of the page about the surface."""

from collections.abc import Iterable, Sequence
from math import isnan

from spotheight.beliefs.reading import Reading
from spotheight.beliefs.shares import VarianceShares
from spotheight.beliefs.surface import TOO_WIDE
from spotheight.page.charts import reading
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.words import (
    chance,
    count,
    counted,
    digits_for,
    interval,
    listed,
    percent,
    points,
)
from spotheight.report.values import ArmRow, HeatMap, HistoryPoint, Report, ServiceRow

ESTIMANDS = {
    "pool": "Pool: these items. What was labelled is known; the interval is about the rest.",
    "rate": "Rate: the service on such inputs. The labelled items are a sample of them.",
}
SHARES = {
    0.05: "One in twenty arms is",
    0.1: "A tenth of the arms are",
    0.2: "A fifth of the arms are",
    0.25: "A quarter of the arms are",
    0.5: "Half of the arms are",
    0.75: "Three quarters of the arms are",
    0.8: "Four fifths of the arms are",
    0.9: "Nine tenths of the arms are",
    0.95: "Nineteen in twenty arms are",
}
NOTHING_SHOWS = "No difference between arms shows yet."
HOW_SURE = (
    "Arms are said to differ only where it is {certainty} sure that one of them, or a level of an "
    "attribute, lies above or below the overall number, with all of them looked at together."
)
PAIRED = "as these pairs tell it"
NAMED_SPOTS = 3
NAMED_ATTRIBUTES = 5


def finding(report: Report) -> str:
    """What was found, in one sentence."""
    overall, metric = report.overall, report.metric
    labels, items = counted(report.n_labelled, "label"), counted(report.n_pool, "item")
    if isnan(overall.mean):
        return f"There is no estimate of {metric} yet, with {labels} for {items}."
    basis = (
        f"{labels} of {items}" if report.n_labelled < report.n_pool else f"labels of all {items}"
    )
    number = f"about {percent(overall.mean, digits_for(overall.low, overall.high))}"
    within = f"{100 * report.level:g}% interval {interval(overall.low, overall.high)}"
    is_one_of_many = len(report.services) > 1
    place = "this pool" if report.estimand == "pool" else "inputs like these"
    if metric == "accuracy":
        service = f"The service {report.service}" if is_one_of_many else "The service"
        return f"{service} is right on {number} of {place} ({within}), judged from {basis}."
    start = f"For the service {report.service}, the" if is_one_of_many else "The"
    return f"{start} {metric} is {number} on {place} ({within}), judged from {basis}."


def weak_spots(report: Report) -> str:
    """The levels that look worse than the whole: their intervals lie beyond the overall number."""
    if isnan(report.overall.mean) or not report.margins:
        return ""
    if report.has_differences is False:
        return NOTHING_SHOWS
    sign = 1 if report.is_better_high else -1
    weak = sorted(
        (sign * row.mean, f"{name} is {row.name or '(empty)'} ({percent(row.mean)})")
        for name, rows in report.margins.items()
        for row in rows
        if _is_worse(row, report)
    )
    if not weak:
        return "No level of any single attribute stands out as worse."
    return f"It looks worse where {listed([words for _, words in weak[:NAMED_SPOTS]], 'or')}."


def _is_worse(row: ArmRow, report: Report) -> bool:
    whole = report.overall.mean
    return row.high < whole if report.is_better_high else row.low > whole


def arms_words(report: Report) -> str:
    """What an arm is, with this report's own attributes."""
    names = list(report.margins)
    if not names:
        return "all items together"
    if len(names) == 1:
        return f"{counted(report.n_arms, 'level')} of {names[0]}"
    of = listed(names) if len(names) <= NAMED_ATTRIBUTES else f"{len(names)} attributes"
    return f"{counted(report.n_arms, 'group')} ({_combinations(report.n_arms)} of {of})"


def _combinations(arms: int) -> str:
    """What arms are."""
    return "a combination of levels" if arms == 1 else "combinations of levels"


def share_words(share: float) -> str:
    """A share of the arms as people say it, up to the verb.

    >>> share_words(0.1), share_words(0.37)
    ('A tenth of the arms are', '37% of the arms are')
    """
    return SHARES.get(round(share, 6), f"{100 * share:g}% of the arms are")


def lead_words(service: ServiceRow, is_reference: bool = False) -> tuple[str, str]:
    """A paired lead in points with its interval, and what to make of it."""
    lead = service.lead
    if lead is None:
        return "\N{EN DASH}", "reference" if is_reference else "not compared"
    if isnan(lead.mean):
        return "no estimate", "nothing to compare yet"
    low, high = (points(value) for value in (lead.low, lead.high))
    sides = (("ahead", service.ahead), ("behind", service.behind))
    side, sureness = max(sides, key=lambda each: each[1])
    verdict = side if sureness >= CERTAINTY else f"not decided ({side}: {chance(sureness)})"
    return f"{points(lead.mean)} points ({low} to {high})", verdict


def pairs_words(report: Report) -> str:
    """Which question each number of the services answers; nothing where all answer the same."""
    if all(service.lead is None for service in report.services):
        return ""
    first = report.services[0].name
    return (
        f"The {report.metric} of {first} is that of this whole report; that of each other service "
        f"is {PAIRED}, so that it goes with the lead; what the command "
        f"“surface --service” says of them alone may differ a little."
    )


def history_words(metric: str, past: Sequence[HistoryPoint]) -> str:
    """A title for the figure and, on a line of its own, what it shows."""
    title = f"Overall {metric} against labels spent"
    if not past:
        return title
    first, last = past[0], past[-1]
    return (
        f"{title}\nFrom {reading(first)} after {count(first.labels)} labels"
        f" to {reading(last)} after {count(last.labels)}."
    )


def difference_words() -> str:
    """When arms are said to differ."""
    return HOW_SURE.format(certainty=percent(CERTAINTY))


def shares_words(shares: VarianceShares, metric: str, has_differences: bool | None) -> str:
    """How to read the shares of variance."""
    if has_differences is False:
        return f"{NOTHING_SHOWS} {difference_words()} What does not show cannot be shared out."
    if len(shares.attributes) == 1:
        return (
            f"The arms are the levels of this one attribute, so it explains all of the variance in "
            f"{metric} between them."
        )
    rest = " The last line is what only combinations of attributes explain, not their sum."
    start = f"Some arms do better than others. {difference_words()} " if has_differences else ""
    unclear = any(not is_told(share) for share in shares.attributes.values())
    blank = " Where an interval is wider than half of the scale no bar is drawn." if unclear else ""
    return (
        f"{start}Each bar is the share of that variance in {metric} "
        f"that goes with one attribute alone, for the service on such inputs; arms weigh by their "
        f"items. Attributes that go together explain the same differences, so the shares need not "
        f"add up to 100%.{rest if shares.combinations else ''}{blank}"
    )


def is_told(share: Reading) -> bool:
    """Whether labels tell a share at all, by the rule for arms."""
    return not share.high - share.low > TOO_WIDE


def left_out(heat_map: HeatMap, rows: int, columns: int) -> str:
    """How many levels a heat map does not show."""
    missing: Iterable[tuple[int, str]] = (
        (len(heat_map.row_levels) - rows, heat_map.rows),
        (len(heat_map.column_levels) - columns, heat_map.columns),
    )
    return " ".join(f"{n} smaller levels of {name} are left out." for n, name in missing if n)
