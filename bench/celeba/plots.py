"""The paper's figures 3, 4, 5 and 14 in kind, as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.celeba.plan import ESTIMATORS, EXPLORING, FIRST_TRIED, RANDOM_READ_AT, SETTINGS, Setting
from bench.celeba.reading import average_of, has_guesses, is_explored
from bench.celeba.surface import QUANTILES, Statistics
from bench.celeba.words import KNOWN, MEASURES
from bench.drawing import SETTINGS as STYLE
from bench.drawing import grid, plain_numbers, shared_legend, svg
from bench.files import write_whole
from bench.plan import Method
from bench.summary import Summary

COLOURS = dict(
    zip(
        ESTIMATORS,
        ("#777777", "#bbbbbb", "#e69f00", "#d55e00", "#56b4e9", "#f0e442", "#cc79a7", "#009e73",
         "#000000", "#8c564b", "#0072b2"),
        strict=True,
    )
)  # fmt: skip
"""A colour for each estimator, in all plots the same."""

LINES = {"random": "--", "variance": ":", "gain": "-"}

CALIBRATION_COLOURS = {"raw": "#000000", "temp": "#0072b2", "full": "#d55e00"}
"""Those of figure 5; what it has not is grey."""


@dataclass(frozen=True)
class Curve:
    """A measure against labels: one method in one setting."""

    setting: Setting
    method: Method
    name: str
    colour: str

    def points(self, summary: Summary, measure: str) -> list[tuple[int, float, float]]:
        """Labels, mean and standard error, where they are known."""
        found = {
            budget: average_of(summary, self.setting, self.method, measure, budget)
            for budget in RANDOM_READ_AT
        }
        return [(b, one.mean, one.error or 0.0) for b, one in found.items() if one is not None]


def write_plots(summary: Summary, statistics: Statistics, folder: Path) -> None:
    """Draw all that have something to show."""
    write_whole(folder / "surface.svg", _surface(statistics))
    for name, (measure, panels) in _pictures(summary).items():
        drawn = {
            title: some
            for title, curves in panels.items()
            if (some := [one for one in curves if one.points(summary, measure)])
        }
        if drawn:
            write_whole(folder / f"{name}.svg", _curves(summary, measure, drawn))


Panels = Mapping[str, Sequence[Curve]]


def _pictures(summary: Summary) -> dict[str, tuple[str, Panels]]:
    """The pictures of curves that the page shows, by name: their measure and their panels."""
    pictures: dict[str, tuple[str, Panels]] = {}
    by_service: dict[str, list[Setting]] = {}
    for setting in SETTINGS:
        by_service.setdefault(setting.service, []).append(setting)
        if is_explored(summary, setting):
            panels = {_title(setting): _exploring(setting)}
            pictures[f"exploration-{setting.name}"] = ("macro", panels)
    for service, settings in by_service.items():
        panels = {_title(one): _random(one) for one in settings}
        pictures[f"estimation-{service}"] = ("worst50", panels)
    if has_guesses(summary):
        calibrations = {service: _calibrated(some) for service, some in by_service.items()}
        pictures["calibration"] = ("macro", calibrations)
    return pictures


def _title(setting: Setting) -> str:
    return f"{setting.service}, {KNOWN[setting.knowledge]}"


def _random(setting: Setting) -> list[Curve]:
    return [Curve(setting, Method(e, "random"), e, COLOURS[e]) for e in ESTIMATORS]


def _exploring(setting: Setting) -> list[Curve]:
    alone = dict.fromkeys(Method(method.estimator, "random") for method in EXPLORING)
    return [Curve(setting, m, str(m), COLOURS[m.estimator]) for m in (*alone, *EXPLORING)]


def _calibrated(settings: Sequence[Setting]) -> list[Curve]:
    colours = CALIBRATION_COLOURS
    return [
        Curve(one, FIRST_TRIED, KNOWN[one.knowledge], colours.get(one.knowledge, "#bbbbbb"))
        for one in settings
    ]


def _curves(summary: Summary, measure: str, panels: Panels) -> str:
    """Panels beside each other; the same summary gives the same letters."""
    with rc_context(STYLE):
        figure = Figure(figsize=(3.2 + 3.6 * len(panels), 3.6), layout="constrained")
        row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (title, curves) in zip(row, panels.items(), strict=True):
            for curve in curves:
                _draw(axes, curve, curve.points(summary, measure))
            _label(axes, title, MEASURES[measure])
        shared_legend(figure, figure.axes)
        return svg(figure, f"{MEASURES[measure]} against labels")


def _draw(axes: Axes, curve: Curve, points: Sequence[tuple[int, float, float]]) -> None:
    labels, means, errors = (list(part) for part in zip(*points, strict=True))
    axes.errorbar(
        labels, means, yerr=errors, color=curve.colour, linestyle=LINES[curve.method.policy],
        marker="o", markersize=3, linewidth=1.3, capsize=2, label=curve.name,
    )  # fmt: skip


def _label(axes: Axes, title: str, measure: str) -> None:
    axes.set_yscale("log")
    plain_numbers(axes.yaxis)
    axes.set_xlabel("labels")
    axes.set_ylabel(measure)
    axes.set_title(title, loc="left", fontsize=9)
    grid(axes)


def _surface(statistics: Statistics) -> str:
    """Quantiles of arms' accuracy, and the worst arms, a colour for each service."""
    with rc_context(STYLE):
        figure = Figure(figsize=(9.6, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        for place, (name, one) in enumerate(statistics.services.items()):
            colour = ("#0072b2", "#d55e00")[place]
            heights = (*one.quantiles, one.macro, one.accuracy)
            places = [number + 0.4 * place - 0.2 for number in range(len(heights))]
            left.bar(places, [100 * h for h in heights], 0.4, color=colour, label=name)
            ranks = range(1, len(one.worst) + 1)
            right.plot(ranks, [100 * h for h in one.worst], "o-", color=colour, markersize=3)
        names = [*(f"{100 * q:g}%" for q in QUANTILES), "arms\nalike", "all\nitems"]
        left.set_xticks(range(len(names)), names)
        left.set_ylabel("accuracy, in percent")
        left.set_title("Quantiles over arms with at least 5 items", loc="left", fontsize=9)
        left.legend(frameon=False)
        right.set_title("The worst arms", loc="left", fontsize=9)
        right.set_xlabel("rank")
        return svg(figure, "Accuracy of arms")
