"""HTML of a report: one file that asks nothing of anybody and works offline, on paper, by phone."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.resources import files
from math import isnan
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from spotheight.page import charts, words
from spotheight.page.drawing import Axis
from spotheight.page.lists import drawn_vetting, headline
from spotheight.page.sections import drawn
from spotheight.page.trust import drawn_trust
from spotheight.page.words import finding, lead_words
from spotheight.pool.roles import SOLE
from spotheight.questions.words import count, digits_for, interval, percent, points
from spotheight.report.values import ArmRow, HeatMap, Report, ServiceRow, thinned
from spotheight.terminal.text import STATUS

__all__ = ["finding", "lead_words", "render_html", "thinned"]

NAMED_ARMS = 60  # more rows than this are easier read as one figure
DRAWN_ARMS = 240  # closer than this, dots on a phone are one line
PANEL_LEVELS = 30
HEAT_LEVELS = 40  # a side; wider tables are scrolled, not read
LACKING_ROWS = 50
SHADES = 8  # of the ramp in page.css, from the darkest (worst) to the lightest
WIDE_COLUMNS = 12  # a heat map with more gives up its counts on paper
LONG_TEXT = 80  # characters; longer provenance folds away

Shade = Callable[[float], int]


@dataclass(frozen=True, slots=True)
class Panel:
    """The levels of one attribute that are drawn, and how many are not."""

    name: str
    rows: Sequence[ArmRow]
    left_out: int


def render_html(report: Report) -> str:
    """The report as one self-contained page; the same report gives the same page."""
    return (
        _environment()
        .get_template("template.html")
        .render(
            report=report,
            metric=report.metric[:1].upper() + report.metric[1:],
            level=f"{100 * report.level:g}%",
            style=_source("page.css"),
            script=_source("page.js"),
            estimand=words.ESTIMANDS.get(report.estimand, report.estimand),
            finding=headline(report) if report.lists else finding(report),
            weak_spots=words.weak_spots(report),
            arms_words=words.arms_words(report),
            nothing_shows=words.NOTHING_SHOWS if report.has_differences is False else "",
            status_words=STATUS,
            pairs_words=words.pairs_words(report),
            is_named=len(report.services) > 1 or report.service not in ("", SOLE),
            long_text=LONG_TEXT,
            **_services(report),
            **drawn_trust(report.trust),
            **_shares(report),
            **_quantiles(report),
            **_arms(report),
            **_tables(report),
            **_heat(report),
            **_answers(report),
            vetted=drawn_vetting(report),
        )
    )


def _environment() -> Environment:
    """Templates, and how they write numbers."""
    environment = Environment(
        loader=PackageLoader("spotheight", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=percent,
        interval=interval,
        count=count,
        reading=charts.reading,
        points=points,
        digest=_digest,
        share_words=words.share_words,
    )
    environment.globals.update(
        digits_for=digits_for, is_thin=charts.is_thin, is_told=words.is_told, isnan=isnan
    )
    return environment


def _answers(report: Report) -> dict[str, Any]:
    """The sections of answers; none where there is nothing to say."""
    names = ("calibration", "confusion", "ranking", "lists")
    standing = {name: getattr(report, name) for name in names}
    return {
        "answers": [drawn(answer, report) for answer in report.answers],
        **{name: found and drawn(found, report) for name, found in standing.items()},
    }


def _source(name: str) -> str:
    return files("spotheight.page").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What a content security policy calls a script, so that no other one runs."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _services(report: Report) -> dict[str, Any]:
    rows = [
        (service, _as_row(service), lead_words(service, is_reference=place == 0))
        for place, service in enumerate(report.services)
    ]
    return {
        "services": rows,
        "service_drawing": charts.bars([row for _, row, _ in rows]),
    }


def _as_row(service: ServiceRow) -> ArmRow:
    whole = service.overall
    sizes = (whole.n_pool, whole.n_labelled)
    return ArmRow(service.name, (), *sizes, whole.mean, whole.low, whole.high, "")


def _shares(report: Report) -> dict[str, Any]:
    """What is drawn of each attribute's share of the variance; nothing where it is not known."""
    if report.shares is None:
        return {"shares": (), "shares_words": ""}
    said = words.shares_words(report.shares, report.metric, report.has_differences)
    if report.has_differences is False:
        return {"shares": (), "shares_words": said}
    rows = [(name, share, False) for name, share in report.shares.attributes.items()]
    # One attribute has nothing to be combined with.
    if report.shares.combinations is not None and len(rows) > 1:
        rows.append(("combinations", report.shares.combinations, True))
    axis = Axis.around([0.0, *charts.bounds(share for _, share, _ in rows if words.is_told(share))])
    return {
        "shares": rows,
        "shares_words": said,
        "shares_ruler": charts.ruler(axis),
        "shares_bar": partial(charts.amount, axis=axis),
    }


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
    drawing = charts.bars(drawn, report.overall.mean)
    caption = f"{count(len(drawn))} arms sorted by {report.metric}"
    if drawn:
        ends = (percent(drawn[0].mean), percent(drawn[-1].mean))
        caption += (
            f"\nFrom {ends[0]} on the left to {ends[1]} on the right, each with its interval."
        )
    return {
        "arms_known": known,
        "arms_drawn": drawn,
        "arms_are_named": len(known) <= NAMED_ARMS,
        "arms_drawing": drawing,
        "arms_figure": charts.arm_dots(drawn, drawing["axis"], report.overall.mean, caption),
    }


