"""Numbers that leave us are free of what sums of floats leave behind; people read small chances."""

import csv
import io
import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reports import played, report_after
from shell import INIT, filled, prepared
from spotheight import EmpiricalBeta
from spotheight.page import render_html
from spotheight.questions import numbers
from spotheight.questions.identify import Identify
from spotheight.questions.words import percent
from spotheight.terminal.tables import identified_text

LONG = re.compile(r"\d\.\d{13}")
"""More digits behind the point than any number here deserves."""


def fifth_told(sh: Any) -> None:
    sh.ok(*INIT)
    sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "24").stdout))


@pytest.fixture
def played_calls(sh: Any) -> Any:
    return prepared(sh, fifth_told)


@pytest.mark.parametrize(
    "command",
    [
        ("surface", "calls.db", "--json"),
        ("surface", "calls.db", "--csv"),
        ("surface", "calls.db", "--slice", "accent=german", "--json"),
        ("surface", "calls.db", "--slice", "accent=german", "--csv"),
        ("status", "calls.db", "--json"),
        ("rank", "calls.db", "--json"),
        ("rank", "calls.db", "--csv"),
        ("export", "calls.db", "--to", "csv"),
        ("export", "calls.db", "--to", "json"),
    ],
    ids=" ".join,
)
def test_no_number_has_digits_of_rounding(played_calls: Any, command: tuple[str, ...]) -> None:
    assert not LONG.search(played_calls.ok(*command).stdout)


def test_ends_of_the_scale_are_exact() -> None:
    table = pa.table({"low": [-2e-17, float("nan")], "high": [0.9999999999999998, 1 + 2e-16]})
    tidy = numbers.tidy_table(table)
    assert tidy["high"].to_pylist() == [1.0, 1.0] and str(tidy["low"].to_pylist()[0]) == "0.0"
    assert percent(0.9999999999999998) == "100%"
    assert numbers.tidy_json([1e-16, float("nan"), True, "x"]) == [0.0, None, True, "x"]
    assert numbers.tidy_json({"n": np.int64(3), "x": np.array([1e-16, np.nan])}) == {
        "n": 3,
        "x": [0.0, None],
    }


def test_surface_of_a_pool_labelled_to_the_end_is_exact(calls: Any) -> None:
    calls.ok("tell", "calls.db", "-", input=filled(calls.ok("ask", "calls.db", "-n", "120").stdout))
    for row in csv.DictReader(io.StringIO(calls.ok("surface", "calls.db", "--csv").stdout)):
        assert row["mean"] == row["low"] == row["high"]
    data = json.loads(calls.ok("surface", "calls.db", "--json").stdout)
    assert all(row["low"] == row["high"] for row in data["arms"])


def test_people_read_a_small_chance_as_one_in_so_many() -> None:
    campaign = played(estimator=EmpiricalBeta())
    answer = campaign.answer(Identify(worst=2))
    answer.probability[:2] = 6.67e-05, 0.0
    text = identified_text(answer, 99)
    assert (
        "1 in 15,000" in text and "<0.1%" in text and not re.search(r" 0\.0%$", text, re.MULTILINE)
    )


def test_words_are_introduced_where_they_come_up(played_calls: Any) -> None:
    status = played_calls.ok("status", "calls.db").stdout
    assert "6 (groups: combinations of attribute levels)" in status
    assert "additive (Multilevel logistic" in status and "gain (Label where" in status
    assert "estimand: pool (these items)" in status
    talk = played_calls.ok("surface", "calls.db").stderr
    assert "An arm is a group (a combination of attribute levels)." in talk
    assert "inferred, that the interval is narrower" in talk
    page = render_html(report_after())
    assert "groups (combinations of levels of" in page
    assert "An arm is a group of items: one combination of attribute levels" in page
    assert "inferred, that the interval is narrower" in page
