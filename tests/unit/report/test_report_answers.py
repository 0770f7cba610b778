"""What a report answers: the numbers are those of the tasks, and nothing makes it fall over."""

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from reports import LABELS, SOURCE, played, report_of, two_services
from shell import filled
from spotheight import (
    Agreement,
    Beta,
    Calibration,
    Campaign,
    Compare,
    CompareServices,
    Confusion,
    Cost,
    Estimate,
    FalsePositiveRate,
    Frequencies,
    Identify,
    InputError,
    Number,
    Rank,
    Recall,
    Verdict,
)
from spotheight.arms import MISSING
from spotheight.page import render_html
from spotheight.questions.density import Density
from spotheight.questions.quantities import CalibrationError, Costs, ExpectedCost, HitRate
from spotheight.questions.quantities.groups import SILENT
from spotheight.report import Report, report_json
from spotheight.report.answers import Unanswered
from spotheight.report.basis import estimator_of

COSTS = Costs(
    worlds.CLASSES, (*worlds.CLASSES, "(missing)"), ((0, 1, 2, 3), (1, 0, 2, 3), (1, 1, 0, 3))
)
IRISH = Compare("accent=welsh", "accent=irish")
QUESTIONS = [
    Identify(worst=3),
    Identify(best=2, of=CalibrationError(("@prediction",))),
    Identify(of=ExpectedCost(COSTS)),
    IRISH,
    replace(IRISH, of=CalibrationError(("accent",))),
    replace(IRISH, of=ExpectedCost(COSTS, ("accent",))),
    CompareServices("two", "one"),
    Rank(CalibrationError(("gender",))),
    Rank(ExpectedCost(COSTS)),
    Calibration(("accent",), bins=4, cut_by="weight"),
    Confusion(level=0.8),
    Cost(COSTS),
    Cost(COSTS, ("gender", "@prediction")),
]
QUICK: dict[str, Any] = {"estimator": Beta("overall", 2.0)}


@cache
def campaign() -> Campaign:
    return played(**QUICK)


@cache
def report() -> Report:
    return report_of(campaign(), questions=QUESTIONS)


def small(columns: dict[str, Any], *attributes: str, n: int = 16, **roles: Any) -> Campaign:
    """A campaign whose items are what their column ``truth`` says, or ``x``."""
    truth = columns.pop("truth", None)
    pool = worlds.small("column", columns, *attributes, **roles)
    made = worlds.campaign(pool, seed=1, **QUICK)
    told = {query.item: truth[int(query.item[1:])] if truth else "x" for query in made.ask(n)}
    made.tell(told)
    return made


# Numbers: the tasks are the oracle.


def test_calibration_is_the_tasks_with_a_bin_for_each_piece() -> None:
    found, answer = report().calibration, campaign().answer(Calibration())
    assert found is not None and found.by == ("@prediction",)
    assert found.whole.error.mean == answer.errors.mean[0]
    assert (found.whole.plain, found.whole.score) == (answer.plain_errors[0], answer.score[0])
    assert [each.mean for each in found.score_bins] == list(answer.bins.mean)
    for each in found.score_bins:
        assert each.start - 1e-9 <= each.score <= each.end + 1e-9
        assert each.low <= each.high and each.n_labelled <= each.n_pool
    by_class = campaign().answer(Calibration(("@prediction",)))
    accuracies = [each.accuracy.mean for each in found.groups]
    assert accuracies == sorted(accuracies)
    # Silent answers have no class, but some of them have a score.
    assert {each.error.name for each in found.groups} <= {*worlds.CLASSES, SILENT}
    assert sorted(accuracies) == sorted(by_class.accuracy.mean[~np.isnan(by_class.score)])


def test_equal_weight_bins_have_the_edges_of_the_pool() -> None:
    found = report_of(campaign(), questions=[Calibration(bins=4, cut_by="weight")]).answers[0]
    ends = [(each.start, each.end) for each in found.score_bins]
    assert ends[0][0] == 0 and ends[-1][1] == 1
    assert all(first[1] == second[0] for first, second in pairwise(ends))


