"""What a first use on a table of one's own meets: hints, thresholds, patterns, workbooks."""

import csv
import json

import openpyxl
import pytest

import spotheight as api
from shell import INIT, filled, write_calls


def write(sh, name: str, header: list[str], rows: list[list[object]]) -> None:
    with (sh.folder / name).open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def test_init_suggests_the_classes_it_sees(sh):
    assert "with --classes no,yes (what services answer)" in sh.ok(*INIT).stdout
    assert "--classes" not in sh.ok(*INIT[:-1], "b.db", "--classes", "no,yes").stdout


def test_tell_trims_blanks_and_points_at_unseen_words(calls):
    first, second, third = (calls.ok("ask", "calls.db", "-n", "2").stdout for _ in range(3))
    assert "Take care" not in calls.ok("tell", "calls.db", "-", input=filled(first, " yes ")).stderr
    said = calls.ok("tell", "calls.db", "-", input=filled(second, "maybe")).stderr
    assert "no service answers 'maybe', and it was not told before" in said
    assert "Take care" not in calls.ok("tell", "calls.db", "-", input=filled(third, "maybe")).stderr
    kept = json.loads(calls.ok("export", "calls.db", "--to", "json", "--what", "labels").stdout)
    assert {row["label"] for row in kept} == {"yes", "maybe"}


def test_blanks_that_belong_to_an_answer_stay(sh):
    write(sh, "a.csv", ["id", "pred"], [[i, " A" if i % 2 else " B"] for i in range(9)])
    sh.ok("init", "a.csv", "--id", "id", "--prediction", "pred", "-o", "a.db")
    sh.ok("tell", "a.db", "-", input="id,label\n1, A\n2, A\n3,  C \n")
    kept = json.loads(sh.ok("export", "a.db", "--to", "json", "--what", "labels").stdout)
    assert [row["label"] for row in kept] == [" A", " A", "C"]


def test_answers_are_read_off_a_score_by_a_threshold(sh):
    base = ("init", "calls.csv", "--id", "id", "--score", "conf", "-o", "t.db")
    sh.ok(*base, "--threshold", ".5", "--positive", "yes", "--attribute", "@prediction")
    sh.ok("tell", "t.db", "-", input="id,label\n000,no\n001,no\n002,yes\n003,yes\n")
    rows = list(csv.DictReader(sh.ok("surface", "t.db", "--csv").stdout.splitlines()))
    with (sh.folder / "calls.csv").open() as file:
        high = sum(float(row["conf"]) >= 0.5 for row in csv.DictReader(file))
    assert {row["@prediction"]: float(row["n_pool"]) for row in rows} == {
        "yes": high,
        "no": 120 - high,
    }
    assert "found the same" in sh.ok("verify", "t.db").stdout
    for more, part in [
        ((), "--positive yes"),
        (("--positive", "spam"), "--negative WORD"),
        (("--positive", "x", "--negative", "x"), "on both sides"),
        (("--positive", "yes", "--prediction", "pred"), "answers and a threshold"),
    ]:
        assert part in sh.refused(*base[:-1], "u.db", "--threshold", ".5", *more)
    assert "is no number" in sh.refused(
        *base[:-1], "u.db", "--threshold", "high", "--positive", "yes"
    )
    assert "go with --threshold" in sh.refused(*INIT[:-1], "u.db", "--positive", "yes")


def test_python_reads_answers_off_scores_and_rows_as_dicts():
    rows = [{"id": i, "conf": i / 10, "kind": "ab"[i % 2]} for i in range(10)]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for source in (rows, columns):
        pool = api.read_pool(source, id="id", score="conf", attributes=["kind", "@prediction"],
                             threshold=api.Threshold(0.5, "yes", "no"))  # fmt: skip
        assert len(api.Campaign(pool).surface().mean) == 4


def test_bins_that_fell_together_and_arms_too_small_are_said(sh):
    rows = [[i, "yes", 0 if i < 60 else i, i % 40] for i in range(100)]
    write(sh, "b.csv", ["id", "pred", "often", "fine"], rows)
    base = ("init", "b.csv", "--id", "id", "--prediction", "pred", "--dry-run")
    said = sh.ok(*base, "--attribute", "often:bins=4").stdout
    assert "'often' has 3 bins instead of 4" in said
    said = sh.ok(*base, "--attribute", "fine:bins=40").stdout
    assert "most arms have fewer than 5 items; 'fine' has the most levels" in said
    cut = said.partition("as in ")[2].split(".")[0]
    assert "fewer than 5 items;" not in sh.ok(*base, "--attribute", cut).stdout
    assert "fewer than 5 items;" not in sh.ok(*base, "--attribute", "often:edges=1").stdout


def test_a_second_service_without_scores_leaves_no_level_that_nobody_has(sh):
    services = ("--prediction", "a=pred", "--score", "a=conf", "--prediction", "b=pred_b")
    cut = ("--attribute", "@score:bins=3", "-o", "two.db")
    said = sh.ok("init", "calls.csv", "--id", "id", *services, *cut).stdout
    assert "missing" not in said and "3 combinations" in said


@pytest.mark.parametrize("bins", ["1001", "10000", "9" * 5000])
def test_the_number_of_bins_is_bounded(sh, bins):
    assert "at most 1000" in sh.refused(*INIT, "--attribute", f"age:bins={bins}")


