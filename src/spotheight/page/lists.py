"""Page sections of ranked lists and of vetting: figures drawn, numbers and sentences written."""

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from spotheight.page import charts
from spotheight.page.drawing import Axis, feet, levels, path, stretched, svg, text_of
from spotheight.questions.listanswer import Gap, ListAnswer, ListRow
from spotheight.questions.words import count, interval, percent, points
from spotheight.report.values import ArmRow, ListMoment, NoisyRow, Report, thinned

NAMED_LISTS = 30
"""Of more categories than this only the worst are named; a figure shows all."""

WORST = 12
DRAWN_LISTS = 240

NOISY = {
    "yes": "a noisy yes is true",
    "no": "a noisy no is true all the same",
    "true": "a true item has a noisy yes",
    "false": "a false item has a noisy yes",
}

Drawn = dict[str, Any]


def drawn_lists(found: ListAnswer, report: Report) -> Drawn:
    """Services, gaps and categories."""
    whole = [as_arm(each.overall) for each in found.rows]
    rows = [as_arm(row) for each in found.rows for row in each.categories]
    return {
        "kind": "lists",
        "title": f"Ranked lists by {found.metric}",
        "positives": positives_words(found),
        "measure": found.metric,
        "services": [(each.overall, as_arm(each.overall)) for each in found.rows],
        "drawing": charts.bars(whole),
        "gaps": [(gap, gap.difference) for gap in found.ordered_gaps],
        "panels": [_panel(each.overall.name, each.categories) for each in found.rows],
        "panel_drawing": charts.bars(rows),
        "n_categories": len(found.categories),
    }


def as_arm(row: ListRow) -> ArmRow:
    """A list as charts draw arms."""
    numbers = (row.mean, row.low, row.high)
    return ArmRow(row.name, (row.name,), row.n_items, row.n_vetted, *numbers, row.status)


def _panel(name: str, rows: Sequence[ListRow]) -> Drawn:
    """The categories of a service, the worst first; where they are many, a figure of all."""
    arms = [as_arm(row) for row in rows]
    is_named = len(arms) <= NAMED_LISTS
    known = thinned([row for row in arms if not isnan(row.mean)], DRAWN_LISTS)
    axis = Axis.around(charts.bounds(known))
    words = f"All {count(len(arms))} categories of {name}, the lowest first"
    figure = "" if is_named else charts.arm_dots(known, axis, float("nan"), words)
    return {"name": name, "rows": arms if is_named else arms[:WORST], "figure": figure}


# Sentences.


def headline(report: Report) -> str:
    """The finding, and what it was judged from."""
    assert report.lists is not None
    found = report.lists
    gap = f" {_gap_sentence(found.ordered_gaps[0])}" if found.gaps else ""
    return (
        f"{found.plain()}{gap} Judged from {count(found.n_seen)} vetted of "
        f"{count(found.n_listed)} listed items."
    )


def positives_words(found: ListAnswer) -> str:
    """Where the number of true items comes from; nothing where it does not matter."""
    if not found.is_about_positives:
        return ""
    total = float(found.positives.sum())
    if found.knows_positives:
        return f"The number of true items is known, as it was given: {count(total)} in all."
    return (
        f"The number of true items is estimated with all else: about {count(round(total))} in all, "
        f"returned by a service or not."
    )


def effect_words(name: str, past: Sequence[ListMoment]) -> str:
    """The effect of vetting against the effect of the model."""
    start, today = past[0], past[-1]
    vetting, model = today.naive - start.naive, today.mean - today.naive
    if isnan(today.mean):
        return f"{name}: nothing is vetted yet, so there is nothing to show."
    return (
        f"{name}: taking noisy labels at their word gives {percent(start.naive, 1)} with nothing "
        f"vetted. Vetting {count(today.n_vetted)} items moves that by {points(vetting)} points, "
        f"the model by {points(model)} more, to {percent(today.mean, 1)}."
    )


def _gap_sentence(gap: Gap) -> str:
    """A service keeps its name at the beginning of a sentence too."""
    text = gap.verdict
    return f"{text}." if text.startswith(gap.first) else f"{text[:1].upper()}{text[1:]}."


# What vetting has shown.


def drawn_vetting(report: Report) -> Drawn:
    """Noisy labels against vetted ones, and the estimates of every service over time."""
    if report.vetting is None:
        return {"noisy": (), "moments": ()}
    past = report.vetting.past
    seen = [moment for moments in past.values() for moment in moments]
    axis = Axis.around([v for m in seen for v in (m.mean, m.low, m.high, m.naive)])
    shares = Axis.around([0.0, *(moment.share for moment in seen)], finest=0.001)
    return {
        "noisy": [(row, NOISY[row.kind], _as_row(row)) for row in report.vetting.noisy],
        "noisy_drawing": charts.bars([_as_row(row) for row in report.vetting.noisy]),
        "moments": [
            (name, effect_words(name, moments), history(moments, (shares, axis), name))
            for name, moments in past.items()
        ] if report.n_labelled else (),
    }  # fmt: skip


def _as_row(row: NoisyRow) -> ArmRow:
    return ArmRow(NOISY[row.kind], (), 0, row.vetted, row.mean, row.low, row.high, "")


def history(moments: Sequence[ListMoment], axes: tuple[Axis, Axis], name: str) -> str:
    """A service's mean against the share vetted, in its band; the naive number beside it."""
    shares, values = axes
    root = svg("plot history", f"{name} against the share vetted\n{effect_words(name, moments)}")
    levels(root, values)
    feet(root, shares)
    _lines(root, moments, axes)
    for moment in moments:
        group = SubElement(root, "g")
        SubElement(group, "title").text = (
            f"{count(moment.n_vetted)} vetted ({percent(moment.share, 1)}): "
            f"{percent(moment.mean, 1)} ({interval(moment.low, moment.high)}), "
            f"naive {percent(moment.naive, 1)}"
        )
        across = shares.across(moment.share)
        if isfinite(moment.mean):
            SubElement(group, "circle", cx=across, cy=values.down(moment.mean), r="3")
        spot = {"class": "naive", "cx": across, "cy": values.down(moment.naive), "r": "3"}
        SubElement(group, "circle", spot)
    return text_of(root)


def _lines(root: Element, moments: Sequence[ListMoment], axes: tuple[Axis, Axis]) -> None:
    inner, (shares, values) = stretched(root), axes

    def spots(name: str, some: Sequence[ListMoment]) -> list[tuple[float, float]]:
        return [(shares.share(m.share), values.share(getattr(m, name))) for m in some]

    bounded = [m for m in moments if isfinite(m.low) and isfinite(m.high)]
    band = [*spots("high", bounded), *spots("low", bounded[::-1])]
    SubElement(inner, "polygon", {"class": "band"}, points=path(band))
    SubElement(inner, "polyline", {"class": "middle naive"}, points=path(spots("naive", moments)))
    known = [m for m in moments if isfinite(m.mean)]
    SubElement(inner, "polyline", {"class": "middle"}, points=path(spots("mean", known)))
