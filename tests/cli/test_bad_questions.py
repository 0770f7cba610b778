"""Questions that cannot be answered: one clear sentence, exit code 2, nothing written."""

import pytest

from shell import INIT, prepared
from spotheight.campaign import Campaign

COSTS = "true,yes,no\nyes,0,5\nno,1,0\n"
FAST = ("--estimator", "beta", "--policy", "random", "--label", "truth")


def all_told(sh):
    sh.ok(*INIT, *FAST)
    (sh.folder / "costs.csv").write_text(COSTS)


def told_of_two(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
          "--attribute", "accent", *FAST, "-o", "two.db")  # fmt: skip


@pytest.fixture
def told(sh):
    """The calls with the labels that their table brings."""
    return prepared(sh, all_told)


@pytest.fixture
def two(sh):
    """Two services on the same labels."""
    return prepared(sh, told_of_two)


BAD_TASKS = {
    "cost without a matrix": (("--task", "cost"), "--costs FILE.csv"),
    "identify without a matrix": (("--task", "identify:of=cost"), "--costs FILE.csv"),
    "a matrix for nothing": (("--costs", "costs.csv"), "--task cost"),
    "a matrix for another task": (("--task", "rank", "--costs", "costs.csv"), "--task cost"),
    "unknown task": (("--task", "idenify"), "did you mean 'identify'?"),
    "unknown quantity": (("--task", "identify:of=eec"), "did you mean 'ece'?"),
    "names of the matrix": (("--task", "cost", "--costs", "other.csv"), "mean 'nope'?"),
    "none of the worst": (("--task", "identify:worst=0"), "At least 1"),
    "all of the worst": (("--task", "identify:worst=99"), "groups, so the 99 worst cannot be told"),
    "unknown level": (("--task", "compare:first=(accent=germn),second=(gender=f)"), "'germn'"),
    "policy and task": (("--task", "rank", "--policy", "expected-lambda"), "comparing two slices"),
}


@pytest.mark.parametrize("case", BAD_TASKS)
def test_a_task_that_cannot_work_is_refused_at_the_start(sh, case):
    options, sentence = BAD_TASKS[case]
    (sh.folder / "costs.csv").write_text(COSTS)
    (sh.folder / "other.csv").write_text("true,yes,nope\nyes,0,5\nno,1,0\n")
    said = sh.refused(*INIT, *options)
    assert sentence in said and len(said.strip().splitlines()) == 1
    assert not (sh.folder / "calls.db").exists()


def test_class_probabilities_must_add_up(sh):
    (sh.folder / "p.csv").write_text("id,pred,p_yes,p_no\n1,yes,.9,.1\n2,no,.4,.5\n")
    said = sh.refused("init", "p.csv", "--id", "id", "--prediction", "pred", "--probability",
                      "yes=p_yes", "--probability", "no=p_no")  # fmt: skip
    assert "item '2' add up to 0.9" in said and not (sh.folder / "p.db").exists()


def test_class_probabilities_are_those_of_one_service(sh):
    said = sh.refused("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction",
                      "b=pred_b", "--probability", "yes=conf")  # fmt: skip
    assert "those of one service, and 2 are named" in said


