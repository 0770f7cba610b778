"""docs/twins.md: the coverage of every case beside that of its twins."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean, variance

from bench.markdown import table
from bench.plan import Method, Study
from bench.summary import Average, Summary
from bench.tables import BAND, COVERAGE, GLANCE_COVERAGE
from bench.twins.cases import MARK
from spotheight.terminal.text import count

COLUMNS = GLANCE_COVERAGE
"""Methods of the default estimator, and labels."""

EARLY_BAND, EARLY = (0.85, 0.95), 200
"""Where coverage should lie with so few labels."""

FAR = 2.0
"""Standard deviations of a twin, beyond which a case is no longer like its twins."""

INTRODUCTION = """\
# Twins: what coverage can be asked for

How often should the 90% intervals of one case hold the truth, were the model behind `additive`
exactly right? Not in 90% of its arms. The prior speaks of all services and pools together: over
them 90% is right. A pool that is more uneven than most is held less often while labels are few, one
that is more even than most more often, and no model can tell which it is before labels do.

A **twin** of a case shows how much: the same items, answers, scores and arms, but hits drawn from
one surface that the real labels (at most 30,000) make plausible. In a twin nothing is missing from
the model, and its terms reach as far as those of the real case. This page is written by
`python -m bench.twins` from `docs/twins.json` and, for the real cases, `docs/benchmarks.json`:

    python -m bench.twins                              # all of it, about an hour
    python -m bench.twins --case 'command*'            # some cases
    python -m bench.twins --minutes 0                  # only write this page anew
"""

READING = """\
Coverage of 90% intervals in percent, over arms not fully labelled: of the real case, and behind it
the mean over its twins. Bold: the case differs from its twins by more than {far:g} standard
deviations of a single twin, which chance alone does to one cell in twenty. The deviation is pooled
over cases, as falling with the root of the number of arms.
"""

COUNTING = """\
How many of these lie in the band that one would wish for, and how many differ. Where the twins are
not in it, no term is missing: labels do not yet say how uneven the pool is. Where a case lies lower
than its twins on average, something is, though little. The last row has points and their standard
error over cases.
"""


@dataclass(frozen=True)
class Cell:
    """One case at one column: the real coverage, and that of each twin."""

    arms: int
    real: float | None
    twins: tuple[float, ...]

    @property
    def gap(self) -> float | None:
        """By how much the case is held more often than its twins are."""
        return None if self.real is None else self.real - fmean(self.twins)


Column = tuple[Method, int]
Grid = dict[Column, dict[str, Cell]]
"""By column, then by case."""


def page(twins: Summary, real: Summary) -> str:
    """The whole page as Markdown."""
    grid = {column: _cells(twins, real, column) for column in COLUMNS}
    names = [name for name in real.cases if any(name in cells for cells in grid.values())]
    heads = [f"{method.policy}, {count(budget)}" for method, budget in COLUMNS]
    unit = {column: _unit_spread(list(grid[column].values())) for column in COLUMNS}
    parts = [INTRODUCTION, READING.format(far=FAR)]
    rows = [
        [real.cases[name].title, *(_written(grid[c].get(name), unit[c]) for c in COLUMNS)]
        for name in names
    ]
    rows.append(["*all cases*", *(_mean(list(grid[column].values())) for column in COLUMNS)])
    parts += table(["case", *heads], rows)
    parts += [COUNTING]
    parts += table(["", *heads], list(_counts(grid, unit)))
    return "\n".join(parts).rstrip() + "\n"


def _cells(twins: Summary, real: Summary, column: Column) -> dict[str, Cell]:
    method, budget = column
    found: dict[str, list[float]] = {}
    arms: dict[str, int] = {}
    for name, facts in twins.cases.items():
        coverage = _coverage(twins, name, method, budget)
        if coverage is not None:
            case = name.rpartition(MARK)[0]
            found.setdefault(case, []).append(coverage)
            arms[case] = facts.judged_arms
    return {
        case: Cell(arms[case], _coverage(real, case, method, budget), tuple(values))
        for case, values in found.items()
    }


def _coverage(summary: Summary, case: str, method: Method, budget: int) -> float | None:
    entry = summary.entries.get((Study(case, method), budget))
    average = entry.averages.get(COVERAGE.name) if entry else None
    return None if average is None else average.mean


def _unit_spread(cells: list[Cell]) -> float:
    """The standard deviation between twins of a case with one arm, pooled."""
    scaled = [variance(cell.twins) * cell.arms for cell in cells if len(cell.twins) > 1]
    return fmean(scaled) ** 0.5 if scaled else 0.0


def _is_far(cell: Cell, unit: float) -> bool:
    """Whether a case is unlike its twins, of whose mean we know only so much."""
    spread = unit * ((1 + 1 / len(cell.twins)) / cell.arms) ** 0.5
    return cell.gap is not None and abs(cell.gap) > FAR * spread > 0


def _written(cell: Cell | None, unit: float) -> str:
    if cell is None:
        return ""
    real = "" if cell.real is None else f"{100 * cell.real:.1f}"
    twins = f"{100 * fmean(cell.twins):.1f}"
    return f"**{real}** / {twins}" if _is_far(cell, unit) else f"{real} / {twins}"


def _mean(cells: list[Cell]) -> str:
    real = [cell.real for cell in cells if cell.real is not None]
    twins = [fmean(cell.twins) for cell in cells]
    return f"{100 * fmean(real):.1f} / {100 * fmean(twins):.1f}" if real and twins else ""


def _counts(grid: Grid, unit: dict[Column, float]) -> Iterator[list[str]]:
    yield ["band", *(_percents(_band(column)) for column in COLUMNS)]
    real = {c: [cell.real for cell in grid[c].values() if cell.real is not None] for c in COLUMNS}
    yield ["cases in it", *(_share(real[c], _band(c)) for c in COLUMNS)]
    drawn = {c: [value for cell in grid[c].values() for value in cell.twins] for c in COLUMNS}
    yield ["twins in it", *(_share(drawn[c], _band(c)) for c in COLUMNS)]
    means = {c: [fmean(cell.twins) for cell in grid[c].values()] for c in COLUMNS}
    yield ["means of twins in it", *(_share(means[c], _band(c)) for c in COLUMNS)]
    far = (sum(_is_far(cell, unit[c]) for cell in grid[c].values()) for c in COLUMNS)
    yield ["cases unlike their twins", *map(str, far)]
    yield ["a case less its twins", *(_mean_gap(list(grid[c].values())) for c in COLUMNS)]


def _mean_gap(cells: list[Cell]) -> str:
    """In points, with the standard error over cases."""
    gaps = [100 * cell.gap for cell in cells if cell.gap is not None]
    average = Average.of(gaps) if gaps else None
    if average is None:
        return ""
    return f"{average.mean:+.1f}" + ("" if average.error is None else f" ± {average.error:.1f}")


def _band(column: Column) -> tuple[float, float]:
    return EARLY_BAND if column[1] <= EARLY else BAND


def _percents(band: tuple[float, float]) -> str:
    return f"{100 * band[0]:.0f} to {100 * band[1]:.0f}"


def _share(values: list[float], band: tuple[float, float]) -> str:
    inside = sum(band[0] <= value <= band[1] for value in values)
    return f"{inside} of {len(values)}"
