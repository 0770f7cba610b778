"""Error and misranking against the share vetted, as SVG."""

from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from bench.drawing import SETTINGS, grid, shared_legend, svg
from bench.files import write_whole
from bench.plan import Method
from bench.vetting.page import plot_name
from bench.vetting.summary import MEASURES, SHARES, Summary

STYLES = {
    Method("vetted-only", "uniform"): ("#777777", "--"),
    Method("naive", "uniform"): ("#d55e00", "--"),
    Method("learned", "uniform"): ("#0072b2", "--"),
    Method("naive", "confident-mistake"): ("#d55e00", ":"),
    Method("counted", "expected-change"): ("#cc79a7", "-"),
    Method("learned", "confident-mistake"): ("#0072b2", ":"),
    Method("learned", "expected-change"): ("#0072b2", "-"),
    Method("learned", "gain"): ("#009e73", "-"),
    Method("kernel", "expected-change"): ("#cc79a7", "-"),
    Method("vetted-only", "random-images"): ("#777777", "--"),
}
"""A colour for each estimator (``gain`` has its own), a dashed line where items are random."""

ESTIMATORS = (*list(STYLES)[:3], Method("vetted-only", "random-images"))
"""The effect of the model: the same random items, three estimators."""

POLICIES = (Method("learned", "uniform"), *list(STYLES)[3:-1])
"""The effect of vetting: mostly one estimator, its items chosen differently."""

LEAST_ERROR = 0.01
"""A logarithmic axis knows no zero."""


def write_plots(summary: Summary, folder: Path) -> None:
    """Draw both plots of every case."""
    for case, facts in summary.cases.items():
        panels = {
            "error": (
                ("the effect of the model", ESTIMATORS, "list_error"),
                ("the effect of vetting", POLICIES, "list_error"),
            ),
            "ranking": (
                ("means", tuple(STYLES), "misranked"),
                ("single lists", tuple(STYLES), "misranked_lists"),
            ),
        }
        for noun, pair in panels.items():
            drawing = _plot(summary, case, facts.title, pair)
            write_whole(folder / plot_name(case, noun), drawing)


Panel = tuple[str, tuple[Method, ...], str]


def _plot(summary: Summary, case: str, title: str, panels: tuple[Panel, Panel]) -> str:
    """Two panels beside each other; the same summary gives the same letters."""
    with rc_context(SETTINGS):
        is_shared = panels[0][2] == panels[1][2]
        figure = Figure(figsize=(9.6, 3.6), layout="constrained")
        for axes, panel in zip(figure.subplots(1, 2, sharey=is_shared), panels, strict=True):
            _draw(axes, summary, case, panel)
            axes.set_title(f"{title}: {panel[0]}", loc="left", fontsize=9)
        shared_legend(figure, figure.axes)
        return svg(figure, title)


def _draw(axes: Axes, summary: Summary, case: str, panel: Panel) -> None:
    _, methods, measure = panel
    for method in methods:
        _draw_method(axes, summary, case, method=method, measure=measure)
    if measure not in SHARES:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("share vetted, in percent")
    axes.set_ylabel(MEASURES[measure].partition(" of pairs")[0])
    grid(axes)


def _draw_method(axes: Axes, summary: Summary, case: str, *, method: Method, measure: str) -> None:
    scale = 100 if measure in SHARES else 1
    points = []
    for share in summary.shares(case):
        spread = summary.spread(case, method, share, measure)
        if spread is not None and (measure in SHARES or spread.mean > LEAST_ERROR):
            deviation = 0.0 if measure in SHARES else spread.deviation or 0.0
            points.append((100 * share, scale * spread.mean, deviation))
    if points:
        x, y, deviations = zip(*points, strict=True)
        colour, line = STYLES[method]
        low = [min(d, 0.9 * v) for v, d in zip(y, deviations, strict=True)]
        axes.errorbar(
            x, y, yerr=(low, deviations), color=colour, linestyle=line, marker="o", markersize=3,
            linewidth=1.3, capsize=2, label=str(method),
        )  # fmt: skip