def test_confusion_is_the_tasks_and_its_mistakes_were_seen() -> None:
    found, answer = report().confusion, campaign().answer(Confusion())
    assert found is not None
    np.testing.assert_allclose(found.mean, answer.mean)
    np.testing.assert_allclose(found.low, answer.low)
    assert [found.answers[row] for row in found.order] == [*worlds.CLASSES, MISSING]
    items = [each.items for each in found.largest]
    assert items == sorted(items, reverse=True)
    told = {item: next(iter(by.values())) for item, by in campaign().ledger.told.items()}
    said = dict(zip(SOURCE["id"].to_pylist(), SOURCE["prediction"].to_pylist(), strict=True))
    seen = {(said[item], truth) for item, truth in told.items() if said[item] not in (None, truth)}
    assert {(each.answer, each.truth) for each in found.largest} == seen
    for each in found.largest:
        row, column = found.answers.index(each.answer), found.classes.index(each.truth)
        numbers = (found.mean[row][column], found.low[row][column], found.high[row][column])
        assert (each.mean, each.low, each.high) == pytest.approx(numbers)


def test_accuracy_of_the_matrix_is_that_of_its_diagonal() -> None:
    found = report().confusion
    assert found is not None
    order = found.order
    right = [found.mean[row][place] for place, row in enumerate(order[:-1])]
    silent = 0.0
    weights = found.n_pool[order]
    assert found.accuracy == pytest.approx(np.average([*right, silent], weights=weights))


def test_ranking_is_the_tasks_and_its_chances_add_up() -> None:
    found, answer = report().ranking, campaign().answer(Rank())
    assert found is not None and found.noun == "arm"
    frame = answer.frame().to_pylist()
    assert [row.group.name for row in found.rows] == [row["group"] for row in frame]
    assert [row.mean for row in found.rows] == [row["rank"] for row in frame]
    assert sum(row.first for row in found.rows) == pytest.approx(1)
    assert sum(row.last for row in found.rows) == pytest.approx(1)


def many_arms() -> Campaign:
    """230 levels against 2, so that arms are too many to be ranked."""
    rows = 460
    columns = {
        "a": [f"l{row % 230:03d}" for row in range(rows)],
        "b": ["yes" if row < 230 else "no" for row in range(rows)],
        "prediction": ["x" if row < 300 else "y" for row in range(rows)],
    }
    return small(columns, "a", "b", n=60)


def test_where_arms_are_many_the_levels_of_an_attribute_are_ranked() -> None:
    made = many_arms()
    built = report_of(made)
    found = built.ranking
    assert found is not None and found.noun == "level of b"
    assert [row.group.name for row in found.rows] == ["b=yes", "b=no"]
    margins = {f"b={row.name}": row.mean for row in built.margins["b"]}
    for row in found.rows:
        # The mean of 2000 draws of a number in [0,1], whose spread is at most one half.
        assert abs(row.group.mean - margins[row.group.name]) < 5 * 0.5 / np.sqrt(2000)


def test_answers_are_the_tasks() -> None:
    answers = dict(zip(map(repr, QUESTIONS), report().answers, strict=True))
    worst = answers[repr(QUESTIONS[0])]
    identified = campaign().answer(QUESTIONS[0])
    assert worst.names == identified.names and len(worst.arms) == 3
    shown = [each.group.name for each in worst.candidates[:3]]
    assert shown == list(identified.names)
    chances = [each.probability for each in worst.candidates]
    assert chances == sorted(chances, reverse=True) and len(chances) <= 20
    compared = campaign().answer(IRISH)
    shown = answers[repr(IRISH)]
    assert shown.names == ("accent=welsh", "accent=irish")
    assert str(shown.difference) == str(compared.difference)
    assert (shown.decision, shown.sureness) == (compared.decision, compared.sureness)
    total = shown.first_better + shown.equivalent + shown.second_better
    assert total == pytest.approx(1)
    cost, costed = answers[repr(Cost(COSTS))], campaign().answer(Cost(COSTS))
    assert cost.overall == costed.overall
    assert [row.mean for row in cost.rows] == sorted(costed.values.mean, reverse=True)


def test_every_answer_says_what_it_rests_on() -> None:
    rate = report_of(campaign(), questions=QUESTIONS, estimand="rate")
    for built, estimand in ((report(), "pool"), (rate, "rate")):
        found = [built.calibration, built.confusion, built.ranking, *built.answers]
        assert {each.basis.estimand for each in found} == {estimand}
        used = {estimator_of(each.basis) for each in found}
        assert used == {
            "beta:prior=overall,strength=2.0",
            "dirichlet on beta:prior=overall,strength=2.0",
        }


def test_json_holds_all_of_it_and_no_number_that_is_none() -> None:
    text = report_json(report())
    data = json.loads(text, parse_constant=pytest.fail)
    assert len(data["answers"]) == len(QUESTIONS)
    assert data["answers"][3]["basis"]["question"].startswith("compare:first=accent=welsh")
    assert data["calibration"]["whole"]["error"]["name"] == "all items"
    assert data["ranking"]["rows"][0]["group"]["name"]


# What is asked.


