"""A report as one HTML file that asks nothing of anybody: it works offline, on paper, by phone."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from math import isnan
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined

from spotheight.beliefs.reading import Reading
from spotheight.render import charts
from spotheight.render.charts import Axis, count, digits_for, interval, percent
from spotheight.report import ArmRow, HeatMap, HistoryPoint, Report, ServiceRow

NAMED_ARMS = 60  # more rows than this are easier read as one figure
DRAWN_ARMS = 240  # closer than this, dots on a phone are one line
PANEL_LEVELS = 30
HEAT_LEVELS = 40  # a side; wider tables are scrolled, not read
LACKING_ROWS = 50
SHADES = 8  # of the ramp in page.css, from the darkest (lowest) to the lightest
LONG_TEXT = 80  # characters; longer provenance folds away

ESTIMANDS = {
    "pool": "Pool: these items. What was labelled is known; the interval is about the rest.",
    "rate": "Rate: the service on such inputs. The labelled items are a sample of them.",
}
Row = TypeVar("Row")
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


@dataclass(frozen=True, slots=True)
class Panel:
    """The levels of one attribute that are drawn, and how many are not."""

    name: str
    rows: Sequence[ArmRow]
    left_out: int


def render_html(report: Report) -> str:
    """The report as one self-contained page; the same report gives the same page."""
    environment = Environment(
        loader=PackageLoader("spotheight", "render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = {name: getattr(charts, name) for name in ("percent", "interval", "count", "reading")}
    environment.filters.update(words, digest=_digest, share_words=share_words)
    environment.globals.update(digits_for=digits_for, is_thin=charts.is_thin, isnan=isnan)
    return environment.get_template("template.html").render(
        report=report,
        metric=report.metric[:1].upper() + report.metric[1:],
        level=f"{100 * report.level:g}%",
        style=_source("page.css"),
        script=_source("page.js"),
        estimand=ESTIMANDS.get(report.estimand, report.estimand),
        finding=finding(report),
        long_text=LONG_TEXT,
        **_services(report),
        **_quantiles(report),
        **_arms(report),
        **_tables(report),
        **_heat(report),
    )


def finding(report: Report) -> str:
    """What was found, in one sentence."""
    overall, metric = report.overall, report.metric
    labels, items = _counted(report.n_labelled, "label"), _counted(report.n_pool, "item")
    if isnan(overall.mean):
        return f"There is no estimate of {metric} yet, with {labels} for {items}."
    basis = (
        f"{labels} of {items}" if report.n_labelled < report.n_pool else f"labels of all {items}"
    )
    number = f"about {percent(overall.mean, digits_for(overall.low, overall.high))}"
    within = f"{100 * report.level:g}% interval {interval(overall.low, overall.high)}"
    service = f"The service {report.service}" if len(report.services) > 1 else "The service"
    place = "this pool" if report.estimand == "pool" else "inputs like these"
    if metric == "accuracy":
        return f"{service} is right on {number} of {place} ({within}), judged from {basis}."
    return f"{service} has {metric} of {number} on {place} ({within}), judged from {basis}."


def _counted(number: float, noun: str) -> str:
    return f"{count(number) if number else 'no'} {noun}{'' if number == 1 else 's'}"


def share_words(share: float) -> str:
    """A share of the arms as people say it, up to the verb.

    >>> share_words(0.1), share_words(0.37)
    ('A tenth of the arms are', '37% of the arms are')
    """
    return SHARES.get(round(share, 6), f"{100 * share:g}% of the arms are")


def thinned(rows: Sequence[Row], most: int) -> Sequence[Row]:
    """At most ``most`` rows, evenly spaced, both ends kept."""
    if len(rows) <= most:
        return rows
    return [rows[round(k * (len(rows) - 1) / (most - 1))] for k in range(most)]


def _source(name: str) -> str:
    return files("spotheight.render").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What a content security policy calls a script, so that no other one runs."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _bounds(rows: Iterable[ArmRow | Reading]) -> list[float]:
    return [value for row in rows for value in (row.mean, row.low, row.high)]


def _drawing(rows: Iterable[ArmRow], reference: float) -> dict[str, Any]:
    """A common axis for some rows, and how each of them is drawn on it."""
    axis = Axis.around([*_bounds(rows), reference])
    draw = partial(charts.bar, axis=axis, reference=reference)
    return {"axis": axis, "ruler": charts.ruler(axis), "bar": draw}


def _services(report: Report) -> dict[str, Any]:
    rows = [(service, _as_row(service), lead_words(service.lead)) for service in report.services]
    return {
        "services": rows,
        "service_drawing": _drawing([row for _, row, _ in rows], float("nan")),
    }


def _as_row(service: ServiceRow) -> ArmRow:
    whole = service.overall
    sizes = (whole.n_pool, whole.n_labelled)
    return ArmRow(service.name, (), *sizes, whole.mean, whole.low, whole.high, "")


def lead_words(lead: Reading | None) -> tuple[str, str]:
    """A paired lead in points with its interval, and what to make of it."""
    if lead is None:
        return "\N{EN DASH}", "reference"
    if isnan(lead.mean):
        return "no estimate", "nothing to compare yet"
    low, high = (_points(value) for value in (lead.low, lead.high))
    if lead.low <= 0 <= lead.high:
        verdict = "too close to call"
    else:
        verdict = "ahead" if lead.mean > 0 else "behind"
    return f"{_points(lead.mean)} points ({low} to {high})", verdict


def _points(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "\N{MINUS SIGN}").replace("+0.0", "0.0")


def _quantiles(report: Report) -> dict[str, Any]:
    means = [row.mean for row in _sorted(report.arms)]
    axis = Axis.around([*means, *(value for _, value in report.quantiles)])
    strokes = [row.mean for row in thinned(_sorted(report.arms), DRAWN_ARMS)]
    return {
        "quantile_ruler": charts.ruler(axis),
        "quantile_tick": partial(charts.tick, axis=axis),
        "rug": charts.rug(strokes, axis, f"{count(len(strokes))} arms, each a stroke"),
    }


def _sorted(rows: Iterable[ArmRow]) -> list[ArmRow]:
    return sorted(
        (row for row in rows if not isnan(row.mean)), key=lambda row: (row.mean, row.name)
    )


def _arms(report: Report) -> dict[str, Any]:
    known = _sorted(report.arms)
    drawn = thinned(known, DRAWN_ARMS)
    drawing = _drawing(drawn, report.overall.mean)
    words = f"{count(len(drawn))} arms sorted by {report.metric}"
    if drawn:
        ends = (percent(drawn[0].mean), percent(drawn[-1].mean))
        words += f"\nFrom {ends[0]} on the left to {ends[1]} on the right, each with its interval."
    return {
        "arms_known": known,
        "arms_drawn": drawn,
        "arms_are_named": len(known) <= NAMED_ARMS,
        "arms_drawing": drawing,
        "arms_figure": charts.arm_dots(drawn, drawing["axis"], report.overall.mean, words),
    }


def _tables(report: Report) -> dict[str, Any]:
    panels = [_panel(name, rows) for name, rows in report.margins.items()]
    shown = report.lacking[:LACKING_ROWS]
    past = thinned([point for point in report.history if not isnan(point.mean)], DRAWN_ARMS)
    return {
        "panels": panels,
        "panel_drawing": _drawing([row for p in panels for row in p.rows], report.overall.mean),
        "table_drawing": _drawing([*report.worst, *shown], report.overall.mean),
        "lacking": shown,
        "past": past,
        "history": charts.history(past, _history_words(report.metric, past)),
    }


def _history_words(metric: str, past: Sequence[HistoryPoint]) -> str:
    title = f"Overall {metric} against labels spent"
    if not past:
        return title
    first, last = past[0], past[-1]
    return (
        f"{title}\nFrom {charts.reading(first)} after {count(first.labels)} labels"
        f" to {charts.reading(last)} after {count(last.labels)}."
    )


def _panel(name: str, rows: Sequence[ArmRow]) -> Panel:
    kept = _largest([row.n_pool for row in rows], PANEL_LEVELS)
    return Panel(name, [rows[k] for k in kept], len(rows) - len(kept))


def _largest(sizes: Sequence[float], most: int) -> list[int]:
    """Where the largest sizes are, in the order they came in."""
    return sorted(sorted(range(len(sizes)), key=lambda k: -sizes[k])[:most])


def _heat(report: Report) -> dict[str, Any]:
    cells = [cell for heat_map in report.heat_maps for cell in heat_map.cells.values()]
    axis = Axis.around((cell.mean for cell in cells), most=SHADES)
    legend = [(_shade(edge, axis), percent(edge)) for edge in axis.marks[:-1]]
    maps = [_heat_map(heat_map, axis) for heat_map in report.heat_maps]
    names = dict.fromkeys(name for each in maps for name in (each["rows"], each["columns"]))
    return {
        "heat_maps": maps,
        "heat_names": list(names),
        "legend": legend,
        "legend_end": percent(axis.marks[-1]),
    }


def _heat_map(heat_map: HeatMap, axis: Axis) -> dict[str, Any]:
    """A heat map as the page and its script both read it: all text, ready to be set."""
    sizes: dict[tuple[int, str], float] = {}
    for pair, cell in heat_map.cells.items():
        for key in enumerate(pair):
            sizes[key] = sizes.get(key, 0.0) + cell.n_pool
    rows, columns = (
        [levels[k] for k in _largest([sizes.get((side, x), 0.0) for x in levels], HEAT_LEVELS)]
        for side, levels in enumerate((heat_map.row_levels, heat_map.column_levels))
    )
    return {
        "rows": heat_map.rows,
        "columns": heat_map.columns,
        "row_levels": rows,
        "column_levels": columns,
        "cells": [[_heat_cell(heat_map.cells, (r, c), axis) for c in columns] for r in rows],
        "left_out": _left_out(heat_map, len(rows), len(columns)),
    }


def _left_out(heat_map: HeatMap, rows: int, columns: int) -> str:
    missing = (
        (len(heat_map.row_levels) - rows, heat_map.rows),
        (len(heat_map.column_levels) - columns, heat_map.columns),
    )
    sentences = (f"{n} smaller levels of {name} are left out." for n, name in missing if n)
    return " ".join(sentences)


def _heat_cell(
    cells: Mapping[tuple[str, str], ArmRow], pair: tuple[str, str], axis: Axis
) -> list[str] | None:
    """Class, number, counts and tooltip of one combination; none where nothing occurs."""
    cell = cells.get(pair)
    if cell is None:
        return None
    thin = charts.is_thin(cell)
    counts = f"{count(cell.n_labelled)}/{count(cell.n_pool)}"
    detail = f"{charts.reading(cell)}, {count(cell.n_labelled)} of {count(cell.n_pool)} labelled"
    if isnan(cell.mean):
        return ["cell unknown", "no estimate", counts, detail]
    kind = f"cell shade{_shade(cell.mean, axis)}{' thin' if thin else ''}"
    text = percent(cell.mean) + (" ?" if thin else "")
    return [kind, text, counts, f"{detail}, {cell.status}"]


def _shade(value: float, axis: Axis) -> int:
    """Which shade of the ramp a value gets; the ends of the axis get the ends of the ramp."""
    steps = axis.last - axis.first
    # By the number as it is printed: cells that read alike look alike.
    step = min(int(axis.share(round(value, 2)) * steps + 1e-9), steps - 1)
    return round(step * (SHADES - 1) / max(steps - 1, 1))
