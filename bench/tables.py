"""docs/benchmarks/tables.md: every table, from the summary alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.changes import is_apart
from bench.facts import Facts, Published
from bench.markdown import filled, table
from bench.plan import Method, Study
from bench.summary import Average, Entry, Summary
from bench.words import OVERALL_SAID, POOLS_DIFFER, TABLES
from spotheight.terminal.text import count, percent

GLANCE = (Method("eb-beta", "random"), Method("additive", "random"), Method("additive", "gain"))
GLANCE_BUDGET = 500

GLANCE_COVERAGE = (
    *((Method("additive", "random"), budget) for budget in (200, 500, 2000)),
    *((Method("additive", "gain"), budget) for budget in (200, 500)),
)

GLANCE_OVERALL = (200, 500)
"""Labels chosen by ``gain``, after which the overall number is looked at."""

BAND = (0.87, 0.93)
"""Where the coverage of nominal 90% intervals should lie."""


@dataclass(frozen=True)
class Measure:
    """A table of the page."""

    name: str
    title: str


MACRO = Measure("macro", "Macro error")
WORST = Measure("worst50", "Worst-50 error")
COVERAGE = Measure("coverage90", "Coverage of 90% intervals, in percent")
HELD = Measure("overall90", "The overall number is held, in percent")
OFF = Measure("overall_error", "The overall number is off, in points")
SHARES = (COVERAGE, HELD, OFF)
"""Measures that are kept as shares of one."""

Column = Mapping[Method, Entry]
"""The entries of one case at one budget."""


def page(summary: Summary) -> str:
    """The whole page as Markdown."""
    low, high = BAND
    parts = [filled(TABLES, low=low, high=high), *_glance(summary)]
    for name, facts in summary.cases.items():
        parts += _case(name, facts, columns_of(summary, name))
    return "\n".join(parts).rstrip() + "\n"


def columns_of(summary: Summary, case: str) -> dict[int, dict[Method, Entry]]:
    """The entries of a case by budget and method."""
    columns: dict[int, dict[Method, Entry]] = {}
    for (study, budget), entry in summary.entries.items():
        if study.case == case:
            columns.setdefault(budget, {})[study.method] = entry
    return {budget: columns[budget] for budget in sorted(columns)}


def plot_name(case: str, measure: str) -> str:
    """The file of a plot, beside the page."""
    return f"{case}-{measure}.svg"


def _glance(summary: Summary) -> Iterator[str]:
    yield "## At a glance\n"
    yield f"Macro error after {GLANCE_BUDGET} labels.\n"
    names = [f"{method.estimator}, {method.policy}" for method in GLANCE]
    yield from table(["case", "items", "arms", "accuracy", *names], _glance_rows(summary))
    yield "Coverage of the 90% intervals of `additive` in percent, by policy and labels.\n"
    names = [f"{method.policy}, {count(budget)}" for method, budget in GLANCE_COVERAGE]
    yield from table(["case", *names], _coverage_rows(summary))
    yield POOLS_DIFFER
    yield OVERALL_SAID
    names = [f"{what}, {budget}" for budget in GLANCE_OVERALL for what in ("held", "off")]
    yield from table(["case", "seeds", *names], _overall_rows(summary))


def _glance_rows(summary: Summary) -> Iterator[list[str]]:
    for name, facts in summary.cases.items():
        found = {
            method: summary.entries.get((Study(name, method), GLANCE_BUDGET)) for method in GLANCE
        }
        column = {method: entry for method, entry in found.items() if entry is not None}
        cells = [cell(method, column, MACRO) for method in GLANCE]
        accuracy = percent(facts.accuracy)
        yield [facts.title, count(facts.items), count(facts.judged_arms), accuracy, *cells]


def _coverage_rows(summary: Summary) -> Iterator[list[str]]:
    for name, facts in summary.cases.items():
        columns = columns_of(summary, name)
        cells = [cell(m, columns.get(budget, {}), COVERAGE) for m, budget in GLANCE_COVERAGE]
        yield [facts.title, *cells]
    means = (_mean_over_cases(summary, m, budget, COVERAGE) for m, budget in GLANCE_COVERAGE)
    yield ["*all cases*", *means]


def _overall_rows(summary: Summary) -> Iterator[list[str]]:
    gain = Method("additive", "gain")
    shown = [(budget, measure) for budget in GLANCE_OVERALL for measure in (HELD, OFF)]
    for name, facts in summary.cases.items():
        entries = {b: summary.entries.get((Study(name, gain), b)) for b in GLANCE_OVERALL}
        found = [(_average(entries[budget], measure), measure) for budget, measure in shown]
        number = seeds([entry.seeds for entry in entries.values() if entry] or [0])
        yield [facts.title, number, *("" if a is None else written(a, m) for a, m in found)]
    means = (_mean_over_cases(summary, gain, budget, measure) for budget, measure in shown)
    yield ["*all cases*", "", *means]


def _mean_over_cases(summary: Summary, method: Method, budget: int, measure: Measure) -> str:
    """Each case alike; the error is that over cases."""
    found = (summary.entries.get((Study(name, method), budget)) for name in summary.cases)
    means = [one.mean for one in (_average(entry, measure) for entry in found) if one is not None]
    return written(Average.of(means), measure) if means else ""


def _case(name: str, facts: Facts, columns: Mapping[int, Column]) -> Iterator[str]:
    yield f"## {facts.title}\n"
    yield _about(facts)
    if facts.is_key:
        for measure in (MACRO, COVERAGE):
            alt = f"{measure.title} against labels, {facts.title}"
            yield f"![{alt}]({plot_name(name, measure.name)})\n"
    else:
        yield "<details><summary>Tables</summary>\n"
    for holdout in sorted({method.holdout for column in columns.values() for method in column}):
        for measure in (MACRO, WORST, COVERAGE):
            yield from _measure_table(measure, holdout, columns, () if holdout else facts.published)
    if not facts.is_key:
        yield "</details>\n"


def _about(facts: Facts) -> str:
    """One sentence on what the case is."""
    attributes = ", ".join(f"`{name}`" for name in facts.attributes)
    score = "with its score" if facts.has_score else "without a score"
    return (
        f"{count(facts.items)} items, {facts.service} {score}, right in {percent(facts.accuracy)}; "
        f"{count(facts.arms)} arms, {count(facts.judged_arms)} of them with at least 5 items, "
        f"cut by {attributes}.\n"
    )


def _measure_table(
    measure: Measure, holdout: float, columns: Mapping[int, Column], published: Sequence[Published]
) -> Iterator[str]:
    """Estimators and policies down, budgets across."""
    held = {b: {m: e for m, e in c.items() if m.holdout == holdout} for b, c in columns.items()}
    methods = sorted({method for column in held.values() for method in column})
    rows = [
        [
            method.estimator,
            method.policy,
            seeds([column[method].seeds for column in held.values() if method in column]),
            *(cell(method, column, measure) for column in held.values()),
        ]
        for method in methods
    ]
    rows += [_published_row(one, measure, held) for one in published if measure.name in one.ranges]
    yield f"**{measure.title}**{', held out' if holdout else ''}\n"
    yield from table(["estimator", "policy", "seeds", *map(str, held)], rows)


def _published_row(
    published: Published, measure: Measure, budgets: Mapping[int, Column]
) -> list[str]:
    low, high = published.ranges[measure.name]
    cells = [f"{low:g} to {high:g}" if budget == published.budget else "" for budget in budgets]
    return [f"*{published.name}*", published.policy, "", *cells]


def seeds(numbers: Sequence[int]) -> str:
    """How many there are, or from how many to how many."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def cell(method: Method, column: Column, measure: Measure) -> str:
    """A number of a column, bold where it is the best or as good; empty where it is not there."""
    average = _average(column.get(method), measure)
    if average is None:
        return ""
    text = written(average, measure)
    return f"**{text}**" if _is_bold(average, column, measure) else text


def _average(entry: Entry | None, measure: Measure) -> Average | None:
    return None if entry is None else entry.averages.get(measure.name)


def _is_bold(average: Average, column: Column, measure: Measure) -> bool:
    if measure == COVERAGE:
        return BAND[0] <= average.mean <= BAND[1]
    others = (_average(entry, measure) for entry in column.values())
    best = min((other for other in others if other is not None), key=lambda other: other.mean)
    is_close = None not in (best.error, average.error) and not is_apart(best, average)
    return average.mean == best.mean or is_close


def written(average: Average, measure: Measure) -> str:
    """Errors below one keep a digit more: there the methods are close."""
    scale, digits = (100, 1) if measure in SHARES else (1, 3 if average.mean < 1 else 2)
    text = f"{scale * average.mean:.{digits}f}"
    return text if average.error is None else f"{text} ± {scale * average.error:.{digits}f}"
