"""docs/vetting.md: everything in it comes from the summary."""

from collections.abc import Iterator, Sequence

from bench.markdown import table
from bench.plan import Method
from bench.vetting.facts import Facts
from bench.vetting.goals import goals
from bench.vetting.plan import METHODS
from bench.vetting.summary import MEASURES, SHARES, Spread, Summary
from bench.vetting.words import INTRODUCTION, NOTE, TESTED
from spotheight.terminal.text import count, percent

FOLDER = "vetting"
"""Beside the page: where its plots lie."""

READ = (0.1, 0.25, 0.5)

MET = {True: "yes", False: "**no**", None: "-"}


def page(summary: Summary) -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION, *_goals(summary), TESTED]
    for name, facts in summary.cases.items():
        parts += _case(summary, name, facts)
    return "\n".join(parts).rstrip() + "\n"


def plot_name(case: str, noun: str) -> str:
    """The file of a plot, in the folder beside the page."""
    return f"{case}-{noun}.svg"


def _goals(summary: Summary) -> Iterator[str]:
    yield "## Figures to reach\n"
    yield NOTE
    rows = (
        [
            summary.cases[goal.case].title,
            goal.claim,
            goal.reached,
            _fewest(summary, goal.case, goal.methods),
            MET[goal.is_met],
        ]
        for goal in goals(summary)
        if goal.case in summary.cases
    )
    yield from table(["case", "asked", "reached", "runs", "met"], rows)


def _fewest(summary: Summary, case: str, methods: Sequence[Method]) -> str:
    """The runs of methods, with a dagger where an earlier model made some."""
    number = min(summary.runs(case, method) for method in methods)
    return f"{number}†" if any(summary.is_earlier(case, one) for one in methods) else str(number)


def _case(summary: Summary, name: str, facts: Facts) -> Iterator[str]:
    yield f"## {facts.title}\n"
    yield _about(facts)
    for noun, alt in (("error", "Error per list"), ("ranking", "Misranking")):
        yield f"![{alt} against share vetted, {facts.title}]({FOLDER}/{plot_name(name, noun)})\n"
    yield from _measure_table(summary, name, "list_error", summary.shares(name))
    yield "<details><summary>Means, gaps, ranking, intervals</summary>\n"
    for measure in MEASURES:
        if measure != "list_error":
            yield from _measure_table(summary, name, measure, READ)
    yield "</details>\n"


def _about(facts: Facts) -> str:
    truth = ", ".join(f"{name} {percent(mean)}" for name, mean in facts.truth.items())
    return (
        f"{count(facts.items)} items in {count(facts.categories)} categories, "
        f"{count(facts.listed)} of them to be vetted. True means: {truth}. {facts.about}\n"
    )


def _measure_table(
    summary: Summary, case: str, measure: str, shares: Sequence[float]
) -> Iterator[str]:
    """Methods down, shares vetted across."""
    columns = [_column(summary, case, measure, share) for share in shares]
    if not any(columns):
        return
    rows = [
        [
            str(method),
            _fewest(summary, case, (method,)),
            *(_cell(method, column, measure) for column in columns),
        ]
        for method in METHODS
        if summary.runs(case, method)
    ]
    yield f"**{MEASURES[measure]}**\n"
    yield from table(["method", "runs", *(f"{100 * share:g}%" for share in shares)], rows)


Column = dict[Method, Spread]


def _column(summary: Summary, case: str, measure: str, share: float) -> Column:
    found = {method: summary.spread(case, method, share, measure) for method in METHODS}
    return {method: spread for method, spread in found.items() if spread is not None}


def _cell(method: Method, column: Column, measure: str) -> str:
    if method not in column:
        return ""
    scale = 100 if measure in SHARES else 1
    one = column[method]
    digits = 1 if measure in SHARES and "width" not in measure else 2
    text = f"{scale * one.mean:.{digits}f}"
    if one.deviation is not None:
        text += f" ± {scale * one.deviation:.{digits}f}"
    is_best = one.mean == min(other.mean for other in column.values())
    return f"**{text}**" if is_best and measure.endswith("_error") else text
