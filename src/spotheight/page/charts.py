"""SVG figures of the surface, and how a number looks beside them."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import isfinite, isnan
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from spotheight.beliefs.reading import Reading
from spotheight.beliefs.surface import INSUFFICIENT
from spotheight.page.drawing import Axis, feet, levels, line, path, rules, stretched, svg, text_of
from spotheight.questions.words import count, digits_for, interval, percent
from spotheight.report.values import ArmRow, HistoryPoint


def reading(row: ArmRow | HistoryPoint | Reading) -> str:
    """Mean and interval in one phrase."""
    if isnan(row.mean):
        return "no estimate"
    return f"{percent(row.mean, digits_for(row.low, row.high))} ({interval(row.low, row.high)})"


def is_thin(row: ArmRow) -> bool:
    """Whether the row says that its evidence does not suffice."""
    return row.status == INSUFFICIENT


def ruler(axis: Axis) -> str:
    """The marks of an axis in words, to stand above a column of bars."""
    ends = f"{_mark(axis.marks[0])} to {_mark(axis.marks[-1])}%"
    root = svg("ruler", f"Scale from {ends}")
    for mark in axis.marks:
        label = SubElement(root, "text", x=axis.across(mark), y="100%", dy="-.6em")
        label.text = _mark(mark) + ("%" if mark == axis.marks[-1] else "")
    return text_of(root)


def bounds(rows: Iterable[ArmRow | HistoryPoint | Reading]) -> list[float]:
    """All means and ends."""
    return [value for row in rows for value in (row.mean, row.low, row.high)]


def bars(rows: Iterable[ArmRow], reference: float = float("nan")) -> dict[str, Any]:
    """A common axis for some rows, and how each of them is drawn on it."""
    axis = Axis.around([*bounds(rows), reference])
    draw = partial(bar, axis=axis, reference=reference)
    return {"axis": axis, "ruler": ruler(axis), "bar": draw}


def bar(row: ArmRow, axis: Axis, reference: float) -> str:
    """One row's dot and interval; hollow where evidence does not suffice."""
    root = svg("bar thin" if is_thin(row) else "bar", f"{row.name}: {reading(row)}")
    rules(root, axis, reference)
    if not isnan(row.mean):
        if isfinite(row.low) and isfinite(row.high):
            line(root, "reach", (axis.across(row.low), "50%"), (axis.across(row.high), "50%"))
        SubElement(root, "circle", cx=axis.across(row.mean), cy="50%", r="4")
    return text_of(root)


def amount(name: str, share: Reading, axis: Axis) -> str:
    """A share as a bar from zero, with its dot and interval."""
    root = svg("bar", f"{name}: {reading(share)}")
    rules(root, axis)
    whole = {"class": "amount", "x": axis.across(0), "y": "22%", "height": "56%"}
    SubElement(root, "rect", whole, width=axis.across(share.mean))
    line(root, "reach", (axis.across(share.low), "50%"), (axis.across(share.high), "50%"))
    SubElement(root, "circle", cx=axis.across(share.mean), cy="50%", r="4")
    return text_of(root)


def tick(value: float, axis: Axis, words: str) -> str:
    """One value as a mark on the axis, without an interval."""
    root = svg("bar", words)
    rules(root, axis)
    if not isnan(value):
        line(root, "tick", (axis.across(value), "22%"), (axis.across(value), "78%"))
    return text_of(root)


def rug(values: Sequence[float], axis: Axis, words: str) -> str:
    """Many values as faint strokes; where they crowd it gets dark."""
    root = svg("bar rug", words)
    rules(root, axis)
    for value in values:
        line(root, "stroke", (axis.across(value), "15%"), (axis.across(value), "85%"))
    return text_of(root)


def arm_dots(rows: Sequence[ArmRow], axis: Axis, reference: float, words: str) -> str:
    """Many arms from left to right in the order given, each a dot with its interval."""
    root = svg("plot arms", words)
    levels(root, axis)
    if isfinite(reference):
        line(root, "reference", ("0", axis.down(reference)), ("100%", axis.down(reference)))
    for kind, across, label in (("first", "0", "lowest"), ("last", "100%", "highest")):
        SubElement(root, "text", {"class": f"below {kind}"}, x=across, y="100%").text = label
    for index, row in enumerate(rows):
        group = SubElement(root, "g", {"class": "thin"} if is_thin(row) else {})
        SubElement(group, "title").text = f"{row.name}: {reading(row)}"
        across = f"{100 * (index + 0.5) / len(rows):.2f}%"
        if isfinite(row.low) and isfinite(row.high):
            line(group, "reach", (across, axis.down(row.low)), (across, axis.down(row.high)))
        SubElement(group, "circle", cx=across, cy=axis.down(row.mean), r="2.5")
    return text_of(root)


def history(points: Sequence[HistoryPoint], words: str) -> str:
    """The overall number against labels spent: a line in its band."""
    shares = Axis.around(bounds(points))
    labels = Axis.around([0.0, *(point.labels for point in points)])
    root = svg("plot history", words)
    levels(root, shares)
    feet(root, labels, count)
    _band(root, points, (labels, shares))
    for point in points:
        group = SubElement(root, "g")
        SubElement(group, "title").text = f"After {count(point.labels)} labels: {reading(point)}"
        spot = {"cx": labels.across(point.labels), "cy": shares.down(point.mean)}
        SubElement(group, "circle", spot, r="3")
    return text_of(root)


def _band(root: Element, points: Sequence[HistoryPoint], axes: tuple[Axis, Axis]) -> None:
    inner, (labels, shares) = stretched(root), axes
    bounded = [point for point in points if isfinite(point.low) and isfinite(point.high)]
    upper = [(point.labels, point.high) for point in bounded]
    lower = [(point.labels, point.low) for point in reversed(bounded)]
    middle = [(point.labels, point.mean) for point in points]
    band, thread = (
        path((labels.share(x), shares.share(y)) for x, y in spots)
        for spots in (upper + lower, middle)
    )
    SubElement(inner, "polygon", {"class": "band"}, points=band)
    SubElement(inner, "polyline", {"class": "middle"}, points=thread)


def _mark(value: float) -> str:
    return f"{100 * value:.6g}"
