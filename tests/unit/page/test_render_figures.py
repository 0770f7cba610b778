"""Figures of answers: what is drawn is where the number is, and every figure says what it shows."""

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import numpy as np
import pytest
from test_render_html import Page

import worlds
from reports import played, report_of
from spotheight import Beta, Calibration, Compare, Confusion, Cost, Identify, Rank
from spotheight.beliefs import Reading
from spotheight.page import figures, render_html, verdicts
from spotheight.page.drawing import Axis
from spotheight.page.sections import drawn
from spotheight.questions import Basis, Unit
from spotheight.questions.calibration import CalibrationRow, ScoreBin
from spotheight.questions.compare import Compared
from spotheight.questions.confusion import ConfusionMatrix
from spotheight.questions.density import Density
from spotheight.questions.quantities import CalibrationError, Costs, ExpectedCost
from spotheight.questions.rank import RankRow
from spotheight.questions.values import GroupRow
from spotheight.questions.words import costs_like
from spotheight.report import Report
from spotheight.report.answers import Unanswered

BASIS = Basis(Rank(), "beta", "pool", 0.9, Unit("accuracy"))
COSTS = Costs(
    worlds.CLASSES, (*worlds.CLASSES, "(missing)"), ((0, 1, 2, 3), (1, 0, 2, 3), (1, 1, 0, 3))
)
BINS = (
    ScoreBin(0.0, 0.5, 60, 6, 0.4, 0.25, 0.1, 0.45, 0.2),
    ScoreBin(0.5, 1.0, 40, 0, 0.8, 0.9, 0.7, 0.98, float("nan")),
)
NAN = float("nan")


@cache
def report() -> Report:
    questions = [
        Identify(worst=2),
        Identify(of=ExpectedCost(COSTS)),
        Compare("accent=welsh", "accent=irish"),
        Compare("accent=welsh", "accent=irish", of=ExpectedCost(COSTS, ("accent",))),
        Rank(CalibrationError(("gender",))),
        Calibration(("accent",)),
        Confusion(),
        Cost(COSTS),
    ]
    return report_of(played(estimator=Beta("overall", 2.0)), questions=questions)


@cache
def page() -> str:
    return render_html(report())


def parts(text: str, tag: str, kind: str) -> list[Element]:
    root = fromstring(text)
    return [each for each in root.iter(tag) if each.get("class") == kind]


def near(element: Element, name: str) -> float:
    return float((element.get(name) or "").rstrip("%"))


# The page.


def test_sections_and_questions_are_on_the_page() -> None:
    found = Page(page())
    assert (found.open, found.faults) == ([], [])
    ids = [a["id"] for tag, a in found.tags if tag == "section" and "id" in a]
    assert [name for name in ids if name in ("answers", "ranking", "calibration", "confusion")] == [
        "answers", "ranking", "calibration", "confusion",
    ]  # fmt: skip
    assert page().count("<h3><bdi>") == len(report().answers)
    assert page().count("Estimated by") == len(report().answers) + 3


def test_every_figure_has_a_title_and_every_table_a_caption() -> None:
    svgs = re.findall(r"<svg (?!viewBox)[^>]*>(.{0,9})", page())
    assert len(svgs) > 20 and all(after.startswith("<title>") for after in svgs)
    assert page().count("<table") == page().count("<caption")
    plots = re.findall(r'<svg class="plot (?!histogram)[^>]*><title>[^<]*</title>(.{6})', page())
    assert plots and all(after == "<desc>" for after in plots)


def test_nothing_is_fetched_and_no_script_is_needed() -> None:
    assert page().count("<script") == 2, "the heat map's data and its script"
    assert "http://" not in page() and "https://" not in page()


def test_hostile_names_stay_text() -> None:
    bad = '</svg><script>alert("1")</script>'
    ranking = report().ranking
    assert ranking is not None
    names = (bad, *(row.group.name for row in ranking.rows[1:]))
    groups = replace(ranking.values.groups, partition=None, labels=names)
    changed = replace(ranking, values=replace(ranking.values, groups=groups))
    assert bad in {row.group.name for row in changed.rows}
    text = render_html(replace(report(), ranking=changed, answers=(Unanswered(bad, bad),)))
    assert Page(text).faults == [] and text.count("<script") == 2


