"""The commands, as a user types them."""

import csv
import io
import json
from itertools import islice

import pyarrow.parquet
import pytest

from shell import INIT, filled, prepared
from spotheight.simulate import simulate

ROLES = INIT[1:-2]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_init_prints_a_first_look(sh):
    result = sh.ok(*INIT)
    assert "120 items in 6 arms" in result.stdout
    assert "Next: spotheight ask calls.db" in result.stderr


def test_a_dry_run_writes_nothing(sh):
    sh.ok(*INIT, "--dry-run")
    assert not (sh.folder / "calls.db").exists()


def test_first_look_names_missing_one_valued_empty_and_near_misses(sh):
    text = "id,pred,accent,planet\n1,Yes,german,earth\n2,no,,earth\n3,,french,earth\n"
    (sh.folder / "odd.csv").write_text(text)
    result = sh.ok("init", "odd.csv", "--id", "id", "--prediction", "pred", "--attribute", "accent",
                   "--attribute", "planet", "--classes", "yes,no", "--dry-run")  # fmt: skip
    assert "'accent' is missing for 1 item; that" in result.stdout
    assert "'planet' has one level only" in result.stdout
    assert "Note: the service gives no answer for 1 item; that" in result.stdout
    assert "'Yes' is no class but looks like 'yes'" in result.stdout


@pytest.mark.parametrize(("scores", "items"), [((".5", ""), "1 item"), (("", ""), "2 items")])
def test_first_look_counts_missing_scores(sh, scores, items):
    rows = "".join(f"{row},yes,{score}\n" for row, score in enumerate(scores))
    (sh.folder / "odd.csv").write_text("id,pred,conf\n" + rows)
    result = sh.ok("init", "odd.csv", "--id", "id", "--prediction", "pred", "--score", "conf",
                   "--dry-run")  # fmt: skip
    assert f"Note: the service gives no score for {items};" in result.stdout


def test_ask_gives_the_users_id_payload_why_chance_and_an_empty_label(calls):
    rows = rows_of(calls.ok("ask", "calls.db", "-n", "4").stdout)
    assert list(rows[0]) == ["id", "url", "why", "chance", "label"]
    assert len(rows) == len({row["id"] for row in rows}) == 4
    assert all(len(row["id"]) == 3 and row["label"] == "" for row in rows)
    assert all(0 < float(row["chance"]) < 1 for row in rows)


def test_ask_as_json(calls):
    (row,) = json.loads(calls.ok("ask", "calls.db", "-n", "1", "--json").stdout)
    assert row["label"] is None and row["chance"] > 0


def test_tell_takes_the_file_back_and_again_changes_nothing(calls):
    done = filled(calls.ok("ask", "calls.db", "-n", "5").stdout)
    (calls.folder / "done.csv").write_text(done)
    assert "5 new labels" in calls.ok("tell", "calls.db", "done.csv").stderr
    again = calls.ok("tell", "calls.db", "done.csv").stderr
    assert "0 new labels" in again and "5 told before, nothing changed" in again
    facts = json.loads(calls.ok("status", "calls.db", "--json").stdout)
    assert facts["labelled"] == 5 and facts["out"] == 0


def test_tell_from_standard_input_and_empty_labels_are_left_out(calls):
    text = calls.ok("ask", "calls.db", "-n", "3").stdout
    head, first, *rest = text.splitlines()
    mixed = "\n".join([head, first + "yes", *rest]) + "\n"
    result = calls.ok("tell", "calls.db", "-", input=mixed)
    assert "1 new label." in result.stderr and "2 rows without a label" in result.stderr


def test_one_bad_row_changes_nothing_and_is_named(calls):
    bad = "id,label\n000,yes\n001,no\nnope,yes\n"
    said = calls.refused("tell", "calls.db", "-", input=bad)
    assert "row 4" in said and "'nope'" in said
    assert json.loads(calls.ok("status", "calls.db", "--json").stdout)["labelled"] == 0


def test_another_label_is_refused_unless_it_is_a_correction(calls):
    calls.ok("tell", "calls.db", "-", input="id,label\n000,yes\n")
    said = calls.refused("tell", "calls.db", "-", input="id,label\n000,no\n")
    assert "row 2" in said and "--correct" in said
    assert (
        "1 corrected"
        in calls.ok("tell", "calls.db", "--correct", "-", input="id,label\n000,no\n").stderr
    )
    rows = rows_of(calls.ok("export", "calls.db", "--to", "csv", "--what", "labels").stdout)
    assert [row["label"] for row in rows] == ["no"]


def test_annotators_by_column(calls):
    text = "id,label,annotator\n000,yes,ann\n000,no,bob\n"
    assert (
        "2 new labels. 1 item is labelled" in calls.ok("tell", "calls.db", "-", input=text).stderr
    )


