"""Detectors on the command line: from COCO files to a ranking, and files that are refused."""

import copy
import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import coco_worlds
from shell import Shell

TRUTH, RESULTS = coco_worlds.world(images=8, seed=5)
OUTLINES = coco_worlds.outlines(TRUTH)


@pytest.fixture
def sh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path)
    shell.files = coco_worlds.write(tmp_path, coco_worlds.boxed(TRUTH), RESULTS)
    return shell


def vet(sh, n):
    rows = list(csv.DictReader(io.StringIO(sh.ok("ask", "a.db", "-n", n).stdout)))
    for row in rows:
        row["label"] = OUTLINES[row["id"]]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    sh.ok("tell", "a.db", "-", input=text.getvalue())
    return rows


def means(sh, *options):
    shown = json.loads(sh.ok("average-precision", "a.db", "--json", *options).stdout)
    return {row["service"]: row for row in shown["services"]}


def test_from_files_to_a_ranking(sh):
    """Naive before anything is vetted and all at the end are the tool's; asks can be recomputed."""
    sh.ok("init", *sh.files, "-o", "a.db", "--seed", "3")
    tool = {n: coco_worlds.evaluated(coco_worlds.boxed(TRUTH), RESULTS[n]).mean() for n in RESULTS}
    for name, row in means(sh, "--estimator", "naive").items():
        assert row["mean"] == pytest.approx(tool[name], abs=1e-9)
    rows = vet(sh, 8)
    assert {"id", "category", "image", "box", "why", "chance", "label"} <= set(rows[0])
    ranked = json.loads(sh.ok("rank", "a.db", "--systems", "--json").stdout)
    assert ranked["order"] == ["good", "poor"]
    assert ranked["gaps"][0]["low"] < ranked["gaps"][0]["difference"] < ranked["gaps"][0]["high"]
    assert "found the same" in sh.ok("verify", "a.db").output
    vet(sh, len(OUTLINES) - 8)
    tool = {n: coco_worlds.evaluated(TRUTH, RESULTS[n]).mean() for n in RESULTS}
    for name, row in means(sh).items():
        assert row["mean"] == pytest.approx(tool[name], abs=1e-9)
        assert row["status"] == "complete"
    assert "average precision (IoU .5 to .95)" in sh.ok("status", "a.db").stdout
    sh.ok("report", "a.db", "-o", "report.html")
    assert "IoU .5 to .95" in (sh.folder / "report.html").read_text()


def test_outlines_that_the_truth_brings_are_vetted(sh):
    coco_worlds.write(sh.folder, TRUTH, RESULTS)
    sh.ok("init", *sh.files, "-o", "a.db")
    assert json.loads(sh.ok("status", "a.db", "--json").stdout)["labelled"] == len(OUTLINES)
    tool = coco_worlds.evaluated(TRUTH, RESULTS["good"]).mean()
    assert means(sh)["good"]["mean"] == pytest.approx(tool, abs=1e-9)


def test_a_campaign_goes_where_its_pool_goes(sh):
    sh.ok("init", *sh.files, "-o", "a.db")
    (sh.folder / "elsewhere").mkdir()
    (sh.folder / "a.parquet").rename(sh.folder / "elsewhere" / "a.parquet")
    assert "relink" in sh.refused("ask", "a.db")
    sh.ok("relink", "a.db", "elsewhere/a.parquet")
    assert len(vet(sh, 2)) == 2


def test_a_pool_that_lost_detections_is_refused(sh):
    sh.ok("init", *sh.files, "-o", "a.db")
    whole = pq.read_table(sh.folder / "a.parquet")
    pq.write_table(whole.slice(0, len(whole) - 1), sh.folder / "a.parquet")
    assert whole["service"][-1].as_py() == "poor"
    assert "1 row is gone from the pool" in sh.refused("relink", "a.db", "a.parquet")
    pq.write_table(whole, sh.folder / "a.parquet")
    sh.ok("relink", "a.db", "a.parquet")


def test_an_object_that_is_not_there(sh):
    """The numbers are the tool's for a truth without it."""
    sh.ok("init", *sh.files, "-o", "a.db")
    labels = {**OUTLINES, "5": "none", "9": " None "}
    lines = [f"{item},{quoted(said)}" for item, said in labels.items()]
    sh.ok("tell", "a.db", "-", input="\n".join(["id,label", *lines]))
    rows = [row for row in TRUTH["annotations"] if row["id"] not in (5, 9)]
    for name, row in means(sh).items():
        tool = coco_worlds.evaluated({**TRUTH, "annotations": rows}, RESULTS[name]).mean()
        assert row["mean"] == pytest.approx(tool, abs=1e-9)
    assert "say none" in sh.refused(
        "tell", "a.db", "-", "--correct", input='id,label\n7,"[1,1,0,0]"'
    )


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def test_simulate_reads_the_same_files(sh):
    coco_worlds.write(sh.folder, TRUTH, RESULTS)
    methods = ("--estimator", "naive", "--policy", "random-images", "--workers", "1")
    budgets = ("--budget", "5", "--budget", "99", "--seeds", "1")
    shown = sh.ok("simulate", *sh.files, *methods, *budgets, "--json")
    rows = [json.loads(line) for line in shown.stdout.splitlines()]
    assert rows[0]["list_error"] > 0
    assert rows[1]["list_error"] == pytest.approx(0, abs=1e-9)
    coco_worlds.write(sh.folder, coco_worlds.boxed(TRUTH), RESULTS)
    assert "label" in sh.refused("simulate", *sh.files, "--budget", "5")