def test_a_thousand_bins_take_no_time_and_no_memory(sh):
    assert "'age' has" in sh.ok(*INIT, "--attribute", "age:bins=1000").stdout


def test_answers_may_be_cut_as_numbers_and_words_may_not(sh):
    write(sh, "n.csv", ["id", "stars"], [[i, i % 5] for i in range(50)])
    cut = ("--attribute", "@prediction:widths=2")
    sh.ok("init", "n.csv", "--id", "id", "--prediction", "stars", *cut, "-o", "n.db")
    rows = list(csv.DictReader(sh.ok("surface", "n.db", "--csv").stdout.splitlines()))
    assert [(row["@prediction"], row["n_pool"]) for row in rows] == [("<2", "20"), (">=2", "30")]
    assert "holds 'no', which is none" in sh.refused(*INIT[:-1], "w.db", *cut).replace("yes", "no")


def test_a_name_is_a_name_whatever_signs_it_holds(sh):
    write_calls(sh.folder / "q[ab].csv", 30)
    for other in ("qa.csv", "qb.csv"):
        write_calls(sh.folder / other, 60)
    sh.ok("init", "q[ab].csv", "--id", "id", "--prediction", "pred", "-o", "q.db")
    assert json.loads(sh.ok("status", "q.db", "--json").stdout)["items"] == 30


def test_a_pattern_is_one_on_purpose_and_every_file_counts(sh):
    (sh.folder / "parts").mkdir()
    with (sh.folder / "calls.csv").open() as file:
        head, *lines = file.read().splitlines()
    for part in range(3):
        text = "\n".join([head, *lines[40 * part : 40 * part + 40]]) + "\n"
        (sh.folder / "parts" / f"p{part}.csv").write_text(text)
    base = ("--id", "id", "--prediction", "pred", "-o", "p.db")
    assert "There is no file 'parts/p*.csv'" in sh.refused("init", "parts/p*.csv", *base)
    sh.ok("init", "--pool-glob", "parts/p*.csv", *base)
    assert json.loads(sh.ok("status", "p.db", "--json").stdout)["items"] == 120
    sh.ok("ask", "p.db")
    part = sh.folder / "parts" / "p1.csv"
    part.write_text(part.read_text().replace("german", "dutch"))
    assert "has changed since it was read" in sh.refused("status", "p.db")
    (sh.folder / "parts" / "p3.csv").write_text(f"{head}\n900,yes,yes,.5,dutch,f,30,yes,u\n")
    sh.ok("relink", "p.db", "parts/p*.csv", "--pool-glob")
    assert json.loads(sh.ok("status", "p.db", "--json").stdout)["items"] == 121
    (sh.folder / "parts" / "p4.csv").write_text("id,other\n901,x\n")
    assert "'p4.csv' is another than" in sh.refused("relink", "p.db", "parts/p*.csv", "--pool-glob")
    assert "No file fits" in sh.refused("init", "--pool-glob", "none*.csv", *base[:-1], "n.db")


def test_a_workbook_is_a_table_and_takes_labels_back(sh):
    book = openpyxl.Workbook()
    book.active.append(["id", "pred", "n", "day"])
    for i in range(30):
        book.active.append([f"{i:03}", "yes", i if i else None, "monday" if i % 2 else i])
    book.save("calls.xlsx")
    sh.ok("init", "calls.xlsx", "--id", "id", "--prediction", "pred", "--attribute", "n:bins=2",
          "--attribute", "day", "-o", "x.db")  # fmt: skip
    rows = list(csv.DictReader(sh.ok("surface", "x.db", "--csv").stdout.splitlines()))
    assert {row["n"] for row in rows} == {"<16", ">=16", "(missing)"}
    assert {row["day"] for row in rows} >= {"monday", "0", "28"}
    done = openpyxl.Workbook()
    done.active.append(["id", "label"])
    done.active.append(["007", "yes"])
    done.active.append(["008", None])
    done.save("done.xlsx")
    assert "1 new label. 1 row without" in sh.ok("tell", "x.db", "done.xlsx").stderr
    (sh.folder / "bad.xlsx").write_bytes(b"PK\x03\x04 no")
    assert "Cannot read the workbook" in sh.refused("tell", "x.db", "bad.xlsx")


def test_a_check_passes_only_what_is_sure_unless_told_otherwise(calls):
    calls.ok("tell", "calls.db", "-", input=filled(calls.ok("ask", "calls.db").stdout))
    mean = json.loads(calls.ok("status", "calls.db", "--json").stdout)["overall"]["mean"]
    bar = f"{mean - 0.01:.4f}"
    assert calls("check", "calls.db", "--min", bar).exit_code == 1
    assert calls("check", "calls.db", "--min", bar, "--on-mean").exit_code == 0
    assert calls("check", "calls.db", "--min", bar, "--sure").exit_code == 1


def test_status_names_the_pool_that_is_read(calls, tmp_path_factory):
    folder = tmp_path_factory.mktemp("moved")
    for name in ("calls.db", "calls.csv"):
        (calls.folder / name).rename(folder / name)
    found = json.loads(calls.ok("status", str(folder / "calls.db"), "--json").stdout)
    assert found["pool"] == str(folder / "calls.csv")
