"""Questions on the command line: each as a table, as JSON and as CSV, and what they refuse."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import spotheight as api
from shell import INIT, prepared
from spotheight.questions.numbers import tidy, tidy_json
from spotheight.workspace import Workspace

COSTS = "true,yes,no\nyes,0,5\nno,1,0\n"
MATRIX = api.Costs(("yes", "no"), ("yes", "no"), ((0.0, 5.0), (1.0, 0.0)))
FAST = ("--estimator", "eb-beta", "--policy", "random")


def table_rows(path):
    return list(csv.DictReader(io.StringIO(Path(path).read_text())))


def tell(sh, name="calls.db", items=60):
    rows = table_rows("calls.csv")[:items]
    text = "id,label\n" + "".join(f"{row['id']},{row['truth']}\n" for row in rows)
    sh.ok("tell", name, "-", input=text)


def half_told(sh):
    sh.ok(*INIT, *FAST)
    tell(sh)
    (sh.folder / "costs.csv").write_text(COSTS)


def told_of_two(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
          "--attribute", "accent", *FAST, "-o", "two.db")  # fmt: skip
    tell(sh, "two.db")


@pytest.fixture
def told(sh):
    """Half of the calls are labelled, whichever they are."""
    return prepared(sh, half_told)


@pytest.fixture
def two(sh):
    """Two services on the same labels."""
    return prepared(sh, told_of_two)


def read(sh, *arguments):
    """The JSON, which must not hold what JSON does not know."""
    text = sh.ok(*arguments, "--json").stdout
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def rows_of(table):
    """Rows as they leave us, rounded."""
    return tidy_json(table.to_pylist())


def frame(sh, *arguments):
    return list(csv.DictReader(io.StringIO(sh.ok(*arguments, "--csv").stdout)))


def answer(task, estimand="pool", path="calls.db", **using):
    """What a script gets for the same question."""
    with Workspace.open(Path(path)) as work:
        return work.campaign.using(**using).answer(task, estimand)


# Every command, with options that go with it, the key of its rows in JSON, and a column of them.
COMMANDS = {
    "identify": (("--worst", "2"), "groups", "probability"),
    "identify ece": (("--of", "ece", "--bins", "4"), "groups", "probability"),
    "identify cost": (("--of", "cost", "--costs", "costs.csv"), "groups", "probability"),
    "rank": (("--by", "accent"), "groups", "rank_low"),
    "calibration": (("--bins", "4"), "bins", "accuracy"),
    "calibration by": (("--by", "@prediction", "--equal-weight"), "groups", "ece"),
    "confusion": ((), "cells", "mean"),
    "cost": (("--costs", "costs.csv"), "groups", "mean"),
}


@pytest.fixture(params=COMMANDS)
def asked(request):
    options, key, column = COMMANDS[request.param]
    name = request.param.split()[0]
    return (name, "calls.db", *options), key, column


def test_csv_has_the_rows_of_json_and_talk_stays_off_stdout(told, asked):
    arguments, key, column = asked
    found, rows = read(told, *arguments), frame(told, *arguments)
    assert len(rows) == len(found[key]) > 1
    assert [float(row[column]) for row in rows] == pytest.approx(
        [row[column] for row in found[key]]
    )
    assert found["estimand"] == "pool" and found["level"] == 0.9 and found["labels"] == 60
    talk = told.ok(*arguments, "--csv").stderr
    assert (
        f"estimator: {found['estimator']}, estimand: pool (these items), 90% intervals, 60 labels"
        in talk
    )


def test_estimand_and_level_reach_every_question(told, asked):
    arguments, key, _ = asked
    wide = read(told, *arguments, "--estimand", "rate", "--level", ".99")
    slim = read(told, *arguments, "--estimand", "rate", "--level", ".5")
    assert (wide["estimand"], wide["level"], slim["level"]) == ("rate", 0.99, 0.5)
    low = "ece_low" if "ece_low" in wide[key][0] else "low"
    assert all(w[low] < s[low] for w, s in zip(wide[key], slim[key], strict=True))


def test_before_any_label_every_question_is_answered_and_says_so(calls, asked):
    arguments, key, _ = asked
    (calls.folder / "costs.csv").write_text(COSTS)
    found = read(calls, *arguments)
    low, high = ("ece_low", "ece_high") if "ece_low" in found[key][0] else ("low", "high")
    assert found["labels"] == 0 and all(row[low] + 0.1 < row[high] for row in found[key])
    assert "Nothing is labelled yet" in calls.ok(*arguments).stderr


def test_identify_agrees_with_the_campaign(told):
    found = read(told, "identify", "calls.db", "--worst", "2")
    same = answer(api.Identify(worst=2))
    assert found["found"] == list(same.names) and found["worst"] == 2
    assert found["groups"] == rows_of(same.frame())
    assert sum(row["probability"] for row in found["groups"]) == pytest.approx(2)


def test_identify_as_a_table(told):
    result = told.ok("identify", "calls.db", "--best", "2", "--by", "accent")
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["group", "items", "labelled", "accuracy", "interval", "chance"]
    chances = [float(row.split()[-1].rstrip("%")) for row in rows]
    assert len(rows) == 3 and chances == sorted(chances, reverse=True)
    assert sum(chances) == pytest.approx(200, abs=0.2)
    assert "among the 2 best: highest accuracy" in result.stderr
    assert "(4 more groups" in told.ok("identify", "calls.db", "--most", "2").stdout


def test_rank_agrees_with_the_campaign(told):
    of = api.CalibrationError(("@prediction",), bins=4)
    found = read(told, "rank", "calls.db", "--of", "ece", "--by", "@prediction", "--bins", "4")
    assert found["groups"] == rows_of(answer(api.Rank(of=of)).frame()) and found["of"] == "ECE"
    text = told.ok("rank", "calls.db", "--by", "accent")
    assert "is best" in text.stdout and "Rank 1 is the best, the highest accuracy" in text.stderr


def test_the_estimator_can_be_another(told):
    name = "beta:prior=overall"
    found = read(told, "rank", "calls.db", "--estimator", name)
    assert found["estimator"] == name
    same = answer(api.Rank(), estimator=api.Beta("overall"))
    assert found["groups"] == rows_of(same.frame())
    facts = json.loads(told.ok("status", "calls.db", "--json").stdout)
    assert facts["estimator"] == "eb-beta"
    costs = ("--of", "cost", "--costs", "costs.csv", "--estimator", "dirichlet:strength=5")
    assert read(told, "rank", "calls.db", *costs)["estimator"] == "dirichlet:strength=5.0"


# Comparisons.

PAIR = ("compare", "calls.db", "accent=german", "accent=english")


def test_compare_agrees_with_the_campaign(told):
    found = read(told, *PAIR, "--rope", ".1")
    same = answer(api.Compare("accent=german", "accent=english", rope=0.1))
    verdicts = [found[name] for name in ("first_better", "equivalent", "second_better")]
    assert verdicts == tidy_json([same.first_better, same.equivalent, same.second_better])
    assert (found["decision"], found["sureness"]) == (same.decision, tidy(same.sureness))
    assert found["difference"]["mean"] == tidy(same.difference.mean)
    (row,) = frame(told, *PAIR, "--rope", ".1")
    assert float(row["difference_mean"]) == pytest.approx(same.difference.mean)
    assert (row["first_name"], row["second_n_pool"]) == ("accent=german", "40")


SIDES = {
    "metric": (),
    "ece": ("--of", "ece", "--bins", "3"),
    "cost": ("--of", "cost", "--costs", "costs.csv"),
}


@pytest.mark.parametrize("of", SIDES)
@pytest.mark.parametrize("estimand", ["pool", "rate"])
def test_both_sides_add_up_to_the_difference(told, of, estimand):
    found = read(told, *PAIR, *SIDES[of], "--estimand", estimand)
    gap = found["first"]["mean"] - found["second"]["mean"]
    # The metric's own means are exact and the difference is of 2000 draws or more.
    spread = (found["difference"]["high"] - found["difference"]["low"]) / (2 * 1.645)
    assert gap == pytest.approx(found["difference"]["mean"], abs=5 * spread / np.sqrt(2000))
    if of != "metric":
        assert gap == pytest.approx(found["difference"]["mean"], abs=1e-12)
    assert found["first"]["n_pool"] == 40 and found["first"]["n_labelled"] == 20


def test_the_comparison_in_words(told):
    result = told.ok("compare", "calls.db", "@prediction=yes", "@prediction=no", "--rope", ".3")
    assert "they differ by no more than 30 points" in result.stdout
    assert "Decision: practically equivalent" in result.stdout
    assert "@prediction=yes minus @prediction=no" in result.stdout
    unsure = told.ok("compare", "calls.db", "gender=f", "gender=m", "--rope", "0").stdout
    assert "both alike" in unsure and "More labels would tell better" in unsure


def test_a_number_is_cut_as_in_init_unless_by_says_otherwise(sh):
    sh.ok(*INIT, "--attribute", "age:edges=30,50", *FAST)
    tell(sh)
    groups = read(sh, "identify", "calls.db", "--by", "age")["groups"]
    assert {row["group"] for row in groups} == {"age=<30", "age=30..50", "age=>=50"}
    pair = ("age=<40", "age=>=40", "--by", "age:edges=40")
    sizes = read(sh, "compare", "calls.db", *pair)
    assert sizes["first"]["n_pool"] + sizes["second"]["n_pool"] == 120


def test_services_are_compared_in_pairs(two):
    found = read(two, "compare", "two.db", "--services", "a", "b")
    same = answer(api.CompareServices("a", "b"), path="two.db")
    assert found["first_better"] == tidy(same.first_better) and found["decision"] == same.decision
    gap = found["first"]["mean"] - found["second"]["mean"]
    assert gap == pytest.approx(found["difference"]["mean"], abs=1e-12)
    # Of the first 60 calls a errs on every fifth and b on every fourth.
    assert list(found["outcomes"].values()) == [36, 12, 9, 3]
    text = two.ok("compare", "two.db", "--services", "a", "b").stdout
    assert "only a right" in text and "Not decided; likeliest is: a is better" in text


# Calibration, confusion, cost.


def test_calibration_agrees_with_the_campaign(told):
    found = read(told, "calibration", "calls.db", "--bins", "4")
    same = answer(api.Calibration(bins=4))
    assert found["bins"] == rows_of(same.diagram())
    assert found["groups"] == rows_of(same.frame())
    text = told.ok("calibration", "calls.db", "--bins", "4").stdout
    ece, plain = found["groups"][0]["ece"], found["groups"][0]["ece_plain"]
    assert f"{100 * ece:.1f}% (" in text and f"from the labels alone: {100 * plain:.1f}%" in text
    assert text.splitlines()[4].split()[:3] == ["score", "items", "labelled"]


def test_calibration_with_a_strength_is_the_informed_prior(told):
    found = read(told, "calibration", "calls.db", "--strength", "7", "--by", "@prediction")
    same = answer(api.Calibration(by=("@prediction",)), estimator=api.Beta("informed", 7))
    assert found["groups"] == rows_of(same.frame())
    assert found["estimator"] == "beta:prior=informed,strength=7.0"


def test_what_was_not_seen_is_empty_in_csv_and_null_in_json(calls):
    found = read(calls, "calibration", "calls.db", "--bins", "4", "--estimator", "beta")
    assert {row["accuracy_plain"] for row in found["bins"]} == {None}
    rows = frame(calls, "calibration", "calls.db", "--bins", "4", "--estimator", "beta")
    assert {row["accuracy_plain"] for row in rows} == {""}


def test_the_confusion_matrix_agrees_with_the_campaign(told):
    found = read(told, "confusion", "calls.db", "--prior", "even", "--strength", "4")
    same = answer(api.Confusion(), class_estimator=api.Dirichlet(4, "even"))
    assert [row["mean"] for row in found["cells"]] == pytest.approx(same.mean.ravel())
    assert found["answers"] == list(same.answers) and found["classes"] == list(same.classes)
    text = told.ok("confusion", "calls.db").stdout
    assert "truly yes" in text and "answer" in text


def test_many_classes_show_the_largest_confusions(sh):
    classes = "abcdefg"
    rows = [f"{i},{classes[i % 7]}" for i in range(140)]
    (sh.folder / "many.csv").write_text("id,pred\n" + "\n".join(rows) + "\n")
    sh.ok("init", "many.csv", "--id", "id", "--prediction", "pred", *FAST, "-o", "many.db")
    labels = [f"{i},{'g' if i % 7 == 2 else classes[i % 7]}" for i in range(70)]
    sh.ok("tell", "many.db", "-", input="id,label\n" + "\n".join(labels) + "\n")
    text = sh.ok("confusion", "many.db", "--most", "3").stdout
    head, first, *rest = text.splitlines()
    assert head.split() == ["answer", "truth", "items", "labelled", "share", "interval", "expected"]
    assert first.split()[:4] == ["c", "g", "20", "10"]
    assert rest[-1].startswith("(39 more pairs")
    assert len(frame(sh, "confusion", "many.db")) == 49


def test_class_probabilities_are_the_prior(sh):
    text = "id,pred,p_yes,p_no\n" + "".join(f"{i},yes,0.75,0.25\n" for i in range(40))
    (sh.folder / "sure.csv").write_text(text)
    roles = ("--id", "id", "--prediction", "pred", "--classes", "yes,no")
    sh.ok("init", "sure.csv", *roles, "--probability", "yes=p_yes", "--probability", "no=p_no")
    own = ("confusion", "sure.db", "--hits", "own")
    shares = [row["mean"] for row in read(sh, *own)["cells"]]
    assert shares == pytest.approx([0.75, 0.25])
    even = read(sh, *own, "--prior", "even")["cells"]
    assert [row["mean"] for row in even] == pytest.approx([0.5, 0.5])


def test_cost_agrees_with_the_campaign(told):
    found = read(told, "cost", "calls.db", "--costs", "costs.csv", "--by", "accent")
    same = answer(api.Cost(MATRIX, by=("accent",)))
    assert found["groups"] == rows_of(same.values.frame())
    assert found["overall"]["mean"] == tidy(same.overall.mean)
    text = told.ok("cost", "calls.db", "--costs", "costs.csv").stdout
    assert text.splitlines()[-1].startswith("all items") and "@prediction=yes" in text


def test_answers_that_differ_in_case_only_keep_their_columns(sh):
    (sh.folder / "case.csv").write_text("id,pred\n1,Yes\n2,yes\n3,Yes\n4,yes\n")
    sh.ok("init", "case.csv", "--id", "id", "--prediction", "pred", "--policy", "random")
    (sh.folder / "costs.csv").write_text("true,Yes,yes\nYes,7,7\nyes,3,3\n")
    sh.ok("tell", "case.db", "-", input="id,label\n1,Yes\n2,yes\n3,Yes\n4,yes\n")
    groups = read(sh, "cost", "case.db", "--costs", "costs.csv")["groups"]
    assert {row["group"]: row["mean"] for row in groups} == {
        "@prediction=Yes": 7.0,
        "@prediction=yes": 3.0,
    }


def test_labels_chosen_for_another_question_are_pointed_out(sh):
    sh.ok(*INIT, "--estimator", "eb-beta")
    (sh.folder / "costs.csv").write_text(COSTS)
    tell(sh)
    own = ("--estimator", "dirichlet:hits=own")
    assert "Take care: gain chose" in sh.ok("confusion", "calls.db", "--hits", "own").stderr
    assert "Take care" in sh.ok("cost", "calls.db", "--costs", "costs.csv", *own).stderr
    assert "Take care" not in sh.ok("confusion", "calls.db").stderr
    assert "Take care" not in sh.ok("calibration", "calls.db").stderr


def test_nothing_is_pointed_out_where_labels_are_fair(told):
    assert "Take care" not in told.ok("confusion", "calls.db").stderr
    told.ok(*INIT[:-1], "cost.db", "--task", "confusion", "--policy", "thompson")
    tell(told, "cost.db")
    assert "Take care" not in told.ok("cost", "cost.db", "--costs", "costs.csv").stderr


def test_a_false_positive_rate_is_bad_when_high(sh):
    sh.ok(*INIT, *FAST, "--metric", "false-positive-rate:cls=yes")
    tell(sh)
    worst = read(sh, "identify", "calls.db", "--by", "accent")["groups"][0]
    ranked = read(sh, "rank", "calls.db", "--by", "accent")["groups"]
    assert worst["group"] == max(ranked, key=lambda row: row["worst"])["group"]
    assert worst["group"] != ranked[0]["group"]
    assert "the lowest" in sh.ok("rank", "calls.db", "--by", "accent").stderr


def test_a_group_of_one_item_is_a_group(told):
    text = (told.folder / "calls.csv").read_text() + "900,yes,yes,.5,dutch,f,30,yes,u\n"
    (told.folder / "calls.csv").write_text(text)
    told.ok("relink", "calls.db", "calls.csv")
    for options in ((), ("--of", "ece"), ("--of", "cost", "--costs", "costs.csv")):
        groups = read(told, "identify", "calls.db", "--by", "accent", *options)["groups"]
        (dutch,) = (row for row in groups if row["group"] == "accent=dutch")
        assert dutch["n_pool"] == 1 and dutch["n_labelled"] == 0
        assert dutch["low"] <= dutch["mean"] <= dutch["high"]
    assert (
        read(told, "compare", "calls.db", "accent=dutch", "accent=german")["first"]["n_pool"] == 1
    )


# Tasks of a campaign.

TASKS = {
    "identify:worst=3": (),
    "identify:worst=1,of=(ece:by=@prediction)": ("--policy", "top-two"),
    "compare:first=(accent=german),second=(accent=english)": ("--policy", "thompson"),
    "calibration:bins=4": ("--policy", "thompson"),
    "confusion": ("--policy", "thompson"),
    "cost": ("--costs", "costs.csv", "--policy", "thompson"),
    "identify:of=cost": ("--costs", "costs.csv", "--policy", "multiple-play"),
    "identify:worst=2,of=(cost:by=accent)": ("--costs", "costs.csv"),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_campaign_is_started_for_a_question(sh, task):
    (sh.folder / "costs.csv").write_text(COSTS)
    sh.ok(*INIT, "--estimator", "beta", "--task", task, *TASKS[task])
    assert len(sh.ok("ask", "calls.db", "-n", "3").stdout.splitlines()) == 4
    with Workspace.open(Path("calls.db")) as work:
        kept = work.campaign.spec.task
    costs = getattr(kept, "costs", None) or getattr(getattr(kept, "of", None), "costs", None)
    assert costs == (MATRIX if "costs.csv" in TASKS[task] else None)


def test_the_cost_matrix_of_the_campaign_is_the_default(sh):
    (sh.folder / "costs.csv").write_text(COSTS)
    sh.ok(*INIT, "--task", "cost", "--costs", "costs.csv", "--policy", "random")
    tell(sh)
    found = read(sh, "cost", "calls.db")
    assert found == read(sh, "cost", "calls.db", "--costs", "costs.csv")
    assert read(sh, "rank", "calls.db", "--of", "cost")["of"] == "cost"


def test_simulate_takes_a_cost_matrix(sh):
    (sh.folder / "costs.csv").write_text(COSTS)
    options = ("--prediction", "pred", "--label", "truth", "--attribute", "accent", "--budget",
               "24", "--seeds", "1", "--workers", "1", "--estimator", "beta", "--policy",
               "thompson:draws=16", "--json")  # fmt: skip
    result = sh.ok("simulate", "calls.csv", *options, "--task", "cost", "--costs", "costs.csv")
    assert json.loads(result.stdout)["labels"] == 24
    said = sh.refused("simulate", "calls.csv", *options, "--task", "cost")
    assert "--costs FILE.csv" in said