def test_a_detector_may_see_nothing(sh):
    coco_worlds.write(sh.folder, coco_worlds.boxed(TRUTH), {"good": RESULTS["good"], "blind": []})
    sh.ok("init", "--coco-truth", "truth.json", "--coco-results", "good=good.json",
          "--coco-results", "blind=blind.json", "-o", "a.db")  # fmt: skip
    assert means(sh)["blind"]["mean"] == 0
    assert len(vet(sh, 3)) == 3


def broken(part, **changes):
    """A world one of whose rows is changed; ``None`` takes a value away."""
    truth, results = copy.deepcopy(coco_worlds.boxed(TRUTH)), copy.deepcopy(RESULTS)
    row = results["good"][2] if part == "results" else truth[part][4]
    row.update(changes)
    for name, value in changes.items():
        if value is None:
            row.pop(name)
    return truth, results


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (broken("results", image_id=77), "no image 77"),
        (broken("results", category_id="zebra"), "no category 'zebra'"),
        (broken("results", score=float("nan")), "score is nan"),
        (broken("results", score=None), "score is None"),
        (broken("results", segmentation={"size": [60, 80], "counts": "zzz"}), "counts"),
        (broken("results", segmentation={"size": [9, 9], "counts": [81]}), "9 x 9"),
        (broken("results", segmentation=None), "is no box"),
        (broken("results", segmentation=None, bbox=[1, 1, 5, 5]), "has no mask"),
        (broken("annotations", bbox=[5, 5, -1, 4]), "negative size"),
        (broken("annotations", bbox=None), "is no box"),
        (broken("annotations", id=1), "id 1 stands there twice"),
        (broken("annotations", image_id=0), "no image 0"),
        (broken("annotations", segmentation=[[1, 2]]), "no shape"),
        (broken("images", height=0), "height and a width"),
        (broken("images", id=[1]), "needs an id"),
        (({}, RESULTS), "no list of images"),
        (([], RESULTS), "no COCO truth"),
        ((coco_worlds.boxed(TRUTH), {"good": {"a": 1}}), "list of detections"),
        ((coco_worlds.boxed(TRUTH), {"good": [7]}), "expected an object"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_that_cannot_be_used_leave_nothing_behind(sh, files, words):
    options = coco_worlds.write(sh.folder, *files)
    before = sorted(sh.folder.iterdir())
    said = sh.refused("init", *options, "-o", "a.db")
    assert words in said
    assert said.strip().count("\n") <= 3
    assert sorted(sh.folder.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--coco-truth", "truth.json"), "No detector is named"),
        (("--coco-truth", "nowhere.json", "--coco-results", "a=good.json"), "no file"),
        (("--coco-results", "a=good.json"), "--coco-truth"),
        ((), "Name a table"),
        (("--coco-truth", "truth.json", "--coco-results", "good.json"), "NAME=FILE.json"),
        (("truth.json", "--coco-truth", "truth.json"), "one of them is the pool"),
        (("--coco-truth", "truth.json", "--prediction", "x"), "--prediction is for tables"),
        (("--coco-truth", "truth.json", "--coco-results", "a=good.json", "--task", "precision:k=3"),
         "task detection"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(sh, options, words):
    before = sorted(sh.folder.iterdir())
    assert words in sh.refused("init", *options, "-o", "a.db")
    assert sorted(sh.folder.iterdir()) == before


def test_files_that_are_there_stay(sh):
    (sh.folder / "a.parquet").write_text("mine")
    assert "already exists" in sh.refused("init", *sh.files, "-o", "a.db")
    assert (sh.folder / "a.parquet").read_text() == "mine"
    assert not (sh.folder / "a.db").exists()


@pytest.mark.parametrize("label", ["yes", '{"size": [60, 80], "counts": [1]}', "[0, 0, -1, 2]"])
def test_labels_that_are_no_outline(sh, label):
    sh.ok("init", *sh.files, "-o", "a.db")
    row = next(csv.DictReader(io.StringIO(sh.ok("ask", "a.db", "-n", "1").stdout)))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([("id", "label"), (row["id"], label)])
    sh.refused("tell", "a.db", "-", input=text.getvalue())
    assert json.loads(sh.ok("status", "a.db", "--json").stdout)["labelled"] == 0


def test_numbers_are_from_zero_to_one(sh):
    sh.ok("init", *sh.files, "-o", "a.db")
    vet(sh, 6)
    shown = json.loads(sh.ok("average-precision", "a.db", "--json").stdout)
    values = np.array([[row["low"], row["mean"], row["high"]] for row in shown["categories"]])
    assert (np.diff(values, axis=1) >= -1e-9).all()
    assert values.min() >= 0
    assert values.max() <= 1