def _tables(report: Report) -> dict[str, Any]:
    panels = [_panel(name, rows) for name, rows in report.margins.items()]
    shown = report.lacking[:LACKING_ROWS]
    past = thinned([point for point in report.history if not isnan(point.mean)], DRAWN_ARMS)
    return {
        "panels": panels,
        "panel_drawing": charts.bars([row for p in panels for row in p.rows], report.overall.mean),
        "table_drawing": charts.bars([*report.worst, *shown], report.overall.mean),
        "lacking": shown,
        "n_lacking": max(report.n_lacking, len(report.lacking)),
        "past": past,
        "history": charts.history(past, words.history_words(report.metric, past)),
    }


def _panel(name: str, rows: Sequence[ArmRow]) -> Panel:
    kept = _largest([row.n_pool for row in rows], PANEL_LEVELS)
    return Panel(name, [rows[k] for k in kept], len(rows) - len(kept))


def _largest(sizes: Sequence[float], most: int) -> list[int]:
    """Where the largest sizes are, in the order they came in."""
    return sorted(sorted(range(len(sizes)), key=lambda k: -sizes[k])[:most])


def _heat(report: Report) -> dict[str, Any]:
    cells = [cell for heat_map in report.heat_maps for cell in heat_map.cells.values()]
    axis = Axis.around((cell.mean for cell in cells), most=SHADES)
    shade = partial(_shade, axis=axis, is_better_high=report.is_better_high)
    legend = [(shade(edge), percent(edge)) for edge in axis.marks[:-1]]
    maps = [_heat_map(heat_map, shade) for heat_map in report.heat_maps]
    met = dict.fromkeys(name for each in maps for name in (each["rows"], each["columns"]))
    order = {name: place for place, name in enumerate(report.margins)}
    names = sorted(met, key=lambda name: order.get(name, len(order)))
    return {
        "heat_maps": maps,
        "heat_names": names,
        "wide_columns": WIDE_COLUMNS,
        "legend": legend,
        "legend_end": percent(axis.marks[-1]),
    }


def _heat_map(heat_map: HeatMap, shade: Shade) -> dict[str, Any]:
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
        "cells": [[_heat_cell(heat_map.cells.get((r, c)), shade) for c in columns] for r in rows],
        "left_out": words.left_out(heat_map, len(rows), len(columns)),
    }


def _heat_cell(cell: ArmRow | None, shade: Shade) -> list[str] | None:
    """Class, number, counts and tooltip of one combination; none where nothing occurs."""
    if cell is None:
        return None
    thin = charts.is_thin(cell)
    counts = f"{count(cell.n_labelled)}/{count(cell.n_pool)}"
    detail = f"{charts.reading(cell)}, {count(cell.n_labelled)} of {count(cell.n_pool)} labelled"
    if isnan(cell.mean):
        return ["cell unknown", "no estimate", counts, detail]
    kind = f"cell shade{shade(cell.mean)}{' thin' if thin else ''}"
    text = percent(cell.mean) + (" ?" if thin else "")
    return [kind, text, counts, f"{detail}, {cell.status}"]


def _shade(value: float, axis: Axis, is_better_high: bool) -> int:
    """Which shade of the ramp a value gets; the ends of the axis get the ends of the ramp."""
    steps = axis.last - axis.first
    # By the number as it is printed: cells that read alike look alike.
    step = min(int(axis.share(round(value, 2)) * steps + 1e-9), steps - 1)
    place = step if is_better_high else steps - 1 - step
    return round(place * (SHADES - 1) / max(steps - 1, 1))