def test_a_label_is_not_skipped(calls):
    calls.ok("tell", "calls.db", "-", input="id,label\n001,yes\n")
    said = calls.ok("skip", "calls.db", "001", "002").stderr
    assert "1 skipped, 1 in all." in said and "1 item is labelled and stays so" in said
    assert "0 skipped, 1 in all." in calls.ok("skip", "calls.db", "002").stderr
    found = json.loads(calls.ok("status", "calls.db", "--json").stdout)
    assert (found["labelled"], found["skipped"]) == (1, 1)


def test_an_ask_for_which_nothing_is_left_still_has_a_header(sh):
    sh.ok(*INIT, "--budget", "2")
    first = sh.ok("ask", "calls.db", "-n", "2").stdout.splitlines()[0]
    empty = sh.ok("ask", "calls.db")
    assert empty.stdout == first + "\n" and "No items instead of 12" in empty.stderr
    assert "0 new labels." in sh.ok("tell", "calls.db", "-", input=empty.stdout).stderr


def test_a_column_that_stands_twice_is_refused(calls):
    said = calls.refused("tell", "calls.db", "-", input="id,label,label\n001,yes,no\n")
    assert "two columns 'label'" in said
    calls.ok("tell", "calls.db", "-", input="id,label,,\n001,yes,,\n")


def test_skip_and_release(calls):
    calls.ok("ask", "calls.db", "-n", "3")
    assert "3 items are free again" in calls.ok("release", "calls.db").stderr
    calls.ok("skip", "calls.db", "000", "001")
    assert json.loads(calls.ok("status", "calls.db", "--json").stdout)["skipped"] == 2
    ids = {row["id"] for row in rows_of(calls.ok("ask", "calls.db", "-n", "200").stdout)}
    assert len(ids) == 118 and not ids & {"000", "001"}


def test_the_budget_ends_the_asking(sh):
    sh.ok(*INIT, "--budget", "5")
    result = sh.ok("ask", "calls.db", "-n", "12")
    assert len(rows_of(result.stdout)) == 5 and "budget of 5" in result.stderr


def third_told(sh):
    sh.ok(*INIT)
    sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "40").stdout))


@pytest.fixture
def told(sh):
    return prepared(sh, third_told)


def test_surface_as_table_json_and_csv(told):
    assert "all items" in told.ok("surface", "calls.db").stdout
    whole = json.loads(told.ok("surface", "calls.db", "--json").stdout)
    assert len(whole["arms"]) == 6 and whole["estimand"] == "pool"
    rows = rows_of(told.ok("surface", "calls.db", "--csv", "--estimand", "rate").stdout)
    assert {"accent", "gender", "n_pool", "n_labelled", "mean", "low", "high", "status"} == set(
        rows[0]
    )
    assert sum(float(row["n_pool"]) for row in rows) == 120


def test_slices_and_unions(told):
    args = ("--slice", "accent=german", "--slice", "accent=german|english,gender=f",
            "--slice", "gender=f or accent=french")  # fmt: skip
    found = json.loads(told.ok("surface", "calls.db", *args, "--json").stdout)
    assert [round(reading["n_pool"]) for reading in found.values()] == [40, 40, 80]
    assert all(r["low"] <= r["mean"] <= r["high"] for r in found.values())


def test_a_mix_of_another_population(told):
    (told.folder / "mix.csv").write_text(
        "accent,gender,share\ngerman,f,3\nfrench,m,1\nklingon,m,1\n"
    )
    found = json.loads(told.ok("surface", "calls.db", "--mix", "mix.csv", "--json").stdout)
    reading = found["mix of mix.csv"]
    assert reading["estimand"] == "rate" and reading["covered"] == pytest.approx(0.8)


def test_check_is_a_gate(told):
    assert told("check", "calls.db", "--min", "0").exit_code == 0
    failed = told("check", "calls.db", "--min", "1", "--slice", "accent=german")
    assert failed.exit_code == 1 and "below 100.0%" in failed.stdout
    unsure = told("check", "calls.db", "--min", "0.7", "--sure")
    assert unsure.exit_code == 1 and "perhaps below 70.0%" in unsure.stdout
    assert "--min" in told.refused("check", "calls.db", "--max", "0.5")
    assert "--min" in told.refused("check", "calls.db")


def test_nothing_passes_before_there_are_labels(calls):
    failed = calls("check", "calls.db", "--min", "0")
    assert failed.exit_code == 1 and "no label that counts" in failed.stdout


