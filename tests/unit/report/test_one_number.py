"""A quantity is the same number wherever it stands, or words say which question it answers."""

import json
from typing import Any

import pytest
from numpy.random import default_rng

from reports import played, report_of
from shell import filled
from spotheight import Additive, Calibration, Campaign, EmpiricalBeta
from spotheight.page import render_html
from spotheight.report import Report


@pytest.fixture(scope="module", params=[Additive(), EmpiricalBeta()], ids=["additive", "eb-beta"])
def campaign(request: pytest.FixtureRequest) -> Campaign:
    return played(turns=6, estimator=request.param)


@pytest.fixture(scope="module")
def report(campaign: Campaign) -> Report:
    return report_of(campaign, questions=[Calibration(service="two")])


def ends(row: Any) -> list[float]:
    return pytest.approx([row.mean, row.low, row.high], abs=1e-9)


def test_the_overall_number_is_that_of_the_surface(campaign: Campaign, report: Report) -> None:
    assert ends(report.overall) == ends(campaign.surface().overall()).expected
    assert report.services[0].overall == report.overall
    last = report.history[-1]
    assert ends(last) == ends(report.overall).expected


def test_calibration_has_the_accuracy_of_the_surface(campaign: Campaign, report: Report) -> None:
    """Scores cut the arms of a calibration, which tell the accuracy a little differently."""
    assert report.calibration is not None
    assert ends(report.calibration.whole.accuracy) == ends(report.overall).expected
    other = campaign.surface(service="two").overall()
    assert ends(report.answers[0].whole.accuracy) == ends(other).expected
    by_bins = Calibration().answer(campaign.believe(Calibration()), default_rng(0)).accuracy
    assert by_bins.mean[0] != pytest.approx(report.overall.mean, abs=1e-4)


def test_levels_and_slices_are_the_same(campaign: Campaign, report: Report) -> None:
    surface = campaign.surface()
    for name, rows in report.margins.items():
        for row in rows:
            assert ends(row) == ends(surface.slice(**{name: row.name})).expected


def test_numbers_from_pairs_say_so(report: Report) -> None:
    page = render_html(report)
    assert "that of each other service is as these pairs tell it" in page


def test_commands_agree_or_say_why_not(sh: Any) -> None:
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
          "--score", "a=conf", "--attribute", "accent", "--attribute", "gender",
          "-o", "calls.db")  # fmt: skip
    sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "24").stdout))

    def read(*command: str) -> Any:
        return json.loads(sh.ok(*command, "--json").stdout)

    overall = read("status", "calls.db")["overall"]["mean"]
    assert read("surface", "calls.db")["overall"]["mean"] == pytest.approx(overall, abs=1e-9)
    (group,) = read("calibration", "calls.db")["groups"]
    assert group["accuracy"] == pytest.approx(overall, abs=1e-9)
    for accent in ("german", "french"):
        name = f"accent={accent}"
        of_slice = read("surface", "calls.db", "--slice", name)[name]["mean"]
        compared = read("compare", "calls.db", name, "accent=english")["first"]["mean"]
        assert compared == pytest.approx(of_slice, abs=1e-9)
    said = sh.ok("compare", "calls.db", "--services", "a", "b").stdout
    assert "as these pairs tell it" in said
