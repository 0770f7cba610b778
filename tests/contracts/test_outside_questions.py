"""A question of somebody else is asked, drawn and written like ours, with no drawing of its own."""

import json
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from numpy.random import Generator

from reports import played, report_of
from spotheight import Beta, Campaign
from spotheight.beliefs import Surface
from spotheight.evidence import Cut, Evidence, Source
from spotheight.page import render_html
from spotheight.questions import Answer, Basis
from spotheight.report import report_json
from spotheight.report.text import answer_json
from spotheight.terminal.answers import answer_text, basis_text, remarks
from spotheight.workspace.asking import answered


@dataclass(frozen=True)
class Spread:
    """How far the best arm is from the worst."""

    basis: Basis = field(repr=False)
    best: float
    worst: float

    def frame(self) -> pa.Table:
        return pa.table({"end": ["best <b>", "worst"], "mean": [self.best, self.worst]})

    def content(self) -> dict[str, Any]:
        return {"spread": self.best - self.worst, "unknown": float("nan")}

    def plain(self) -> str:
        return f"Arms lie {100 * (self.best - self.worst):.0f} points apart & more."


@dataclass(frozen=True)
class AskSpread:
    """Ask for it, in the campaign's own arms."""

    service: str = ""
    level: float = 0.8

    @property
    def cut(self) -> Cut:
        return Cut(None, None, self.service or None)

    def evidence(self, source: Source) -> Evidence:
        return source.evidence(*self.cut)

    def answer(self, belief: Surface, rng: Generator) -> Spread:
        mean = belief.belief.mean
        return Spread(Basis.of(self, belief), float(mean.max()), float(mean.min()))


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return played(estimator=Beta("overall", 2.0))


def test_a_campaign_completes_its_basis(campaign: Campaign) -> None:
    found = campaign.answer(AskSpread(), "rate")
    assert isinstance(found, Answer)
    basis = found.basis
    assert (basis.estimand, basis.level, basis.service) == ("rate", 0.8, "one")
    assert basis.labels == 40 and basis.estimator == repr(campaign.spec.estimator)
    other = answered(campaign, AskSpread(), service="two", estimator="eb-beta")
    assert other.basis.service == "two" and basis_text(other.basis).startswith("Number of two; ")
    assert "estimator: eb-beta, estimand: pool (these items), 80% intervals" in basis_text(
        other.basis
    )


def test_terminal_and_json_draw_it(campaign: Campaign) -> None:
    found = campaign.answer(AskSpread())
    text = answer_text(found, 1)
    assert text.startswith(found.plain()) and "best <b>" in text and "(1 more row: " in text
    assert list(remarks(found)) == []
    data = json.loads(answer_json(found), parse_constant=pytest.fail)
    assert data["spread"] == pytest.approx(found.best - found.worst) and data["unknown"] is None
    assert data["estimator"] == "beta:prior=overall,strength=2.0"


def test_report_and_page_hold_it(campaign: Campaign) -> None:
    built = report_of(campaign, questions=[AskSpread()])
    (found,) = built.answers
    assert found == campaign.answer(AskSpread())
    kept = json.loads(report_json(built))["answers"][0]
    assert kept["basis"]["level"] == 0.8 and kept["spread"] == pytest.approx(
        found.best - found.worst, abs=1e-6
    )
    page = render_html(built)
    assert "points apart &amp; more." in page and "best &lt;b&gt;" in page
    own = report_of(campaign.using(task=AskSpread()))
    assert [type(each) for each in own.answers] == [Spread]