BAD = {
    "none of the worst": (("identify", "--worst", "0"), "--worst must be at least 1, got 0"),
    "none of the best": (("identify", "--best", "0"), "--best must be at least 1, got 0"),
    "more than there are": (("identify", "--worst", "99"), "the 99 worst cannot be told from"),
    "all there are": (("identify", "--by", "gender", "--best", "2"), "look for 1 at most"),
    "both ends": (("identify", "--best", "1", "--worst", "1"), "not for both"),
    "unknown attribute": (("identify", "--by", "acent"), "did you mean 'accent'?"),
    "an attribute twice": (("rank", "--by", "accent", "--by", "accent"), "named twice"),
    "an uncut score": (("rank", "--by", "@score"), "@score:bins=10"),
    "unknown service": (("rank", "--service", "gogle"), "no service 'gogle'"),
    "a level of 2": (("rank", "--level", "2"), "between 0 and 1, got 2"),
    "unknown estimator": (("rank", "--estimator", "bta"), "did you mean 'beta'?"),
    "costs without a matrix": (("identify", "--of", "cost"), "--costs FILE.csv"),
    "a matrix without costs": (("identify", "--costs", "costs.csv"), "--of cost"),
    "no matrix": (("cost",), "--costs FILE.csv"),
    "no file": (("cost", "--costs", "nowhere.csv"), "no file 'nowhere.csv'"),
    "one slice": (("compare", "accent=german"), "Name two slices"),
    "the same slice twice": (("compare", "accent=german", "accent=german"), "the same items"),
    "the same items twice": (("compare", "gender=f|m", "accent=german or gender=f|m"), "same"),
    "no slice at all": (("compare", "german", "french"), "should read like"),
    "never predicted": (("compare", "@prediction=unicorn", "@prediction=yes"), "'unicorn'"),
    "an unknown attribute": (("compare", "acent=german", "accent=french"), "'accent'?"),
    "a negative rope": (("compare", "gender=f", "gender=m", "--rope", "-1"), "from 0 on"),
    "slices and services": (("compare", "gender=f", "--services", "a", "b"), "leave the slices"),
    "unknown services": (("compare", "--services", "a", "b"), "no service 'a'"),
    "two formats": (("rank", "--json", "--csv"), "not for both"),
    "two formats of a surface": (("surface", "--csv", "--json"), "not for both"),
    "a level that is none": (("surface", "--slice", "accent=germn"), "'germn'"),
    "an attribute that is none": (("check", "--min", ".8", "--slice", "acent=german"), "'accent'?"),
    "a level of 1": (("surface", "--level", "1"), "between 0 and 1, got 1"),
    "one bin": (("calibration", "--bins", "1"), "at least 2 bins, got 1"),
    "no strength": (("calibration", "--strength", "0"), "positive number of labels, got 0"),
    "two estimators": (("calibration", "--strength", "2", "--estimator", "beta"), "--estimator"),
    "no class probabilities": (("confusion", "--prior", "scores"), "--probability"),
    "no strength of classes": (("confusion", "--strength", "0"), "must be positive"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(told, case):
    (command, *options), sentence = BAD[case]
    before = (told.folder / "calls.db").read_bytes()
    said = told.refused(command, "calls.db", *options)
    assert sentence in said and len(said.strip().splitlines()) == 1
    assert (told.folder / "calls.db").read_bytes() == before


@pytest.mark.parametrize("command", ["surface", "check --min .8"])
def test_a_wrong_slice_is_refused_before_anything_is_fitted(told, command, monkeypatch):
    monkeypatch.setattr(Campaign, "surface", lambda *args, **options: pytest.fail("it was fitted"))
    first, *options = command.split()
    assert "'germn'" in told.refused(first, "calls.db", *options, "--slice", "accent=germn")


MATRICES = {
    "a row is missing": ("true,yes,no\nyes,0,5\n", "no row for the class 'no'"),
    "a column is missing": ("true,yes\nyes,0\nno,1\n", "no column for the class 'no'"),
    "a name that does not match": ("true,yes,nope\nyes,0,5\nno,1,0\n", "did you mean 'nope'?"),
    "a ragged row": (
        "true,yes,no\nyes,0\nno,1,0\n",
        "1 costs for the true class 'yes' and 2 answers",
    ),
    "a word": ("true,yes,no\nyes,0,five\nno,1,0\n", "the cost 'five' for the true class 'yes'"),
    "an empty cell": ("true,yes,no\nyes,0,\nno,1,0\n", "the cost '' for the true class 'yes'"),
    "an endless cost": ("true,yes,no\nyes,0,inf\nno,1,0\n", "a finite number"),
    "a column twice": ("true,yes,no,no\nyes,0,5,1\nno,1,0,1\n", "the column 'no' twice"),
    "a row twice": ("true,yes,no\nyes,0,5\nyes,1,0\n", "the row 'yes' twice"),
    "no answers": ("true\nyes\nno\n", "is no cost matrix"),
    "no rows": ("true,yes,no\n", "is no cost matrix"),
}


@pytest.mark.parametrize("case", MATRICES)
def test_a_bad_cost_matrix_gets_one_sentence(told, case):
    text, sentence = MATRICES[case]
    (told.folder / "costs.csv").write_text(text)
    for command in (("cost",), ("rank", "--of", "cost")):
        said = told.refused(command[0], "calls.db", *command[1:], "--costs", "costs.csv")
        assert sentence in said and len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("command", [("calibration",), ("identify", "--of", "ece")], ids=str)
def test_scores_that_are_no_probabilities_have_no_calibration(sh, command):
    name, *options = command
    sh.ok(*INIT[:6], "--attribute", "accent", "--score", "age", "-o", "ages.db")
    assert "needs scores that are probabilities" in sh.refused(name, "ages.db", *options)
    sh.ok(*INIT[:6], "--attribute", "accent", "-o", "none.db")
    assert "needs the service's score" in sh.refused(name, "none.db", *options)


def test_one_group_tells_nothing_apart(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", *FAST, "-o", "one.db")
    assert "--by @prediction" in sh.refused("identify", "one.db")
    assert "--by @prediction" in sh.refused("rank", "one.db")
    sh.ok("rank", "one.db", "--by", "@prediction")


def test_verdicts_name_no_classes(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", "--judge", "-o", "j.db")
    (sh.folder / "costs.csv").write_text(COSTS)
    assert "name the true class" in sh.refused("confusion", "j.db")
    assert "name the true class" in sh.refused("cost", "j.db", "--costs", "costs.csv")


def test_services_are_compared_by_items_judged_on_both(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
          "--judge", "-o", "two.db")  # fmt: skip
    sh.ok("tell", "two.db", "-", input="id,label:a,label:b\n005,1,1\n006,0,\n007,1,\n")
    said = sh.refused("compare", "two.db", "--services", "a", "b")
    assert "2 items with a verdict on only one" in said and "'006' lacks one on 'b'" in said


def test_services_take_no_options_of_slices(two):
    pair = ("--services", "a", "b")
    assert "are services; compare them with --serv" in two.refused("compare", "two.db", "a", "b")
    assert "Both services are 'a'" in two.refused("compare", "two.db", "--services", "a", "a")
    for options in (("--by", "accent"), ("--of", "ece"), ("--estimator", "beta")):
        assert options[0] in two.refused("compare", "two.db", *pair, *options)
    assert "from 0 on" in two.refused("compare", "two.db", *pair, "--rope", "-1")
