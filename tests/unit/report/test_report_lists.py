"""The report of ranked lists: its numbers are those of the tasks, its page stands without them."""

import json
import re
from functools import cache

import numpy as np
import pytest

from spotheight import (
    AveragePrecision,
    Campaign,
    InputError,
    Naive,
    PrecisionAt,
    RankSystems,
    VettedOnly,
)
from spotheight.beliefs import ItemBelief, Reading
from spotheight.page import render_html
from spotheight.page.lists import effect_words, headline
from spotheight.questions.listanswer import Gap
from spotheight.report import Report, build_report, report_json
from tag_worlds import TAGS, K, campaign, table, truths


def report_of(made: Campaign, **options) -> Report:
    return build_report(made, title="Tags", provenance={}, **options)


@cache
def usual() -> tuple[Campaign, Report]:
    made = campaign()
    return made, report_of(made)


def test_numbers_are_those_of_the_task():
    made, report = usual()
    answer, lists = made.answer(PrecisionAt(K)), report.lists
    assert [each.overall.name for each in lists.rows] == ["good", "poor"]
    for place, each in enumerate(lists.rows):
        assert each.overall.mean == pytest.approx(answer.overall[place].mean)
        means = {row.name: row.mean for row in each.categories}
        assert list(means.values()) == sorted(means.values())
        assert [means[tag] for tag in TAGS] == pytest.approx(answer.mean[place])
    (gap,) = lists.ordered_gaps
    assert (
        gap.difference.mean == pytest.approx(abs(answer.gaps[0].difference.mean))
        and gap.first == "good"
    )
    assert (report.metric, report.service) == (f"precision@{K}", "good")
    assert lists.n_seen == report.n_labelled == 60 and lists.n_listed == report.n_pool


def test_history_runs_from_nothing_to_today_with_the_naive_number_beside_it():
    made, report = usual()
    for place, (name, past) in enumerate(report.vetting.past.items()):
        assert [moment.n_vetted for moment in past] == [0, 20, 40, 60]
        today = report.lists.rows[place].overall
        assert name == today.name and past[-1].mean == pytest.approx(today.mean)
        assert all(moment.low <= moment.mean <= moment.high for moment in past)
        naive = made.using(item_estimator=Naive()).answer(PrecisionAt(K)).overall[place].mean
        assert past[-1].naive == pytest.approx(naive)


def test_effects_of_vetting_and_model_add_up_in_words():
    past = usual()[1].vetting.past["good"]
    start, today = past[0], past[-1]
    words = effect_words("good", past)
    for number in (start.naive, today.mean):
        assert f"{100 * number:.1f}%" in words
    assert "Vetting 60 items" in words


def test_noisy_labels_against_vetted_ones_are_bayes_rule_on_the_belief():
    made, report = usual()
    belief = made.believe(PrecisionAt(K))
    assert isinstance(belief, ItemBelief)
    said, chance = belief.evidence.noisy[:, 0], belief.chance
    found = {row.kind: row for row in report.vetting.noisy}
    assert found["yes"].mean == pytest.approx(chance[said == 1].mean())
    assert found["no"].mean == pytest.approx(chance[said == 0].mean())
    assert found["true"].mean == pytest.approx(chance @ said / chance.sum())
    assert found["false"].mean == pytest.approx((1 - chance) @ said / (1 - chance).sum())
    seen = belief.evidence.is_vetted
    assert found["yes"].vetted == said[seen].sum()
    assert found["yes"].counted == pytest.approx(belief.evidence.truth[seen & (said == 1)].mean())
    assert all(row.low <= row.mean <= row.high for row in report.vetting.noisy)


def test_vetted_to_the_end_the_flip_rates_are_counted_and_intervals_closed():
    made = campaign(0, task=AveragePrecision())
    made.tell(truths())
    rows = {row.kind: row for row in report_of(made).vetting.noisy}
    columns = table().to_pydict()
    truth, noisy = np.array(columns["truth"]), np.array(columns["noisy"])
    for kind, share in (("true", noisy[truth == 1].mean()), ("false", noisy[truth == 0].mean())):
        row = rows[kind]
        assert (row.low, row.mean, row.high, row.counted) == pytest.approx((share,) * 4)


def test_a_report_before_any_label_says_so():
    report = report_of(campaign(0))
    assert any("No item is vetted yet" in note for note in report.notes)
    assert "There is nothing to draw before the first labels" in render_html(report)


@pytest.mark.parametrize(
    "spec",
    [
        {"item_estimator": Naive()},
        {"item_estimator": VettedOnly()},
        {"task": AveragePrecision()},
        {"task": AveragePrecision(known_positives=dict.fromkeys(TAGS, 40.0))},
        {"task": RankSystems(PrecisionAt(K))},
    ],
    ids=["naive", "vetted-only", "estimated", "known", "systems"],
)
def test_every_kind_of_campaign_has_a_page_and_json(spec):
    report = report_of(campaign(24, 2, **spec))
    page = render_html(report)
    for absent in ("heat-map", "quantiles", "arms", "attributes", "worst", "missing"):
        assert f'<section id="{absent}">' not in page
    for tag in TAGS:
        assert f"<bdi>{tag}</bdi>" in page
    assert not re.search(r"\bnan\b", page)
    found = json.loads(report_json(report))
    assert len(found["lists"]["services"]) == 2


def test_the_page_says_how_many_positives_there_are_and_whence():
    guessed = render_html(report_of(campaign(24, 2, task=AveragePrecision())))
    assert "The number of true items is estimated" in guessed
    known = AveragePrecision(known_positives=dict.fromkeys(TAGS, 40.0))
    assert "is known, as it was given: 160 in all" in render_html(
        report_of(campaign(24, 2, task=known))
    )
    assert "number of true items" not in render_html(usual()[1])


def test_other_lists_can_be_asked_for():
    made, _ = usual()
    report = report_of(made, questions=[AveragePrecision()])
    (answer,) = report.answers
    assert answer.metric == "average precision" and answer.knows_positives is False
    assert "Ranked lists by average precision" in render_html(report)


def test_lists_know_no_rate():
    with pytest.raises(InputError, match="about the items of the pool"):
        build_report(
            usual()[0], title="", provenance={}, estimand="rate", questions=[AveragePrecision()]
        )


@pytest.mark.parametrize(
    ("above", "tie", "words"),
    [
        (0.97, 0.0, "a is above b with probability 97%"),
        (0.94, 0.0, "not decided"),
        (0.1, 0.8, "a and b are tied (probability 80%)"),
        (float("nan"), float("nan"), "no interval"),
    ],
)
def test_gaps_in_words(above, tie, words):
    difference = Reading(0.02, 0.01, 0.03, 0.9, "pool")
    assert words in Gap("a", "b", difference, above, tie).verdict


def test_a_service_keeps_its_name_at_the_beginning_of_a_sentence():
    assert ". good is above poor with probability" in headline(usual()[1])


def test_nothing_vetted_and_nothing_guessed_is_said_without_numbers():
    page = render_html(report_of(campaign(0, 0, item_estimator=VettedOnly())))
    assert "nothing is vetted that could tell them apart" in page
    assert not re.search(r"nan\b", page)
