"""Figures as SVG, and how a number looks beside them.

Positions are shares of the plot, never pixels, so that a figure can be any width while its type
keeps its size; words that stand outside the plot rely on ``overflow: visible`` in page.css.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, isnan
from xml.etree.ElementTree import Element, SubElement, tostring

from spotheight.beliefs.reading import Reading
from spotheight.beliefs.surface import INSUFFICIENT
from spotheight.render.text import count
from spotheight.report import ArmRow, HistoryPoint

# Round steps from one hundredth (finer would draw noise) to more labels than anyone has.
STEPS = tuple(digit * 10.0**power for power in range(-2, 12) for digit in (1, 2, 5))


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of values with round ends and marks at equal steps.

    >>> Axis.around([0.62, 0.97]).marks
    (0.6, 0.7, 0.8, 0.9, 1.0)
    """

    first: int
    last: int
    step: float

    @classmethod
    def around(cls, values: Iterable[float], most: int = 5) -> "Axis":
        """The tightest axis of at most ``most`` steps that holds all finite values."""
        finite = [value for value in values if isfinite(value)] or [0.0, 1.0]
        for step in STEPS:
            first, last = floor(min(finite) / step + 1e-9), ceil(max(finite) / step - 1e-9)
            if last - first <= most:
                break
        if first == last:  # one value: make room below it, where shares still have some
            first, last = (first - 1, last) if first > 0 else (first, last + 1)
        return cls(first, last, step)

    @property
    def marks(self) -> tuple[float, ...]:
        """Where the axis is labelled, both ends included."""
        return tuple(round(k * self.step, 6) for k in range(self.first, self.last + 1))

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        return (value / self.step - self.first) / (self.last - self.first)

    def across(self, value: float) -> str:
        """The value's place from the left, as SVG wants it."""
        return f"{100 * self.share(value):.2f}%"

    def down(self, value: float) -> str:
        """The value's place from the top, as SVG wants it."""
        return f"{100 - 100 * self.share(value):.2f}%"


def percent(value: float, digits: int = 0) -> str:
    """A share in percent; only what is exactly 0 or 1 is written as 0% or 100%.

    >>> percent(0.857), percent(0.9972), percent(0.99996), percent(float("nan"))
    ('86%', '99.7%', '>99.9%', 'no estimate')
    """
    return "no estimate" if isnan(value) else f"{_hundredths(value, digits)}%"


def interval(low: float, high: float) -> str:
    """Both ends in percent, with a decimal where they would otherwise look the same.

    >>> interval(0.84, 0.88), interval(0.861, 0.869)
    ('84 to 88%', '86.1 to 86.9%')
    """
    if isnan(low) or isnan(high):
        return "no interval"
    digits = digits_for(low, high)
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}%"


def digits_for(low: float, high: float) -> int:
    """Decimals that a number with this interval deserves, in percent."""
    return 1 if 0 < high - low < 0.02 else 0


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
    root = _svg("ruler", f"Scale from {ends}")
    for mark in axis.marks:
        label = SubElement(root, "text", x=axis.across(mark), y="100%", dy="-.6em")
        label.text = _mark(mark) + ("%" if mark == axis.marks[-1] else "")
    return tostring(root, encoding="unicode")


def bar(row: ArmRow, axis: Axis, reference: float) -> str:
    """One row's dot and interval; hollow where evidence does not suffice."""
    root = _svg("bar thin" if is_thin(row) else "bar", f"{row.name}: {reading(row)}")
    _rules(root, axis, reference)
    if not isnan(row.mean):
        if isfinite(row.low) and isfinite(row.high):
            _line(root, "reach", (axis.across(row.low), "50%"), (axis.across(row.high), "50%"))
        SubElement(root, "circle", cx=axis.across(row.mean), cy="50%", r="4")
    return tostring(root, encoding="unicode")


def amount(name: str, share: Reading, axis: Axis) -> str:
    """A share as a bar from zero, with its dot and interval."""
    root = _svg("bar", f"{name}: {reading(share)}")
    _rules(root, axis, float("nan"))
    whole = {"class": "amount", "x": axis.across(0), "y": "22%", "height": "56%"}
    SubElement(root, "rect", whole, width=axis.across(share.mean))
    _line(root, "reach", (axis.across(share.low), "50%"), (axis.across(share.high), "50%"))
    SubElement(root, "circle", cx=axis.across(share.mean), cy="50%", r="4")
    return tostring(root, encoding="unicode")


def tick(value: float, axis: Axis, words: str) -> str:
    """One value as a mark on the axis, without an interval."""
    root = _svg("bar", words)
    _rules(root, axis, float("nan"))
    if not isnan(value):
        _line(root, "tick", (axis.across(value), "22%"), (axis.across(value), "78%"))
    return tostring(root, encoding="unicode")