def test_an_error_rate_passes_below_its_bar(sh):
    metric = ("--metric", "false-positive-rate:cls=yes")
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", *metric, "-o", "errors.db")
    sh.ok("tell", "errors.db", "-", input="id,label\n" + "".join(f"{i:03},no\n" for i in range(60)))
    assert sh("check", "errors.db", "--max", "0.9").exit_code == 0
    failed = sh("check", "errors.db", "--max", "0.1")
    assert failed.exit_code == 1 and "above 10.0%" in failed.stdout
    assert "--max" in sh.refused("check", "errors.db", "--min", "0.5")


def test_report_is_one_file(told):
    told.ok("report", "calls.db", "-o", "page.html")
    page = (told.folder / "page.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")


def test_labels_that_are_not_there_are_a_header(calls):
    labels = calls.ok("export", "calls.db", "--to", "csv", "--what", "labels").stdout
    assert labels.splitlines() == ['"id","annotator","chance"']


def test_exports(told):
    told.ok("export", "calls.db", "--to", "parquet", "-o", "surface.parquet")
    assert pyarrow.parquet.read_table("surface.parquet").num_rows == 6
    whole = json.loads(told.ok("export", "calls.db", "--to", "json").stdout)
    assert whole["n_labelled"] == 40
    labels = json.loads(told.ok("export", "calls.db", "--to", "json", "--what", "labels").stdout)
    assert len(labels) == 40 and all(row["chance"] for row in labels)


def test_verify_recomputes_and_notices_a_changed_log(told):
    assert "1 of 1 asks recomputed and found the same" in told.ok("verify", "calls.db").stdout
    import sqlite3

    db = sqlite3.connect("calls.db")
    (body,) = db.execute("SELECT body FROM event WHERE seq = 1").fetchone()
    first = json.loads(body)["queries"][0]["item"]
    other = "000" if first != "000" else "001"
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute("UPDATE event SET body = ? WHERE seq = 1", (body.replace(first, other, 1),))
    db.commit()
    assert "calls.db is damaged at event 1" in told.refused("verify", "calls.db")
    db.execute("DELETE FROM seal")
    db.commit()
    db.close()
    changed = told("verify", "calls.db")
    assert changed.exit_code == 1 and "First difference: event 1" in changed.stdout


def test_relink_a_moved_a_grown_and_a_shrunken_pool(told):
    (told.folder / "calls.csv").rename("moved.csv")
    said = told.refused("status", "calls.db")
    assert "is not there" in said and "relink" in said
    told.ok("relink", "calls.db", "moved.csv")
    assert "1 of 1 asks" in told.ok("verify", "calls.db").stdout
    text = (told.folder / "moved.csv").read_text()
    (told.folder / "moved.csv").write_text(text + "900,yes,yes,.5,dutch,f,30,yes,u\n")
    assert "has changed" in told.refused("ask", "calls.db")
    told.ok("relink", "calls.db", "moved.csv")
    facts = json.loads(told.ok("status", "calls.db", "--json").stdout)
    assert facts["items"] == 121 and facts["arms"] == 7 and facts["labelled"] == 40
    assert "1 of them came before the pool's file changed" in told.ok("verify", "calls.db").stdout
    shorter = (told.folder / "moved.csv").read_text().splitlines(keepends=True)
    (told.folder / "moved.csv").write_text("".join(shorter[:1] + shorter[3:]))
    assert "gone from the pool" in told.refused("relink", "calls.db", "moved.csv")


def test_a_service_without_answers_cannot_be_judged(sh):
    said = sh.refused("init", "calls.csv", "--id", "id", "--score", "score", "-o", "none.db")
    assert "no answers that could be judged" in said and "--prediction" in said
    assert not (sh.folder / "none.db").exists()


def test_labels_come_out_without_their_pool(told):
    with_pool = told.ok("export", "calls.db", "--to", "csv", "--what", "labels").stdout
    pool = told.folder / "calls.csv"
    text = pool.read_text()
    pool.unlink()
    assert "--what labels" in told.refused("export", "calls.db", "--to", "csv")
    assert told.ok("export", "calls.db", "--to", "csv", "--what", "labels").stdout == with_pool
    rows = json.loads(told.ok("export", "calls.db", "--to", "json", "--what", "labels").stdout)
    assert len(rows) == 40
    (told.folder / "anew.csv").write_text(text)
    told.ok("init", "anew.csv", "--id", "id", "--prediction", "pred", "--attribute", "accent")
    assert "40 new" in told.ok("tell", "anew.db", "-", input=with_pool).stderr