# Figures.


def test_reliability_has_a_dot_at_each_score_and_its_gap() -> None:
    text = figures.reliability(BINS, "Title\nWords.")
    dots = list(fromstring(text).iter("circle"))
    assert [(near(dot, "cx"), near(dot, "cy")) for dot in dots] == [(40, 75), (80, 10)]
    first, second = parts(text, "rect", "gap")
    gap = [near(first, name) for name in ("x", "width", "y", "height")]
    assert gap == pytest.approx([0, 50, 60, 15])
    assert near(second, "height") == pytest.approx(10)
    assert len(parts(text, "rect", "plain")) == 1, "a bin without labels has no plain frequency"


def test_histogram_columns_go_by_items_and_labels() -> None:
    text = figures.histogram(BINS, "Title")
    heights = [near(each, "height") for each in parts(text, "rect", "items")]
    assert heights == pytest.approx([100, 66.67])
    assert near(parts(text, "rect", "labels")[0], "height") == pytest.approx(10)


def test_difference_shades_what_counts_as_none() -> None:
    curve = Density((-0.3, -0.2, -0.1), (0.1, 1.0, 0.1))
    estimate = figures.Spot(-0.2, -0.28, -0.12)
    text = figures.difference(curve, estimate, 0.05, "Title\nWords", str)
    (region,) = parts(text, "rect", "rope")
    (zero,) = parts(text, "line", "zero")
    middle = near(region, "x") + near(region, "width") / 2
    assert middle == pytest.approx(near(zero, "x1"), abs=0.02)
    # The axis reaches from -30 to +10 points.
    assert near(region, "width") == pytest.approx(25)
    order = [child.get("class") or child.tag for child in fromstring(text)]
    assert order.index("rope") < order.index("rule"), "it lies behind everything else"


def test_a_known_number_is_a_line_without_a_curve() -> None:
    known = figures.Spot(0.1, 0.1, 0.1)
    root = figures.density(Density((0.1,), (1.0,)), Axis.around([0.0, 0.2]), known, "Title")
    assert [line.get("class") for line in root.iter("line")].count("tick") == 1
    assert not list(root.iter("polygon"))


def calibrations(name: str, accuracy: float, error: float) -> CalibrationRow:
    rows = (GroupRow(name, 10, 5, value, value - 0.05, value + 0.05) for value in (error, accuracy))
    return CalibrationRow(*rows, 0.8, 0.1)


def test_names_in_a_scatter_do_not_lie_on_each_other() -> None:
    rows = [calibrations(f"g{k}", 0.7 + 0.001 * k, 0.2) for k in range(6)]
    named = dict.fromkeys((each.error.name for each in rows), "poor")
    axes = (Axis.around([0, 0.3]), Axis.around([0.5, 0.9]))
    text = figures.scatter(rows, named, axes, "Title")
    heights = sorted(near(each, "y") for each in parts(text, "text", "name first poor"))
    steps = [b - a for a, b in pairwise(heights)]
    assert len(heights) == 6 and min(steps) >= 100 * figures.LINE - 0.02


def test_a_crowd_keeps_the_intervals_of_those_that_stand_out() -> None:
    rows = [calibrations(f"g{k}", 0.6 + 0.002 * k, 0.2) for k in range(60)]
    axes = (Axis.around([0, 0.3]), Axis.around([0.5, 0.9]))
    text = figures.scatter(rows, {"g0": "poor"}, axes, "Title")
    assert len(list(fromstring(text).iter("circle"))) == 60
    assert len(parts(text, "line", "reach")) == 2


