"""Ranked lists on the command line: every command answers or says what to use instead."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from numpy.random import default_rng

import spotheight as api
from shell import Shell
from spotheight.workspace import Workspace

CATEGORIES, IMAGES, K = ("bird", "boat", "cat"), 30, 8
ROLES = ("--id", "image", "--category", "tag", "--noisy-label", "noisy",
         "--score", "good=good", "--score", "poor=poor")  # fmt: skip
INIT = ("init", "tags.csv", *ROLES, "--task", f"precision:k={K}", "-o", "tags.db")


def tag_rows():
    """Two services on the same tags; the first one's scores follow the truth, the other's hardly.

    The poor service does not return every ninth pair, which is no error.
    """
    rng = default_rng(3)
    rows = []
    for tag in CATEGORIES:
        for image in range(IMAGES):
            truth = bool(rng.random() < 0.5)
            noisy = truth if rng.random() < 0.8 else not truth
            good, poor = (rng.normal(gap * truth) for gap in (3, 0.5))
            shown = "" if image % 9 == 0 else f"{poor:.4f}"
            rows.append([f"i{image:02}", tag, f"{good:.4f}", shown, int(noisy), int(truth)])
    return rows


def write(path, rows, header=("image", "tag", "good", "poor", "noisy", "truth")):
    with Path(path).open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def truths():
    return {(row[0], row[1]): row[-1] for row in tag_rows()}


def vet(sh, n=30, name="tags.db"):
    """What a person does: ask, fill in, tell."""
    rows = list(csv.DictReader(io.StringIO(sh.ok("ask", name, "-n", n).stdout)))
    known = truths()
    for row in rows:
        row["label"] = known[row["image"], row["tag"]]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    sh.ok("tell", name, "-", input=text.getvalue())
    return rows


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a campaign of which nothing is vetted, and one with 30 items vetted."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write("tags.csv", tag_rows())
        sh = Shell(folder)
        sh.ok(*INIT)
        shutil.copy("tags.db", "bare.db")
        vet(sh)
    return folder


@pytest.fixture
def tags(sh, made):
    """A campaign about lists with nothing vetted."""
    shutil.copy(made / "bare.db", "tags.db")
    return sh


@pytest.fixture
def vetted(sh, made):
    """The same with 30 vetted items."""
    shutil.copy(made / "tags.db", "tags.db")
    return sh


def read(sh, *arguments):
    text = sh.ok(*arguments, "--json").stdout
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def answer(task, **using):
    with Workspace.open(Path("tags.db")) as work:
        return work.campaign.using(**using).answer(task)


@pytest.mark.parametrize(
    ("arguments", "task"),
    [
        (("precision", "tags.db", "-k", "5"), api.PrecisionAt(5)),
        (("precision", "tags.db"), api.PrecisionAt(K)),
        (("average-precision", "tags.db"), api.AveragePrecision()),
    ],
)
def test_numbers_are_those_of_the_task_as_json_csv_and_text(vetted, arguments, task):
    found, same = read(vetted, *arguments), answer(task)
    assert [row["service"] for row in found["services"]] == list(same.services)
    assert [row["mean"] for row in found["services"]] == pytest.approx(
        [one.mean for one in same.overall]
    )
    assert [row["low"] for row in found["categories"]] == pytest.approx(same.low.ravel())
    assert found["labels"] == 30 and found["estimator"] == "learned" and found["level"] == 0.9
    rows = list(csv.DictReader(io.StringIO(vetted.ok(*arguments, "--csv").stdout)))
    assert [row["category"] for row in rows] == ["", ""] + 2 * list(CATEGORIES)
    shown = vetted.ok(*arguments, "--most", "2")
    assert "4 more lists" in shown.stdout and "estimator: learned" in shown.stderr


def test_levels_services_and_estimators_reach_the_question(vetted):
    ask, long = (("precision", "tags.db", "-k", k) for k in ("5", "20"))
    wide, slim = (read(vetted, *long, "--level", level)["services"][1] for level in (".99", ".5"))
    assert wide["low"] <= slim["low"] <= slim["high"] <= wide["high"]
    assert wide["high"] - wide["low"] > slim["high"] - slim["low"]
    one = read(vetted, *ask, "--service", "poor")
    assert {row["service"] for row in one["categories"]} == {"poor"}
    naive = read(vetted, *ask, "--estimator", "naive")
    same = answer(api.PrecisionAt(5), item_estimator=api.Naive())
    assert naive["services"][0]["mean"] == pytest.approx(same.overall[0].mean)
    assert "Take the noisy label for the truth" in vetted.ok(*ask, "--estimator", "naive").stderr


def test_the_first_look_counts_categories(sh):
    write("tags.csv", tag_rows())
    said = sh.ok(*INIT).stdout
    assert f"{len(CATEGORIES) * IMAGES} items in {len(CATEGORIES)} categories." in said
    assert "arms" not in said


def test_nothing_vetted_is_insufficient_evidence(tags):
    for command in (("precision", "tags.db"), ("average-precision", "tags.db")):
        found = read(tags, *command, "--estimator", "vetted-only")
        rows = [*found["services"], *found["categories"]]
        assert {row["mean"] for row in rows} == {None}
        assert {row["status"] for row in rows} == {"insufficient evidence"}
    assert (
        "nothing is vetted"
        in tags.ok("rank", "tags.db", "--systems", "--estimator", "vetted-only").stdout
    )


def test_simulate_measures_intervals_of_the_level_asked_for(sh):
    write("tags.csv", tag_rows())
    run = ("simulate", "tags.csv", *ROLES, "--label", "truth", "--task", f"precision:k={K}",
           "--budget", "20", "--seeds", "1", "--workers", "1", "--level", "0.5")  # fmt: skip
    row = json.loads(sh.ok(*run, "--json").stdout)
    assert "coverage50" in row
    assert "coverage90" not in row
    assert "coverage50" in sh.ok(*run).stdout


def test_vetted_only_says_where_evidence_does_not_suffice(vetted):
    found = read(vetted, "precision", "tags.db", "--estimator", "vetted-only")
    assert {row["status"] for row in found["categories"] if row["n_vetted"] < K} == {
        "insufficient evidence"
    }
    assert all(row["low"] is None for row in found["categories"])


def test_when_all_is_vetted_every_number_is_the_truth(tags):
    text = "image,tag,label\n" + "".join(f"{i},{t},{z}\n" for (i, t), z in truths().items())
    tags.ok("tell", "tags.db", "-", input=text)
    found = read(tags, "precision", "tags.db")
    rows = [row for row in tag_rows() if row[1] == "cat"]
    best = sorted(rows, key=lambda row: -float(row[2]))[:K]
    cat = next(r for r in found["categories"] if (r["service"], r["category"]) == ("good", "cat"))
    true = sum(row[-1] for row in best) / K
    assert (cat["mean"], cat["low"], cat["high"]) == pytest.approx((true, true, true))
    assert cat["status"] == "complete"
    whole = read(tags, "average-precision", "tags.db")
    assert whole["services"][0]["positives"] == sum(truths().values())


def test_positives_are_said_and_may_be_given(vetted):
    ask = ("average-precision", "tags.db")
    guessed = read(vetted, *ask)
    assert not guessed["knows_positives"] and "estimated" in vetted.ok(*ask).stdout
    numbers = {tag: sum(z for (_, t), z in truths().items() if t == tag) for tag in CATEGORIES}
    write("positives.csv", numbers.items(), ("category", "number"))
    given = read(vetted, *ask, "--positives", "positives.csv")
    assert given["knows_positives"] and given["categories"][0]["positives"] == numbers["bird"]
    assert "is known, as it was given" in vetted.ok(*ask, "--positives", "positives.csv").stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("category,number\nkitten,5\n", "There is no category 'kitten'"),
        ("category,number\ncat,5\n", "positives of 'bird' is not said"),
        ("category,number\ncat,many\n", "which is no number"),
        ("category,number\ncat,inf\n", "which is no number"),
        ("category,number\ncat,-1\nbird,9\nboat,9\n", "must be more than 0"),
        ("category,number\ncat,3\ncat,4\n", "twice"),
        ("category,number\n", "no rows"),
        ("category\ncat\n", "needs two"),
        ("category,number\nbird,0.5\nboat,0.5\ncat,0.5\n", "vetted as true already"),
    ],
)
def test_positives_that_cannot_be_used_are_refused(vetted, text, words):
    Path("positives.csv").write_text(text)
    assert words in vetted.refused("average-precision", "tags.db", "--positives", "positives.csv")


def test_systems_are_ranked_with_gaps_and_chances(vetted):
    found = read(vetted, "rank", "tags.db", "--systems", "-k", K)
    same = answer(api.PrecisionAt(K))
    (gap,) = same.gaps
    assert found["order"] == [same.services[place] for place in same.order] == ["good", "poor"]
    assert found["gaps"][0]["difference"] == pytest.approx(gap.difference.mean)
    assert found["gaps"][0]["first_above"] == pytest.approx(gap.first_above)
    text = vetted.ok("rank", "tags.db", "--services").stdout
    assert "good - poor" in text and f"mean precision@{K}" in text


def test_a_tie_is_said_aloud(sh):
    write("tags.csv", [[*row[:3], row[2], *row[4:]] for row in tag_rows()])
    sh.ok(*INIT)
    assert "good and poor are tied" in sh.ok("rank", "tags.db", "--systems").stdout
    (gap,) = read(sh, "rank", "tags.db", "--systems")["gaps"]
    assert gap["tie"] == 1 and gap["first_above"] == 0


def test_a_service_may_be_called_like_a_fact(sh):
    write("tags.csv", tag_rows())
    named = [word.replace("good=", "items=") for word in ROLES]
    sh.ok("init", "tags.csv", *named, "-o", "tags.db")
    found = read(sh, "status", "tags.db")
    assert found["items"] == len(CATEGORIES) * IMAGES and set(found["services"]) == {
        "items",
        "poor",
    }
    lines = [line.split()[:2] for line in sh.ok("status", "tags.db").stdout.splitlines()]
    assert [second for first, second in lines if first == "items"] == [str(found["items"]), "mean"]


def test_status_check_and_export_are_about_lists(vetted):
    found = read(vetted, "status", "tags.db")
    same = answer(api.PrecisionAt(K))
    assert found["services"]["good"]["mean"] == pytest.approx(same.overall[0].mean)
    assert (found["labelled"], found["categories"], found["task"]) == (30, 3, f"precision:k={K}")
    assert "mean precision@8" in vetted.ok("status", "tags.db").stdout
    assert vetted("check", "tags.db", "--min", "1").exit_code == 1
    assert "precision@8 of poor" in vetted.ok("check", "tags.db", "--min", "0").stdout
    rows = list(csv.DictReader(io.StringIO(vetted.ok("export", "tags.db", "--to", "csv").stdout)))
    assert float(rows[0]["mean"]) == pytest.approx(same.overall[0].mean)
    assert "4 more" not in vetted.ok("verify", "tags.db").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("surface",),
        ("identify",),
        ("rank",),
        ("calibration",),
        ("confusion",),
        ("cost",),
        ("compare", "--services", "good", "poor"),
        ("report", "--ask", "identify", "-o", "x.html"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_questions_about_a_surface_say_what_to_use_instead(vetted, arguments):
    name, *rest = arguments
    said = vetted.refused(name, "tags.db", *rest)
    assert "spotheight precision -k 8" in said and "rank --services" in said
    assert not Path("x.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("precision", "tags.db", "-k", "31"), "the longest list has 30 items"),
        (("precision", "tags.db", "-k", "0"), "at least 1"),
        (("precision", "tags.db", "--service", "best"), "There is no service 'best'"),
        (("precision", "tags.db", "--estimator", "beta"), "There is no item estimator 'beta'"),
        (("precision", "tags.db", "--level", "2"), "between 0 and 1"),
        (("rank", "tags.db", "-k", "3"), "--services"),
        (("rank", "tags.db", "--services", "--by", "tag"), "--by is not used with --services"),
        (("rank", "tags.db", "--systems", "--of", "ece"), "leave --of away"),
        (("status", "tags.db", "--estimand", "rate"), "leave --estimand rate away"),
        (("report", "tags.db", "--estimand", "rate"), "leave --estimand rate away"),
        (("check", "tags.db", "--min", ".5", "--slice", "tag=cat"), "leave --slice away"),
    ],
)
def test_bad_questions_are_refused_in_a_sentence(vetted, arguments, words):
    assert words in vetted.refused(*arguments)


def test_a_list_needs_a_category_and_a_k(calls):
    for command in (("precision",), ("average-precision",), ("rank", "--systems")):
        assert "init --category" in calls.refused(command[0], "calls.db", *command[1:])
    write("tags.csv", tag_rows())
    calls.ok("init", "tags.csv", *ROLES, "-o", "ap.db")
    assert "such as -k 48" in calls.refused("precision", "ap.db")


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda rows: rows, ("--task", "precision:k=99"), "the longest list has 30 items"),
        (lambda rows: rows, ("--task", "precision"), "needs 'k'"),
        (lambda rows: rows, ("--estimator", "additive"), "no item estimator 'additive'"),
        (lambda rows: [*rows, rows[0]], (), "stands in 2 rows"),
        (lambda rows: [[*r[:2], "", "", *r[4:]] if r[1] == "cat" else r for r in rows], (),
         "The category 'cat' has no item with a score"),
        (lambda rows: [[*r[:4], "maybe", r[5]] for r in rows], (), "which is no number"),
        (lambda rows: [[*r[:4], 2, r[5]] for r in rows], (), "from 0 to 1"),
    ],
)  # fmt: skip
def test_init_refuses_what_makes_no_lists_and_writes_nothing(sh, change, options, words):
    write("tags.csv", change(tag_rows()))
    assert words in sh.refused("init", "tags.csv", *ROLES, *options, "-o", "tags.db")
    assert not Path("tags.db").exists()


def test_an_estimator_of_another_kind_is_met_with_those_that_would_do(sh):
    """All of them, for no other place lists them; never with one whose name looks like it."""
    write("tags.csv", tag_rows())
    said = sh.refused("init", "tags.csv", *ROLES, "--estimator", "additive", "-o", "tags.db")
    assert said.rstrip().endswith("there is learned, naive, counted, vetted-only, kernel.")


def test_init_takes_average_precision_where_no_task_is_named(sh):
    write("tags.csv", tag_rows())
    assert "average-precision" in sh.ok("init", "tags.csv", *ROLES, "-o", "tags.db").stderr
    with Workspace.open(Path("tags.db")) as work:
        assert work.campaign.spec.task == api.AveragePrecision()


def test_a_label_that_is_neither_yes_nor_no_is_not_taken_in(tags):
    said = tags.refused("tell", "tags.db", "-", input="image,tag,label\ni01,cat,1\ni02,cat,maybe\n")
    assert "row 3" in said and "does not say whether the tag is true" in said
    assert read(tags, "status", "tags.db")["labelled"] == 0
    tags.ok("tell", "tags.db", "-", input="image,tag,label\ni01,cat,yes\ni02,cat,False\n")
    assert read(tags, "status", "tags.db")["labelled"] == 2


def test_a_category_that_is_called_label_gives_way_to_the_label(sh):
    write("tags.csv", tag_rows(), ("image", "label", "good", "poor", "noisy", "real"))
    roles = [("label" if part == "tag" else part) for part in INIT]
    started = sh.ok(*roles)
    asked = sh.ok("ask", "tags.db", "-n", "3")
    rows = list(csv.DictReader(io.StringIO(asked.stdout)))
    assert {row["category"] for row in rows} <= set(CATEGORIES) and rows[0]["label"] == ""
    assert "'label' of its own; yours stands there as 'category'" in started.stderr
    text = f"image,category,label\n{rows[0]['image']},{rows[0]['category']},1\n"
    text_of_an_earlier_version = text.replace("label", "truth").replace("category", "label")
    for told in (text, text_of_an_earlier_version):
        sh.ok("tell", "tags.db", "-", input=told)
    kept = sh.ok("export", "tags.db", "--to", "csv", "--what", "labels").stdout
    (row,) = csv.DictReader(io.StringIO(kept))
    assert (row["category"], row["label"]) == (rows[0]["category"], "1")


def test_simulate_reads_item_estimators_and_shows_errors_of_lists(sh):
    write("tags.csv", tag_rows())
    run = ("simulate", "tags.csv", *ROLES, "--label", "truth", "--task", f"precision:k={K}",
           "--budget", "12", "--seeds", "1", "--workers", "1")  # fmt: skip
    text = sh.ok(*run, "--estimator", "learned", "--estimator", "naive").stdout
    for name in ("list_error", "mean_error", "gap_error", "misranked", "coverage_mean90"):
        assert name in text
    rows = [json.loads(line) for line in sh.ok(*run, "--json").stdout.splitlines()]
    assert [row["estimator"] for row in rows] == ["learned"]
    assert "no item estimator" in sh.refused(*run, "--estimator", "beta")


def test_the_report_is_written_and_holds_every_service(vetted):
    vetted.ok("report", "tags.db", "--ask", "average-precision", "-o", "tags.html")
    page = Path("tags.html").read_text(encoding="utf-8")
    assert "Ranked lists side by side" in page and "mean average precision" in page
    assert 'id="heat-map"' not in page and 'id="quantiles"' not in page