def test_the_campaigns_own_question_is_answered_once() -> None:
    made = campaign().using(task=Identify(worst=2))
    assert [len(each.arms) for each in report_of(made).answers] == [2]
    assert len(report_of(made, questions=[Identify(worst=2)]).answers) == 1
    for known in (Rank(), Confusion(), Calibration()):
        assert report_of(campaign().using(task=known)).answers == ()


def test_a_question_of_the_campaign_that_fails_does_not_stand_in_the_way() -> None:
    made = campaign().using(task=Compare("accent=welsh", "accent=french"))
    (answer,) = report_of(made).answers
    assert isinstance(answer, Unanswered) and "french" in answer.reason
    with pytest.raises(InputError, match="french"):
        report_of(campaign(), questions=[made.spec.task])


def test_the_surface_itself_needs_no_question() -> None:
    with pytest.raises(InputError, match="does not answer 'estimate'; it can be asked for ident"):
        report_of(campaign(), questions=[Estimate()])


def test_an_error_rate_is_worst_where_it_is_highest() -> None:
    made = played(turns=8, metric=FalsePositiveRate("cat"), **QUICK)
    built = report_of(made, questions=[Identify(worst=1), IRISH])
    assert built.ranking is not None
    means = [row.group.mean for row in built.ranking.rows]
    assert means[0] < means[-1]
    worst, compared = built.answers
    assert worst.candidates[0].group.mean > np.median(means)
    lower_first = compared.difference.mean < 0
    assert lower_first == (compared.first_better > compared.second_better)


# Where it makes no sense.


@pytest.mark.parametrize(
    ("metric", "has_confusion"),
    [(Recall("cat"), True), (FalsePositiveRate("cat"), True), (Agreement(), False)],
)
def test_only_the_accuracy_has_a_calibration(metric: object, has_confusion: bool) -> None:
    built = report_of(played(metric=metric, **QUICK))
    assert built.calibration is None and (built.confusion is not None) == has_confusion
    assert 'id="calibration"' not in render_html(built)


def test_verdicts_and_numbers_have_neither() -> None:
    for metric, column in ((Verdict(), "verdict"), (Number(1, 5), "number")):
        labels = worlds.labels(SOURCE, column)
        made = worlds.campaign(two_services(), metric=metric, **QUICK)
        is_verdict = column == "verdict"
        told = {q.item: labels[q.item] for q in made.ask(12)}
        made.tell({k: {"one": v, "two": v} for k, v in told.items()} if is_verdict else told)
        built = report_of(made)
        assert built.calibration is None and built.confusion is None
        assert built.ranking is not None
        render_html(built)


def test_without_labels_questions_wait() -> None:
    built = report_of(played(turns=0, **QUICK), questions=QUESTIONS[:4])
    assert (built.calibration, built.confusion, built.ranking) == (None, None, None)
    assert {each.reason for each in built.answers} == {"No item is labelled yet."}
    assert render_html(built).count("No item is labelled yet.") == 4


def test_scores_that_are_no_probabilities_are_named_in_a_note() -> None:
    columns = {"a": list("ab") * 20, "prediction": list("xy") * 20, "s": [-3.0, 5.0] * 20}
    built = report_of(small(columns, "a", score="s"))
    assert built.calibration is None and built.confusion is not None
    assert any(note.startswith("Calibration is not shown.") for note in built.notes)
    columns = {"a": list("ab") * 20, "prediction": list("xy") * 20}
    assert not any("alibration" in note for note in report_of(small(columns, "a")).notes)


def test_one_class_and_silent_answers() -> None:
    alone = report_of(small({"a": list("ab") * 20, "s": [0.3, 0.9] * 20}, "a", score="s"))
    assert alone.confusion is None and alone.calibration is not None
    assert alone.calibration.groups == ()
    columns = {"prediction": pa.array(["x", "y", None] * 20), "s": pa.array([0.5, 0.9, None] * 20)}
    built = report_of(small(columns, score="s"), questions=[Calibration(("@prediction",))])
    assert built.calibration is not None and built.confusion is not None
    # Without a score there is no calibration error, not one of zero.
    assert {each.error.name for each in built.calibration.groups} == {"x", "y"}
    found = built.confusion
    assert [found.answers[row] for row in found.order] == ["x", "y", MISSING]
    assert all(each.answer not in (SILENT, MISSING) for each in found.largest)
    assert built.ranking is not None and built.ranking.noun == "predicted class"
    assert "nan" not in render_html(built).lower().replace("provenance", "")


