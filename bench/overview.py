"""The three plots of docs/benchmarks.md, as SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from bench.drawing import SETTINGS, grid, shared_legend, svg
from bench.files import write_whole
from bench.front import GAIN, KEY_METHODS, RANDOM, RIVAL_GAIN, RIVAL_RANDOM
from bench.plots import draw_methods, draw_published
from bench.standing import Standing, average
from bench.summary import Summary
from bench.tables import BAND, COVERAGE, MACRO, columns_of

LABELS = 500

ERRORS, RATIOS = (0.5, 1, 2, 5, 10), (0.05, 0.1, 0.2, 0.5, 1)
"""Marks of the axes."""

CHOSEN, DRAWN = "#0072b2", "#d55e00"
"""Labels that ``gain`` chose, and labels at random."""


def write_overview(summary: Summary, folder: Path) -> None:
    """Draw them; nothing where there is nothing to be drawn."""
    for name, figure in drawings(summary).items():
        with rc_context(SETTINGS):
            write_whole(folder / f"{name}.svg", svg(figure, name))


def drawings(summary: Summary) -> Mapping[str, Figure]:
    """By the names of their files."""
    with rc_context(SETTINGS):
        return {
            "key-cases": _key_cases(summary),
            "all-cases": _all_cases(summary),
            "coverage": _coverage(summary),
        }


def _key_cases(summary: Summary) -> Figure:
    """A panel for each key case."""
    key = {name: facts for name, facts in summary.cases.items() if facts.is_key}
    figure = Figure(figsize=(10.5, 3.4), layout="constrained")
    for place, (name, facts) in enumerate(key.items()):
        columns = columns_of(summary, name)
        first = figure.axes[0] if figure.axes else None
        axes = figure.add_subplot(1, len(key), place + 1, sharey=first)
        draw_methods(axes, columns, MACRO, KEY_METHODS)
        draw_published(axes, facts, MACRO)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_yticks(ERRORS, [f"{error:g}" for error in ERRORS])
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xticks(list(columns), [str(labels) for labels in columns])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("labels")
        axes.set_title("\n".join(wrap(facts.title, 26)), loc="left", fontsize=9)
        grid(axes)
    if figure.axes:
        figure.axes[0].set_ylabel(MACRO.title)
        shared_legend(figure, figure.axes)
    return figure


def _all_cases(summary: Summary) -> Figure:
    """A row for each case: how far the error is below that of the rival."""
    duels = {
        "labels chosen by gain": (CHOSEN, GAIN, RIVAL_GAIN),
        "labels at random": (DRAWN, RANDOM, RIVAL_RANDOM),
    }
    titles = [facts.title for facts in summary.cases.values()][::-1]
    figure, axes = _rows(titles)
    for name, (colour, ours, theirs) in duels.items():
        duel = Standing.of(summary, ours, theirs, labels=LABELS, measure=MACRO.name)
        ratios = {pair.case: pair.ratio for pair in duel.pairs}
        _dots(axes, titles, ratios, colour, name)
    axes.axvline(1, color="#555555", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks(RATIOS, [f"{ratio:g}" for ratio in RATIOS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(f"error of additive as a share of that of eb-beta, {LABELS} labels")
    return figure


def _coverage(summary: Summary) -> Figure:
    """A row for each case: how many intervals hold the truth."""
    titles = [facts.title for facts in summary.cases.values()][::-1]
    figure, axes = _rows(titles)
    for name, colour, method in (
        ("labels chosen by gain", CHOSEN, GAIN),
        ("labels at random", DRAWN, RANDOM),
    ):
        found = {
            facts.title: 100 * one.mean
            for case, facts in summary.cases.items()
            if (one := average(summary, case, method, LABELS, COVERAGE.name)) is not None
        }
        _dots(axes, titles, found, colour, name)
    low, high = (100 * end for end in BAND)
    axes.axvspan(low, high, color="#cccccc", alpha=0.5, linewidth=0)
    axes.axvline(90, color="#555555", linewidth=0.8)
    axes.set_xlim(75, 100)
    axes.set_xlabel(f"90% intervals of additive that hold the truth, in percent, {LABELS} labels")
    return figure


def _rows(titles: Sequence[str]) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8.4, 1 + 0.17 * len(titles)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yticks(range(len(titles)), titles, fontsize=7)
    axes.set_ylim(-0.7, len(titles) - 0.3)
    grid(axes)
    return figure, axes


def _dots(
    axes: Axes, titles: Sequence[str], values: Mapping[str, float], colour: str, name: str
) -> None:
    places = [place for place, title in enumerate(titles) if title in values]
    points = [values[titles[place]] for place in places]
    axes.plot(points, places, "o", color=colour, markersize=4, label=name)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, 1.08), ncols=2)
