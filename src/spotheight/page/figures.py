"""SVG figures of answers: reliability, densities, ranks and chances."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from xml.etree.ElementTree import Element, SubElement

from spotheight.page.drawing import (
    Axis,
    feet,
    levels,
    line,
    path,
    percent_mark,
    rules,
    stretched,
    svg,
    text_of,
)
from spotheight.questions.calibration import CalibrationRow, ScoreBin
from spotheight.questions.density import Density
from spotheight.questions.rank import RankRow
from spotheight.questions.values import GroupRow
from spotheight.questions.words import Write, count, interval, percent

SCORES = Axis(0, 5, 0.2)
"""Scores and accuracies are both shares; the diagonal needs all of both."""

CHANCES = Axis(0, 2, 0.5)

CROWD = 40
"""Of more groups than this only those that stand out have room for their intervals."""


def reliability(bins: Sequence[ScoreBin], words: str) -> str:
    """Accuracy against score: dots with intervals, and the gap to the diagonal shaded."""
    root = svg("plot reliability", words)
    levels(root, SCORES)
    feet(root, SCORES)
    line(root, "reference", ("0", "100%"), ("100%", "0"))
    for each in bins:
        group = SubElement(root, "g")
        SubElement(group, "title").text = bin_words(each)
        _gap(group, each)
        across = SCORES.across(each.score)
        line(group, "reach", (across, SCORES.down(each.low)), (across, SCORES.down(each.high)))
        SubElement(group, "circle", cx=across, cy=SCORES.down(each.mean), r="4")
        if not isnan(each.plain):
            _stroke(group, across, SCORES.down(each.plain))
    return text_of(root)


def bin_words(each: ScoreBin) -> str:
    """A score bin in a sentence."""
    return (
        f"Scores from {percent_mark(each.start)} to {percent_mark(each.end)}: "
        f"on average {percent(each.score)}, accuracy {percent(each.mean)} "
        f"({interval(each.low, each.high)}), "
        f"{count(each.n_labelled)} of {count(each.n_pool)} labelled"
    )


def _gap(root: Element, each: ScoreBin) -> None:
    """Between what was said and what is so, as wide as the bin."""
    low, high = sorted((each.mean, each.score))
    place = {"x": SCORES.across(each.start), "y": SCORES.down(high)}
    size = {"width": SCORES.across(each.end - each.start), "height": SCORES.across(high - low)}
    SubElement(root, "rect", {"class": "gap", **place, **size})


def _stroke(root: Element, across: str, down: str) -> None:
    """A short level stroke of fixed size: a plain number beside an estimate."""
    at = {"x": across, "y": down, "width": "12", "height": "2", "transform": "translate(-6 -1)"}
    SubElement(root, "rect", {"class": "plain", **at})


def histogram(bins: Sequence[ScoreBin], words: str) -> str:
    """How many items have which score, and how many of them are labelled."""
    root = svg("plot histogram", words)
    most = max(each.n_pool for each in bins)
    line(root, "rule", ("0", "100%"), ("100%", "100%"))
    for each in bins:
        group = SubElement(root, "g")
        SubElement(group, "title").text = bin_words(each)
        for kind, number in (("items", each.n_pool), ("labels", each.n_labelled)):
            _column(group, kind, each, number / most)
    return text_of(root)


def _column(root: Element, kind: str, each: ScoreBin, share: float) -> None:
    place = {"x": SCORES.across(each.start), "width": SCORES.across(each.end - each.start)}
    size = {"y": f"{100 - 100 * share:.2f}%", "height": f"{100 * share:.2f}%"}
    SubElement(root, "rect", {"class": kind, **place, **size})


@dataclass(frozen=True, slots=True)
class Spot:
    """A number with its interval, and a plain one beside it where there is one."""

    mean: float
    low: float
    high: float
    plain: float = float("nan")


def density(
    curve: Density,
    axis: Axis,
    estimate: Spot,
    words: str,
    write: Write = percent_mark,
) -> Element:
    """Where a number lies: a curve over its axis, with the estimate and its interval below."""
    root = svg("plot density", words)
    rules(root, axis)
    feet(root, axis, write)
    _hill(root, curve, axis)
    line(root, "reach", (axis.across(estimate.low), "92%"), (axis.across(estimate.high), "92%"))
    SubElement(root, "circle", cx=axis.across(estimate.mean), cy="92%", r="4")
    if isfinite(estimate.plain):
        across = axis.across(estimate.plain)
        line(root, "reference", (across, "0"), (across, "100%"))
        side = "last" if axis.share(estimate.plain) > 0.5 else "first"
        label = {"class": f"note {side}", "x": across, "y": "0"}
        SubElement(root, "text", label).text = f"plain estimate {percent(estimate.plain, 1)}"
    return root


def _hill(root: Element, curve: Density, axis: Axis) -> None:
    """The peak stays below the words at the top and above the interval at the bottom."""
    if len(curve.values) == 1:
        across = axis.across(curve.values[0])
        line(root, "tick", (across, "16%"), (across, "84%"))
        return
    heights = [0.16 + 0.68 * height for height in curve.heights]
    spots = [(axis.share(x), y) for x, y in zip(curve.values, heights, strict=True)]
    foot = [(spots[-1][0], 0.16), (spots[0][0], 0.16)]
    inner = stretched(root)
    SubElement(inner, "polygon", {"class": "band"}, points=path([*spots, *foot]))
    SubElement(inner, "polyline", {"class": "middle"}, points=path(spots))


def difference(curve: Density, estimate: Spot, rope: float, words: str, write: Write) -> str:
    """Where a difference lies, against the region that counts as no difference."""
    ends = [*curve.values[:1], *curve.values[-1:], estimate.low, estimate.high]
    axis = Axis.around([*ends, -rope, rope, 0.0], finest=1e-6)
    root = density(curve, axis, estimate, words, write)
    place = {"x": axis.across(-rope), "width": f"{100 * 2 * rope / _length(axis):.2f}%"}
    region = Element("rect", {"class": "rope", "y": "0", "height": "100%", **place})
    root.insert(1 + (root.find("desc") is not None), region)
    line(root, "zero", (axis.across(0), "0"), (axis.across(0), "100%"))
    return text_of(root)


def _length(axis: Axis) -> float:
    return (axis.last - axis.first) * axis.step


def scatter(
    rows: Sequence[CalibrationRow], named: dict[str, str], axes: tuple[Axis, Axis], words: str
) -> str:
    """Accuracy against calibration error; ``named`` groups stand out in the kind given."""
    errors, accuracies = axes
    root = svg("plot scatter", words)
    levels(root, accuracies)
    rules(root, errors)
    feet(root, errors)
    # Those that stand out are drawn last, above the others.
    for each in sorted(rows, key=lambda each: each.error.name in named):
        kind = named.get(each.error.name, "other")
        group = SubElement(root, "g", {"class": kind})
        SubElement(group, "title").text = calibration_words(each)
        if kind != "other" or len(rows) <= CROWD:
            _cross(group, each, axes)
        spot = {"cx": errors.across(each.error.mean), "cy": accuracies.down(each.accuracy.mean)}
        SubElement(group, "circle", spot, r="3.5")
    _names(root, [each for each in rows if each.error.name in named], named, axes)
    return text_of(root)


def calibration_words(each: CalibrationRow) -> str:
    """A group in a sentence."""
    right, error = each.accuracy, each.error
    return (
        f"{error.name}: accuracy {percent(right.mean)} ({interval(right.low, right.high)}), "
        f"calibration error {percent(error.mean)} ({interval(error.low, error.high)})"
    )


def _cross(root: Element, each: CalibrationRow, axes: tuple[Axis, Axis]) -> None:
    errors, accuracies = axes
    error, right = each.error, each.accuracy
    across, down = errors.across(error.mean), accuracies.down(right.mean)
    line(root, "reach", (errors.across(error.low), down), (errors.across(error.high), down))
    ends = (accuracies.down(right.low), accuracies.down(right.high))
    line(root, "reach", (across, ends[0]), (across, ends[1]))


LINE, NAME = 0.055, 0.12
"""The height and the usual width of a name, in the smallest of these plots."""


def _names(
    root: Element, rows: Sequence[CalibrationRow], named: dict[str, str], axes: tuple[Axis, Axis]
) -> None:
    """Names beside their dots; where they would lie on each other, away from the crowd."""
    fine = [each for each in rows if named[each.error.name] == "fine"]
    rest = [each for each in rows if named[each.error.name] != "fine"]
    taken: list[tuple[float, float]] = []
    for sign, some in ((1, fine), (-1, rest)):
        for each in sorted(some, key=lambda each: each.accuracy.mean, reverse=sign < 0):
            across, up = axes[0].share(each.error.mean), axes[1].share(each.accuracy.mean)
            near = [y for x, y in taken if abs(x - across) < NAME and sign * (up - y) < LINE]
            up = sign * max([sign * up, *(sign * y + LINE for y in near)])
            taken.append((across, up))
            _name(root, each.error.name, (across, up), named[each.error.name])


def _name(root: Element, name: str, spot: tuple[float, float], kind: str) -> None:
    across, up = spot
    side = "last" if across > 0.8 else "first"
    place = {"x": f"{100 * across:.2f}%", "y": f"{100 - 100 * up:.2f}%"}
    SubElement(root, "text", {"class": f"name {side} {kind}", **place}).text = name


def rank_dots(rows: Sequence[RankRow], words: str) -> str:
    """Many groups from the best to the worst, each with the interval of its rank."""
    root = svg("plot arms ranks", words)
    axis = Axis.around([1, len(rows)], finest=1)
    for mark in axis.marks:  # ranks grow downwards, as in a list
        down = axis.across(mark)
        line(root, "rule", ("0", down), ("100%", down))
        SubElement(root, "text", {"class": "beside"}, x="0", y=down).text = rank_mark(mark)
    for kind, across, label in (("first", "0", "best"), ("last", "100%", "worst")):
        SubElement(root, "text", {"class": f"below {kind}"}, x=across, y="100%").text = label
    for place, row in enumerate(rows):
        group = SubElement(root, "g")
        SubElement(group, "title").text = f"{row.group.name}: {rank_words(row)}"
        across = f"{100 * (place + 0.5) / len(rows):.2f}%"
        spots = [axis.across(value) for value in (row.low, row.high, row.mean)]
        line(group, "reach", (across, spots[0]), (across, spots[1]))
        SubElement(group, "circle", cx=across, cy=spots[2], r="2.5")
    return text_of(root)


def rank_mark(value: float) -> str:
    """A rank on an axis; there is no rank 0."""
    return f"{value:g}" if value else ""


def rank_words(row: RankRow) -> str:
    """A rank and its interval."""
    return f"{row.mean:.0f} ({row.low:g} to {row.high:g})"


def dot(row: GroupRow | RankRow, axis: Axis, words: str) -> str:
    """One row's dot and interval, whatever is measured."""
    root = svg("bar", words)
    rules(root, axis)
    if isfinite(row.mean):
        line(root, "reach", (axis.across(row.low), "50%"), (axis.across(row.high), "50%"))
        SubElement(root, "circle", cx=axis.across(row.mean), cy="50%", r="4")
    return text_of(root)


def chance(probability: float, words: str, kind: str = "") -> str:
    """A probability as a bar from zero."""
    root = svg(f"bar {kind}".strip(), words)
    rules(root, CHANCES)
    place = {"class": "amount", "x": "0", "y": "22%", "height": "56%"}
    SubElement(root, "rect", place, width=CHANCES.across(probability))
    return text_of(root)


def scale(axis: Axis, write: Write = percent_mark) -> str:
    """The marks of an axis in words, to stand above a column of bars."""
    root = svg("ruler", f"Scale from {write(axis.marks[0]) or '0'} to {write(axis.marks[-1])}")
    for mark in axis.marks:
        label = SubElement(root, "text", x=axis.across(mark), y="100%", dy="-.6em")
        label.text = write(mark)
    return text_of(root)