def test_many_classes_have_a_list_instead_of_a_matrix() -> None:
    rows = 300
    columns = {
        "prediction": [f"c{row % 50}" for row in range(rows)],
        "truth": [f"c{(row + (row % 3 == 0)) % 50}" for row in range(rows)],
    }
    built = report_of(small(columns, n=90))
    assert built.confusion is not None
    found = json.loads(report_json(built))["confusion"]
    assert found["mean"] == [] and len(built.confusion.largest) == 20
    text = render_html(built)
    assert "The 20 largest confusions among 50 answers" in text
    assert 'class="heat confusion' not in text


@pytest.mark.parametrize(
    "estimator", [Frequencies(), Beta("informed"), Beta("uninformed")], ids=repr
)
def test_every_estimator_answers_everything(estimator: object) -> None:
    made = played(turns=2, estimator=estimator)
    made.tell(dict(list(LABELS.items())[:20]))
    built = report_of(made, questions=QUESTIONS)
    assert not any(isinstance(each, Unanswered) for each in built.answers)
    report_json(built)
    assert "nan" not in render_html(built).lower().replace("provenance", "")


def test_an_exhausted_pool_is_known() -> None:
    made = played(turns=1, **QUICK)
    made.tell(LABELS)
    built = report_of(made, questions=QUESTIONS)
    assert built.calibration is not None and built.calibration.density.heights == (1.0,)
    assert built.calibration.whole.error.low == built.calibration.whole.error.high
    report_json(built), render_html(built)


# Curves.


def test_a_curve_lies_where_the_draws_do() -> None:
    draws = default_rng(2).normal(3, 2, size=4000)
    curve = Density.of(draws)
    values, heights = np.array(curve.values), np.array(curve.heights)
    assert heights.max() == 1 and len(values) == len(heights)
    # Within five standard errors of the mean; the kernel is symmetric and the tails are cut alike.
    assert abs(np.average(values, weights=heights) - draws.mean()) < 5 * 2 / np.sqrt(4000)
    exact = np.exp(-(((values - 3) / 2) ** 2) / 2)
    assert np.abs(heights - exact).max() < 0.1


def test_a_curve_stays_inside_its_ends() -> None:
    draws = default_rng(3).beta(0.7, 9, size=2000)
    curve = Density.of(draws, 0.0, 1.0)
    assert min(curve.values) >= 0 and max(curve.values) <= 1
    assert curve.heights[0] > 0.5, "what spills over an end is folded back"
    assert Density.of(np.full(9, 0.25)) == Density((0.25,), (1.0,))


# The command.


def told(shell: Any) -> Any:
    shell.ok("tell", "calls.db", "-", input=filled(shell.ok("ask", "calls.db", "-n", "24").stdout))
    return shell


def test_questions_on_the_command_line(calls: Any) -> None:
    shell = told(calls)
    (shell.folder / "costs.csv").write_text("true,yes,no\nyes,0,5\nno,1,0\n")
    shell.ok(
        "report", "calls.db", "-o", "page.html", "--costs", "costs.csv",
        "--ask", "compare:first=(accent=german),second=(accent=english)",
        "--ask", "identify:worst=2", "--ask", "cost", "--ask", "rank:of=(cost:by=accent)",
    )  # fmt: skip
    text = (shell.folder / "page.html").read_text(encoding="utf-8")
    for title in (
        "accent=german against accent=english, by accuracy",
        "The 2 worst by accuracy",
        "Expected cost by predicted class",
        "Ranks by expected cost",
    ):
        assert f"<h3><bdi>{title}</bdi></h3>" in text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--ask", "identfy"], "There is no task 'identfy'; did you mean 'identify'?"),
        (["--ask", "cost"], "--costs FILE.csv"),
        (["--ask", "rank", "--costs", "calls.csv"], "add --ask cost"),
        (["--ask", "identfy", "--costs", "calls.csv"], "There is no task 'identfy'"),
        (["--ask", "estimate"], "A report does not answer 'estimate'"),
        (["--ask", "compare:first=(accent=german),second=(accent=dutch)"], "'dutch'"),
        (["--ask", "cost", "--costs", "calls.csv"], "calls.csv"),
    ],
)
def test_bad_questions_are_refused_in_a_sentence(
    calls: Any,
    options: list[str],
    sentence: str,
) -> None:
    shell = told(calls)
    assert sentence in shell.refused("report", "calls.db", "-o", "page.html", *options)
    assert not (shell.folder / "page.html").exists()


def test_own_groups_are_ranked_under_their_names() -> None:
    (found,) = report_of(campaign(), questions=[Rank(HitRate(("gender",)))]).answers
    assert {row.group.name for row in found.rows} == {"gender=f", "gender=m"}
    assert found.noun == "group"