def test_several_services_share_labels(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
          "--attribute", "accent", "-o", "two.db")  # fmt: skip
    sh.ok("tell", "two.db", "-", input="id,label\n" + "".join(f"{i:03},yes\n" for i in range(60)))
    first = json.loads(sh.ok("surface", "two.db", "--json").stdout)["overall"]["mean"]
    second = json.loads(sh.ok("surface", "two.db", "--service", "b", "--json").stdout)
    assert first != second["overall"]["mean"]


def test_verdicts_on_two_services(sh):
    sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
          "--attribute", "accent", "--judge", "-o", "judged.db")  # fmt: skip
    rows = rows_of(sh.ok("ask", "judged.db", "-n", "2").stdout)
    assert {"answer:a", "answer:b", "label:a", "label:b"} <= set(rows[0])
    lines = "".join(f"{row['id']},1,0.5\n" for row in rows)
    sh.ok("tell", "judged.db", "-", input="id,label:a,label:b\n" + lines)
    assert json.loads(sh.ok("status", "judged.db", "--json").stdout)["labelled"] == 2
    said = sh.refused("tell", "judged.db", "-", input="id,label:a\n005,7\n")
    assert "between 0 and 1" in said and "row 2" in said


@pytest.mark.parametrize(
    "metric", ["recall:cls=yes", "precision:cls=yes", "false-positive-rate:cls=no"]
)
def test_metrics_of_a_class(sh, metric):
    sh.ok(*INIT, "--metric", metric)
    rows = rows_of(sh.ok("ask", "calls.db", "-n", "10").stdout)
    sh.ok("tell", "calls.db", "-", input="id,label\n" + "".join(f"{r['id']},yes\n" for r in rows))
    facts = json.loads(sh.ok("status", "calls.db", "--json").stdout)
    assert metric.split(":")[0].split("-")[0] in facts["metric"]


def test_labels_of_the_table_are_told_without_a_chance(sh):
    result = sh.ok(*INIT, "--label", "truth")
    assert "120 items come with a label" in result.stdout
    labels = json.loads(sh.ok("export", "calls.db", "--to", "json", "--what", "labels").stdout)
    assert len(labels) == 120 and all(row["chance"] is None for row in labels)


def test_a_spec_file_and_options_that_win(sh):
    (sh.folder / "spec.toml").write_text(
        'estimator = "beta:prior=jeffreys"\nseed = 3\nbudget = 9\n'
    )
    sh.ok(*INIT, "--spec", "spec.toml", "--budget", "7")
    facts = json.loads(sh.ok("status", "calls.db", "--json").stdout)
    assert facts["estimator"] == "beta:prior=jeffreys" and facts["budget"] == 7


def test_a_key_press_keeps_the_table_of_what_is_finished(sh, monkeypatch):
    def pressed(*arguments, **options):
        rows = simulate(*arguments, **options)
        yield from islice(rows, 2)
        raise KeyboardInterrupt

    monkeypatch.setattr("spotheight.cli.simulate.simulate", pressed)
    options = ("calls.csv", "--label", "truth", "--prediction", "pred", "--estimator", "beta",
               "--policy", "random", "--budget", "9", "--seeds", "7", "--workers", "1")  # fmt: skip
    result = sh("simulate", *options)
    assert result.exit_code == 1
    assert "beta" in result.stdout and "random" in result.stdout
    assert "2 of 7 campaigns were finished" in result.stderr
    assert "over 2 seeds" in result.stderr


def test_simulate_as_json_and_as_a_table(sh):
    options = (*ROLES[:1], "--label", "truth", "--prediction", "pred", "--attribute", "accent",
               "--estimator", "pooled", "--estimator", "eb-beta", "--policy", "random",
               "--policy", "thompson:draws=16", "--budget", "20", "--budget", "40", "--seeds", "2",
               "--workers", "1")  # fmt: skip
    rows = [json.loads(line) for line in sh.ok("simulate", *options, "--json").stdout.splitlines()]
    assert len(rows) == 2 * 2 * 2 * 2
    assert {"macro_mse", "coverage90", "labels", "fit_seconds"} <= set(rows[0])
    assert "eb-beta" in sh.ok("simulate", *options).stdout


def test_one_of_a_thing_is_said_as_one(calls):
    assert (
        "1 item is labelled" in calls.ok("tell", "calls.db", "-", input="id,label\n001,a\n").stderr
    )
    calls.ok("ask", "calls.db", "-n", "1")
    assert "1 item is free again" in calls.ok("release", "calls.db").stderr
    assert "(1 more arm: " in calls.ok("surface", "calls.db", "--most", "5").stdout
    assert "(1 more group: " in calls.ok("identify", "calls.db", "--most", "5").stdout


def test_a_negative_number_of_rows_is_refused(calls):
    for command in ("surface", "identify"):
        assert "--most" in calls.refused(command, "calls.db", "--most", "-1")
