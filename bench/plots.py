"""Error and coverage against labels, for the key cases, as SVG."""

from collections.abc import Collection, Mapping
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from bench.drawing import SETTINGS, grid, plain_numbers, svg
from bench.facts import Facts
from bench.files import write_whole
from bench.plan import Method
from bench.summary import Summary
from bench.tables import BAND, COVERAGE, MACRO, Column, Measure, columns_of, plot_name

DRAWN = {
    Method("additive", "gain"): ("#0072b2", "-"),
    Method("additive", "random"): ("#0072b2", "--"),
    Method("eb-beta", "gain"): ("#d55e00", "-"),
    Method("eb-beta", "random"): ("#d55e00", "--"),
    Method("beta", "thompson"): ("#009e73", "-"),
    Method("pooled", "random"): ("#777777", "--"),
}
"""A colour for each estimator, a solid line where labels are chosen; the rest is in the tables."""

LOWEST_COVERAGE = 60.0


def write_plots(summary: Summary, folder: Path) -> None:
    """Draw both plots of every key case."""
    for case, facts in summary.cases.items():
        if facts.is_key:
            for measure in (MACRO, COVERAGE):
                drawing = plot(facts, columns_of(summary, case), measure)
                write_whole(folder / plot_name(case, measure.name), drawing)


def plot(facts: Facts, columns: Mapping[int, Column], measure: Measure) -> str:
    """One measure against labels, as SVG; the same summary gives the same letters."""
    with rc_context(SETTINGS):
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.add_subplot()
        draw_methods(axes, columns, measure)
        if measure == COVERAGE:
            _draw_band(axes)
        else:
            draw_published(axes, facts, measure)
        _label(axes, facts, columns, measure)
        return svg(figure, f"{facts.title}: {measure.title}")


def draw_methods(
    axes: Axes,
    columns: Mapping[int, Column],
    measure: Measure,
    methods: Collection[Method] = DRAWN.keys(),
) -> None:
    """Methods of ``DRAWN`` against labels."""
    scale = 100 if measure == COVERAGE else 1
    for method in methods:
        colour, line = DRAWN[method]
        points = [
            (budget, scale * average.mean, scale * (average.error or 0.0))
            for budget, column in columns.items()
            if method in column
            and (average := column[method].averages.get(measure.name)) is not None
        ]
        if any(value >= _floor(measure) for _, value, _ in points):
            labels, means, errors = zip(*points, strict=True)
            name = f"{method.estimator}, {method.policy}"
            axes.errorbar(
                labels, means, yerr=errors, color=colour, linestyle=line, marker="o", markersize=3,
                linewidth=1.3, capsize=2, label=name,
            )  # fmt: skip


def _floor(measure: Measure) -> float:
    """What lies below is not drawn: it would squeeze everything else."""
    return LOWEST_COVERAGE if measure == COVERAGE else 0.0


def _draw_band(axes: Axes) -> None:
    axes.set_ylim(LOWEST_COVERAGE, 100)
    low, high = (100 * end for end in BAND)
    axes.axhspan(low, high, color="#cccccc", alpha=0.5, linewidth=0)
    axes.axhline(90, color="#555555", linewidth=0.8)


def draw_published(axes: Axes, facts: Facts, measure: Measure) -> None:
    """What others reached, as a bar from the lowest to the highest."""
    for published in facts.published:
        if measure.name in published.ranges:
            ends = published.ranges[measure.name]
            name = f"{published.name}, {published.policy}"
            axes.plot(
                [published.budget] * 2, ends, color="#bbbbbb", linewidth=5, zorder=1, label=name
            )


def _label(axes: Axes, facts: Facts, columns: Mapping[int, Column], measure: Measure) -> None:
    axes.set_xscale("log")
    axes.set_xticks(list(columns), [str(budget) for budget in columns])
    axes.xaxis.set_minor_locator(NullLocator())
    if measure != COVERAGE:
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
    axes.set_xlabel("labels")
    axes.set_ylabel(measure.title)
    axes.set_title(facts.title, loc="left")
    grid(axes)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
