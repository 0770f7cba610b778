from dataclasses import replace

import pytest

from reports import report_after
from spotheight.beliefs import Reading
from spotheight.page import render_html
from spotheight.page.html import WIDE_COLUMNS
from spotheight.page.words import arms_words, lead_words, weak_spots
from spotheight.report import ArmRow, HeatMap, HistoryPoint, Report, ServiceRow

NAN = float("nan")


def level(name: str, mean: float, reach: float = 0.05) -> ArmRow:
    return ArmRow(name, (name,), 50, 20, mean, mean - reach, mean + reach, "estimated")


def real() -> Report:
    return report_after()


def made(**changes: object) -> Report:
    margins = {"size": (level("S", 0.6), level("M", 0.74)), "ink": (level("", 0.5),)}
    overall = Reading(0.7, 0.65, 0.75, 0.9, "pool")
    shown = {"n_arms": 12, "has_differences": True, **changes}
    return replace(real(), overall=overall, margins=margins, **shown)


def test_weak_spots_lie_below_the_whole_and_the_weakest_comes_first() -> None:
    assert weak_spots(made()) == "It looks worse where ink is (empty) (50%) or size is S (60%)."
    close = {"size": (level("S", 0.6, reach=0.11), level("M", 0.71))}
    silent = weak_spots(replace(made(), margins=close))
    assert silent == "No level of any single attribute stands out as worse."


def test_weak_spots_of_an_error_rate_lie_above_the_whole() -> None:
    report = replace(
        made(is_better_high=False), margins={"size": (level("S", 0.6), level("M", 0.8))}
    )
    assert weak_spots(report) == "It looks worse where size is M (80%)."


def test_no_level_is_called_worse_before_differences_show() -> None:
    silent = weak_spots(made(has_differences=False))
    assert silent == "No difference between arms shows yet."
    assert weak_spots(made(has_differences=None)).startswith("It looks worse where ink")


def test_weak_spots_need_an_estimate() -> None:
    assert weak_spots(replace(made(), overall=Reading(NAN, NAN, NAN, 0.9, "pool"))) == ""
    assert weak_spots(replace(made(), margins={})) == ""


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "all items together"),
        (["size"], "12 levels of size"),
        (["size", "ink"], "12 groups (combinations of levels of size and ink)"),
        (list("abcdefg"), "12 groups (combinations of levels of 7 attributes)"),
    ],
)
def test_arms_are_explained_by_the_attributes(names: list[str], words: str) -> None:
    assert arms_words(replace(made(), margins=dict.fromkeys(names, ()))) == words


def test_a_missing_lead_is_a_reference_or_no_comparison() -> None:
    alone = ServiceRow("one", Reading(0.7, 0.6, 0.8, 0.9, "pool"), 0, None)
    assert lead_words(alone, is_reference=True)[1] == "reference"
    assert lead_words(alone)[1] == "not compared"


def test_arms_that_lack_evidence_are_counted_beyond_the_list() -> None:
    few = replace(real(), n_lacking=70, lacking=real().arms[:4])
    text = render_html(few)
    assert "70 arms have insufficient evidence" in text and "66 smaller ones" in text


def heat_shades(report: Report) -> list[str]:
    cells = {("S", "x"): level("a", 0.1), ("M", "x"): level("b", 0.9)}
    text = render_html(replace(report, heat_maps=(HeatMap("s", "i", ("S", "M"), ("x",), cells),)))
    return [text.split('class="cell shade')[place][:1] for place in (1, 2)]


def test_darker_is_worse_whichever_way_the_metric_points() -> None:
    assert heat_shades(real()) == ["0", "7"]
    assert heat_shades(replace(real(), is_better_high=False)) == ["7", "0"]


def test_page_and_script_share_what_is_wide() -> None:
    columns = tuple(f"c{k}" for k in range(WIDE_COLUMNS + 1))
    cells = {("r", column): level(column, 0.5) for column in columns}
    wide = replace(real(), heat_maps=(HeatMap("s", "i", ("r",), columns, cells),))
    narrow = replace(wide, heat_maps=(HeatMap("s", "i", ("r",), columns[1:], cells),))
    assert 'class="heat wide"' in render_html(wide)
    assert 'class="heat wide"' not in render_html(narrow)
    assert f'"wide": {WIDE_COLUMNS}' in render_html(wide)


def test_one_moment_is_said_rather_than_drawn() -> None:
    text = render_html(replace(real(), history=(HistoryPoint(1, 0.5, 0.2, 0.8),)))
    assert "There is one moment to show: 50% (20 to 80%) after 1 label." in text
    assert "plot history" not in text


def test_a_sole_service_without_a_name_is_not_named() -> None:
    sole = replace(real(), service="service", services=real().services[:1])
    assert "<dt>Service</dt>" not in render_html(sole)
    assert "<dt>Service</dt>" in render_html(replace(sole, service="east"))
