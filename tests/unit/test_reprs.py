"""What a Python prompt shows is a few lines, whatever it stands for."""

import pytest

from reports import played, report_after
from spotheight import Beta, Calibration, Compare, CompareServices, Confusion, Identify, Rank
from spotheight.campaign.spec import Spec

MOST_LINES, MOST_LETTERS = 3, 500
QUESTIONS = (
    Rank(),
    Identify(worst=2),
    Compare("accent=irish", "accent=welsh"),
    CompareServices("one", "two"),
    Calibration(),
    Confusion(),
)


def is_short(value: object) -> bool:
    text = repr(value)
    return text.count("\n") < MOST_LINES and len(text) <= MOST_LETTERS


@pytest.mark.parametrize("turns", [0, 5])
def test_surfaces_campaigns_and_reports_are_short(turns: int) -> None:
    campaign = played(turns=turns)
    surface = campaign.surface()
    for value in (campaign, surface, surface.overall(), report_after(turns), Spec()):
        assert is_short(value), repr(value)


def test_a_surface_says_what_it_is() -> None:
    surface = played(estimator=Beta()).surface("rate")
    text = repr(surface)
    assert f"Surface of the rate: {surface.cells.arms} arms, 40 of 200 items labelled" in text
    assert str(surface.overall()) in text and "Beta(" in text


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: type(each).__name__)
def test_answers_and_what_they_are_read_from_are_short(question: object) -> None:
    campaign = played()
    for value in (campaign.answer(question), campaign.believe(question)):
        assert is_short(value), repr(value)