def test_ranks_grow_downwards() -> None:
    group = GroupRow("a", 10, 5, 0.5, 0.4, 0.6)
    rows = [RankRow(group, rank, rank, rank, 0.0, 0.0) for rank in range(1, 61)]
    text = figures.rank_dots(rows, "Title\nWords")
    heights = [near(each, "cy") for each in fromstring(text).iter("circle")]
    assert heights == sorted(heights) and heights[0] < heights[-1]
    marks = [each.text for each in parts(text, "text", "beside")]
    assert "0" not in marks and "20" in marks


# Words.


def compared(**changes: Any) -> Compared:
    side = Reading(0.5, 0.4, 0.6, 0.9, "pool")
    made = Compared(
        BASIS, ("a=x", "a=y"), (side, side), Reading(-0.14, -0.2, -0.07, 0.9, "pool"),
        0.0, 0.02, 0.98, 0.05, 0.95, np.full(9, -0.14),
    )  # fmt: skip
    return replace(made, **changes)


def test_a_verdict_in_words() -> None:
    assert compared().plain() == (
        "a=y is better, with probability 98%. The difference, first minus second, is "
        "\N{MINUS SIGN}14.0 points (\N{MINUS SIGN}20.0 to \N{MINUS SIGN}7.0)."
    )
    torn = compared(second_better=0.94)
    assert torn.plain().startswith("Not decided: the likeliest verdict, “a=y is better")
    unit = Unit("expected cost", is_share=False, is_bad_high=True)
    cost = compared(basis=replace(BASIS, unit=unit))
    assert "points" not in cost.plain()
    assert verdicts.rope_words(compared(rope=0.0)) == "Any difference counts."


def test_a_comparison_by_name_gets_three_bars() -> None:
    shown = drawn(compared(), report())
    assert [text for _, _, text in shown["chances"]] == ["<0.1%", "2%", "98%"]


class Seen:
    """A belief about two answers whose intervals are their means."""

    mean = np.array([[0.7, 0.3], [0.002, 0.998]])
    weight, seen = np.array([50.0, 50.0]), np.zeros((2, 2))

    def interval(self, level: float) -> Any:
        return self.mean, self.mean


def confusion(n_labelled: float) -> ConfusionMatrix:
    names, sizes = ("x", "y"), np.array([50.0, 50.0])
    belief: Any = Seen()
    return ConfusionMatrix(
        BASIS, names, names, Seen.mean, sizes, np.array([n_labelled, 9.0]), belief
    )


def test_confusions_that_no_label_supports_are_blank() -> None:
    first, second = drawn(confusion(20), report())["rows"]
    assert [cell[1] for cell in first["cells"]] == ["70%", "30%"]
    assert [cell[1] for cell in second["cells"]] == ["", "99.8%"]
    assert first["cells"][0][0] == "cell right" and first["cells"][1][0] == "cell shade0"
    bare = drawn(confusion(0), report())["rows"][0]
    assert [cell[1] for cell in bare["cells"]] == ["?", "?"]


def test_matrix_and_surface_are_held_against_each_other() -> None:
    assert verdicts.confusion_warning(confusion(20), 0.86) == ""
    assert verdicts.confusion_warning(confusion(20), NAN) == ""
    beware = verdicts.confusion_warning(confusion(20), 0.95)
    assert "85%" in beware and "95%" in beware and "more frequent" in beware


def test_ranking_names_the_worst_with_its_probability() -> None:
    found = report().ranking
    assert found is not None
    worst = max(found.rows, key=lambda row: row.last)
    text = found.plain()
    assert text.startswith("The worst is not decided: ") and worst.last < 0.95
    sure = 0.96 * (found.last == worst.last)
    text = replace(found, last=sure).plain()
    assert text.startswith(f"{worst.group.name} is the worst with probability 96%. The best is not")
    values = replace(found.values, mean=found.values.mean[:1])
    alone = replace(found, mean=found.mean[:1], values=values).plain()
    assert alone.startswith("There is nothing to rank")


def test_costs_share_their_digits() -> None:
    write = costs_like([0.0, 250.0])
    assert (write(250.4), write(0.3), write(-0.2)) == ("250", "0", "0")
    assert costs_like([0.0])(0.0) == "0"