def rug(values: Sequence[float], axis: Axis, words: str) -> str:
    """Many values as faint strokes; where they crowd it gets dark."""
    root = _svg("bar rug", words)
    _rules(root, axis, float("nan"))
    for value in values:
        _line(root, "stroke", (axis.across(value), "15%"), (axis.across(value), "85%"))
    return tostring(root, encoding="unicode")


def arm_dots(rows: Sequence[ArmRow], axis: Axis, reference: float, words: str) -> str:
    """Many arms from left to right in the order given, each a dot with its interval."""
    root = _svg("plot arms", words)
    _levels(root, axis)
    if isfinite(reference):
        _line(root, "reference", ("0", axis.down(reference)), ("100%", axis.down(reference)))
    for kind, across, label in (("first", "0", "lowest"), ("last", "100%", "highest")):
        SubElement(root, "text", {"class": f"below {kind}"}, x=across, y="100%").text = label
    for index, row in enumerate(rows):
        group = SubElement(root, "g", {"class": "thin"} if is_thin(row) else {})
        SubElement(group, "title").text = f"{row.name}: {reading(row)}"
        across = f"{100 * (index + 0.5) / len(rows):.2f}%"
        if isfinite(row.low) and isfinite(row.high):
            _line(group, "reach", (across, axis.down(row.low)), (across, axis.down(row.high)))
        SubElement(group, "circle", cx=across, cy=axis.down(row.mean), r="2.5")
    return tostring(root, encoding="unicode")


def history(points: Sequence[HistoryPoint], words: str) -> str:
    """The overall number against labels spent: a line in its band."""
    shares = Axis.around(value for point in points for value in (point.mean, point.low, point.high))
    labels = Axis.around([0.0, *(point.labels for point in points)])
    root = _svg("plot history", words)
    _levels(root, shares)
    for mark in labels.marks:
        label = SubElement(root, "text", {"class": "below"}, x=labels.across(mark), y="100%")
        label.text = count(mark)
    _band(root, points, (labels, shares))
    for point in points:
        group = SubElement(root, "g")
        SubElement(group, "title").text = f"After {count(point.labels)} labels: {reading(point)}"
        spot = {"cx": labels.across(point.labels), "cy": shares.down(point.mean)}
        SubElement(group, "circle", spot, r="3")
    return tostring(root, encoding="unicode")


def _band(root: Element, points: Sequence[HistoryPoint], axes: tuple[Axis, Axis]) -> None:
    """Band and line live in an inner frame that stretches, because paths know no shares."""
    frame = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none"}
    inner = SubElement(root, "svg", frame, width="100%", height="100%")
    labels, shares = axes

    def path(values: Iterable[tuple[int, float]]) -> str:
        spots = ((100 * labels.share(x), 100 - 100 * shares.share(y)) for x, y in values)
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in spots)

    bounded = [point for point in points if isfinite(point.low) and isfinite(point.high)]
    upper = [(point.labels, point.high) for point in bounded]
    lower = [(point.labels, point.low) for point in reversed(bounded)]
    SubElement(inner, "polygon", {"class": "band"}, points=path(upper + lower))
    middle = path((point.labels, point.mean) for point in points)
    SubElement(inner, "polyline", {"class": "middle"}, points=middle)


def _svg(kind: str, words: str) -> Element:
    title, _, description = words.partition("\n")
    root = Element("svg", {"class": kind, "role": "img"})
    SubElement(root, "title").text = title
    if description:
        SubElement(root, "desc").text = description
    return root


def _rules(root: Element, axis: Axis, reference: float) -> None:
    for mark in axis.marks:
        _line(root, "rule", (axis.across(mark), "0"), (axis.across(mark), "100%"))
    if isfinite(reference):
        _line(root, "reference", (axis.across(reference), "0"), (axis.across(reference), "100%"))


def _levels(root: Element, axis: Axis) -> None:
    for mark in axis.marks:
        _line(root, "rule", ("0", axis.down(mark)), ("100%", axis.down(mark)))
        label = SubElement(root, "text", {"class": "beside"}, x="0", y=axis.down(mark))
        label.text = f"{_mark(mark)}%"


def _line(root: Element, kind: str, start: tuple[str, str], end: tuple[str, str]) -> None:
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
    SubElement(root, "line", {"class": kind, **ends})


def _mark(value: float) -> str:
    return f"{100 * value:.6g}"


def _hundredths(value: float, digits: int) -> str:
    text = f"{100 * value:.{digits}f}"
    if not 0 < value < 1 or 0 < float(text) < 100:
        return text
    fine = f"{100 * value:.1f}"
    return {"0.0": "<0.1", "100.0": ">99.9"}.get(fine, fine)
