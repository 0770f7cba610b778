"""Single numbers of the summary, and how they are written."""

from collections.abc import Iterable, Iterator, Sequence

from bench.celeba.plan import EXPLORING, GUESSED, READ_AT, SETTINGS, TABLE_AT, Setting
from bench.changes import is_apart
from bench.markdown import table
from bench.plan import Method, Study
from bench.summary import Average, Summary

Column = dict[Method, Average]
"""One measure of several methods, in one setting with so many labels."""


def has(summary: Summary, setting: Setting) -> bool:
    """Whether anything was run in a setting."""
    return any(study.case == setting.name for study, _ in summary.entries)


def has_guesses(summary: Summary) -> bool:
    """Whether anything was run with attributes that are only guessed."""
    return any(one.knowledge in GUESSED and has(summary, one) for one in SETTINGS)


def is_explored(summary: Summary, setting: Setting) -> bool:
    """Whether a policy that looks at the belief was run in a setting."""
    return any(
        study.case == setting.name and study.method in EXPLORING for study, _ in summary.entries
    )


def average_of(
    summary: Summary, setting: Setting, method: Method, measure: str, budget: int
) -> Average | None:
    """One number, if it was measured."""
    entry = summary.entries.get((Study(setting.name, method), budget))
    return None if entry is None else entry.averages.get(measure)


def column_of(
    summary: Summary, setting: Setting, methods: Iterable[Method], measure: str, budget: int
) -> Column:
    """One measure of those methods that have it."""
    found = {method: average_of(summary, setting, method, measure, budget) for method in methods}
    return {method: average for method, average in found.items() if average is not None}


def by_labels(
    summary: Summary, setting: Setting, methods: Sequence[Method], measure: str
) -> Iterator[str]:
    """A table with methods down and labels across."""
    columns = [column_of(summary, setting, methods, measure, budget) for budget in READ_AT]
    rows = (
        [str(method), *(cell(method, column) for column in columns)]
        for method in methods
        if any(method in column for column in columns)
    )
    yield from table(["method", *map(str, READ_AT)], rows)


def plain(summary: Summary, setting: Setting, method: Method, budget: int) -> str:
    """The macro error without comparison, empty where there is none."""
    average = average_of(summary, setting, method, "macro", budget)
    return "" if average is None else _written(average)


def share(summary: Summary, setting: Setting, method: Method, budget: int) -> str:
    """How many intervals hold the truth, in percent; empty where it is not known."""
    average = average_of(summary, setting, method, "coverage90", budget)
    return "" if average is None else f"{100 * average.mean:.1f}"


def cell(method: Method, column: Column) -> str:
    """A number of a column, bold where it is the lowest or as good."""
    if method not in column:
        return ""
    average = column[method]
    best = min(column.values(), key=lambda other: other.mean)
    is_close = None not in (best.error, average.error) and not is_apart(best, average)
    text = _written(average)
    return f"**{text}**" if average.mean == best.mean or is_close else text


def _written(average: Average) -> str:
    text = f"{average.mean:.2f}"
    return text if average.error is None else f"{text} ± {average.error:.2f}"


def mean_over_settings(summary: Summary, method: Method, measure: str) -> str:
    """A mean in three digits, empty where nothing was run."""
    found = [average_of(summary, setting, method, measure, TABLE_AT) for setting in SETTINGS]
    means = [one.mean for one in found if one is not None]
    return f"{sum(means) / len(means):.3f}" if means else ""
