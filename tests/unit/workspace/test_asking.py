"""Asking as any front door does: a question in its short form, for another service or estimator."""

import pytest

from reports import played
from spotheight import (
    Beta,
    Calibration,
    Campaign,
    Compare,
    CompareServices,
    Estimate,
    Identify,
    InputError,
    PrecisionAt,
    Rank,
)
from spotheight.beliefs import Surface
from spotheight.questions.quantities import CalibrationError, HitRate
from spotheight.workspace.asking import answered


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return played(estimator=Beta("overall", 2.0))


def test_a_short_form_is_its_question(campaign: Campaign) -> None:
    said = answered(campaign, "identify:worst=2", estimand="rate")
    same = campaign.answer(Identify(worst=2), "rate")
    assert said.content() == same.content() and said.basis.question == Identify(worst=2)
    assert isinstance(answered(campaign, Estimate()), Surface)


@pytest.mark.parametrize(
    ("question", "same"),
    [
        (Rank(), Rank(HitRate(service="two"))),
        (Rank(CalibrationError(("accent",))), Rank(CalibrationError(("accent",), service="two"))),
        (Calibration(bins=4), Calibration(bins=4, service="two")),
    ],
    ids=repr,
)
def test_a_service_is_put_where_the_question_has_it(
    campaign: Campaign, question: object, same: object
) -> None:
    found = answered(campaign, question, service="two", estimator="eb-beta")  # type: ignore[arg-type]
    assert found.basis.question == same and found.basis.service == "two"
    (caution,) = found.basis.cautions
    assert caution.startswith("Take care: ") and "chose these labels for one" in caution
    assert answered(campaign, question).basis.cautions == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "options", "sentence"),
    [
        ("identfy", {}, "did you mean 'identify'"),
        (Rank(), {"service": "three"}, "no service 'three'"),
        (Rank(), {"estimator": "bta"}, "did you mean 'beta'"),
        (Compare("accent=irish", "accent=irish"), {}, "the same items"),
        (CompareServices("one", "one"), {}, "name two that differ"),
        (Rank(HitRate(by=("@prediction",))), {"estimand": "both"}, "'pool' or 'rate'"),
        (CompareServices("one", "two"), {"service": "one"}, "names its services itself"),
        (PrecisionAt(3), {}, "init --category"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(
    campaign: Campaign, question: object, options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        answered(campaign, question, **options)  # type: ignore[arg-type]
