"""SVG primitives: axes, lines and words, of which figures are made.

Positions are shares of the plot, never pixels, so that a figure can be any width while its type
keeps its size; words that stand outside the plot rely on ``overflow: visible`` in page.css.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite
from xml.etree.ElementTree import Element, SubElement, tostring

from spotheight.questions.words import Write

# From the smallest cost worth a mark to more labels than anyone has.
STEPS = tuple(digit * 10.0**power for power in range(-6, 12) for digit in (1, 2, 5))

FINEST = 0.01
"""Of a share: finer steps would draw noise."""


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
    def around(cls, values: Iterable[float], most: int = 5, finest: float = FINEST) -> "Axis":
        """The tightest axis of at most ``most`` steps that holds all finite values."""
        finite = [value for value in values if isfinite(value)] or [0.0, 1.0]
        for step in (step for step in STEPS if step > finest * (1 - 1e-9)):
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


def svg(kind: str, words: str) -> Element:
    """An empty figure; the first line of its words is the title, the rest describes it."""
    title, _, description = words.partition("\n")
    root = Element("svg", {"class": kind, "role": "img"})
    SubElement(root, "title").text = title
    if description:
        SubElement(root, "desc").text = description
    return root


def text_of(root: Element) -> str:
    """A figure as it stands in a page."""
    return tostring(root, encoding="unicode")


def percent_mark(value: float) -> str:
    """A mark of an axis of shares."""
    return f"{100 * value:.6g}%"


def rules(root: Element, axis: Axis, reference: float = float("nan")) -> None:
    """Upright lines at the marks, and a dashed one at the reference."""
    for mark in axis.marks:
        line(root, "rule", (axis.across(mark), "0"), (axis.across(mark), "100%"))
    if isfinite(reference):
        line(root, "reference", (axis.across(reference), "0"), (axis.across(reference), "100%"))


def levels(root: Element, axis: Axis) -> None:
    """Level lines at the marks, which are written beside the plot."""
    for mark in axis.marks:
        line(root, "rule", ("0", axis.down(mark)), ("100%", axis.down(mark)))
        label = SubElement(root, "text", {"class": "beside"}, x="0", y=axis.down(mark))
        label.text = percent_mark(mark)


def feet(root: Element, axis: Axis, write: Write = percent_mark) -> None:
    """The marks, written below the plot."""
    for mark in axis.marks:
        label = SubElement(root, "text", {"class": "below"}, x=axis.across(mark), y="100%")
        label.text = write(mark)


def line(root: Element, kind: str, start: tuple[str, str], end: tuple[str, str]) -> None:
    """A straight line."""
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
    SubElement(root, "line", {"class": kind, **ends})


def stretched(root: Element) -> Element:
    """A frame of 100 by 100 that fills the plot, because paths know no shares."""
    frame = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none"}
    return SubElement(root, "svg", frame, width="100%", height="100%")


def path(spots: Iterable[tuple[float, float]]) -> str:
    """Points of such a frame, given as shares from the left and from the bottom."""
    return " ".join(f"{100 * x:.2f},{100 - 100 * y:.2f}" for x, y in spots)
