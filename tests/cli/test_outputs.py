"""Where results go: nothing that is there is harmed, and what nobody got is asked again."""

import csv
import io
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from shell import INIT, filled

WRITERS = [
    ("report", "calls.db"),
    ("export", "calls.db", "--to", "csv"),
    ("export", "calls.db", "--to", "json"),
    ("export", "calls.db", "--to", "parquet", "--what", "labels"),
]
NAMES = [" ".join(part for part in writer if part != "calls.db") for writer in WRITERS]


@pytest.mark.parametrize("writer", WRITERS, ids=NAMES)
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_a_campaign_its_pool_and_what_lies_beside_are_never_written_over(calls, writer, force):
    calls.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", "-o", "other.db")
    (calls.folder / "link.db").symlink_to("calls.db")
    os.link(calls.folder / "calls.csv", calls.folder / "hard.csv")
    before = {path: path.read_bytes() for path in calls.folder.iterdir()}
    for target in ("calls.db", "./calls.db", "link.db", "other.db", "calls.csv", "hard.csv"):
        said = calls.refused(*writer, "-o", target, *force)
        assert "never written over" in said, (target, said)
    for side in ("-wal", "-shm", "-journal"):
        assert "belongs to the campaign" in calls.refused(*writer, "-o", f"other.db{side}", *force)
    assert {path: path.read_bytes() for path in calls.folder.iterdir()} == before


def test_a_report_without_a_name_does_not_take_that_of_the_campaign(sh):
    sh.ok(*INIT[:-1], "calls.html")
    before = (sh.folder / "calls.html").read_bytes()
    assert "never written over" in sh.refused("report", "calls.html")
    assert (sh.folder / "calls.html").read_bytes() == before


@pytest.mark.parametrize("writer", WRITERS, ids=NAMES)
def test_another_file_is_replaced_only_by_force(calls, writer):
    (calls.folder / "thesis").write_text("years of work")
    said = calls.refused(*writer, "-o", "thesis")
    assert "already exists" in said and "--force" in said
    assert (calls.folder / "thesis").read_text() == "years of work"
    calls.ok(*writer, "-o", "thesis", "--force")
    assert (calls.folder / "thesis").read_bytes() != b"years of work"


def test_an_earlier_report_is_replaced(calls):
    calls.ok("report", "calls.db", "-o", "page.html")
    calls.ok("report", "calls.db", "-o", "page.html", "--title", "Once more")
    assert "Once more" in (calls.folder / "page.html").read_text()


def test_a_link_stays_and_what_it_points_to_is_written(calls):
    (calls.folder / "shared").mkdir()
    (calls.folder / "page.html").symlink_to("shared/page.html")
    calls.ok("report", "calls.db", "-o", "page.html")
    assert (calls.folder / "page.html").is_symlink()
    assert "<html" in (calls.folder / "shared" / "page.html").read_text()


def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_the_umask(calls):
    def mode(name: str) -> int:
        return stat.S_IMODE((calls.folder / name).stat().st_mode)

    (calls.folder / "old.csv").touch(mode=0o600)
    calls.ok("export", "calls.db", "--to", "csv", "-o", "old.csv", "--force")
    before = os.umask(0o027)
    try:
        calls.ok("export", "calls.db", "--to", "csv", "-o", "new.csv")
    finally:
        os.umask(before)
    assert (mode("old.csv"), mode("new.csv")) == (0o600, 0o640)


def spotheight(*arguments: str, folder: Path, out: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spotheight", *arguments]
    return subprocess.run(
        command, cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [("ask", "calls.db"), ("status", "calls.db")], ids=" ".join)
def test_a_full_standard_output_is_said_in_a_sentence(calls, words):
    with Path("/dev/full").open("w") as full:
        done = spotheight(*words, folder=calls.folder, out=full)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert "Standard output cannot be used: No space left on device" in done.stderr


def test_items_that_nobody_got_are_free_again(calls):
    """What is asked for does not fit into the pipe, whose reader takes a line and leaves."""
    with (calls.folder / "wide.csv").open("w") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "pred", "text"])
        writer.writerows([f"{i:04}", "yes", "long " * 400] for i in range(120))
    calls.ok("init", "wide.csv", "--id", "id", "--prediction", "pred", "--payload", "text")
    command = [sys.executable, "-m", "spotheight", "ask", "wide.db", "-n", "100"]
    asking = subprocess.Popen(
        command, cwd=calls.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert asking.stdout is not None and asking.stderr is not None
    asking.stdout.readline()
    asking.stdout.close()
    said = asking.stderr.read()
    asking.stderr.close()
    assert asking.wait(60) != 0
    assert "Traceback" not in said
    assert "out          0" in calls.ok("status", "wide.db").stdout


def test_what_an_annotator_holds_is_printed_again(calls):
    first = calls.ok("ask", "calls.db", "-n", "5", "--annotator", "eva").stdout
    calls.ok("ask", "calls.db", "-n", "5", "--annotator", "ole")
    assert calls.ok("ask", "calls.db", "--again", "--annotator", "eva").stdout == first
    assert len(calls.ok("ask", "calls.db", "--again").stdout.splitlines()) == 1  # nobody's
    done = "\n".join(filled(first).splitlines()[:3]) + "\n"
    calls.ok("tell", "calls.db", "-", "--annotator", "eva", input=done)
    left = list(csv.DictReader(io.StringIO(
        calls.ok("ask", "calls.db", "--again", "--annotator", "eva").stdout)))  # fmt: skip
    assert [row["id"] for row in left] == [line.split(",")[0] for line in first.splitlines()[3:]]
    assert "10 items" not in calls.ok("status", "calls.db").stdout
    assert "found the same" in calls.ok("verify", "calls.db").stdout


def test_labels_before_the_damage_are_saved(calls):
    for _ in range(2):
        calls.ok("tell", "calls.db", "-", input=filled(calls.ok("ask", "calls.db").stdout))
    path = calls.folder / "calls.db"
    kept = calls.ok("export", "calls.db", "--to", "csv", "--what", "labels").stdout
    whole = path.read_bytes()
    place = whole.index(b'{"name":"told"')  # SQLite fills its pages from their ends: the last
    path.write_bytes(whole[:place] + whole[place:].replace(b"yes", b"no!", 1))
    said = calls.refused("status", "calls.db")
    assert "damaged at event 4" in said and "--salvage" in said
    assert "labels" in calls.refused("export", "calls.db", "--to", "csv", "--salvage")
    saved = calls.ok("export", "calls.db", "--to", "csv", "--what", "labels", "--salvage")
    assert "what comes before event 4" in saved.stderr
    assert saved.stdout.splitlines() == kept.splitlines()[:13]
    calls.ok(*INIT[:-1], "fresh.db")
    assert "12 new labels" in calls.ok("tell", "fresh.db", "-", input=saved.stdout).stderr


def test_a_second_demo_replaces_the_first_and_nothing_else(sh):
    short = ("demo", "-o", "d", "-n", "12")
    sh.ok(*short)
    sh.ok(*short)
    (row,) = rows_of(sh.ok("ask", "d/digits.db", "-n", "1").stdout) or [{"id": "digit-0007"}]
    sh.ok("tell", "d/digits.db", "-", "--annotator", "eva", input=f"id,label\n{row['id']},7\n")
    before = (sh.folder / "d" / "digits.db").read_bytes()
    assert "labels that are not the demo's" in sh.refused(*short)
    assert (sh.folder / "d" / "digits.db").read_bytes() == before
    (sh.folder / "e").mkdir()
    (sh.folder / "e" / "digits.parquet").write_text("mine")
    assert "is not the demo's" in sh.refused("demo", "-o", "e", "-n", "12")
    assert (sh.folder / "e" / "digits.parquet").read_text() == "mine"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_nothing_is_written_among_the_parts_of_a_pool(sh):
    (sh.folder / "parts").mkdir()
    (sh.folder / "calls.csv").rename(sh.folder / "parts" / "a.csv")
    init = ("init", "--pool-glob", "parts/*", "--id", "id", "--prediction", "pred", "-o")
    assert "taken for a part of the pool" in sh.refused(*init, "parts/c.db")
    sh.ok(*init, "c.db")
    before = (sh.folder / "parts" / "a.csv").read_bytes()
    for target in ("parts/a.csv", "parts/new.csv"):
        said = sh.refused("export", "c.db", "--to", "csv", "-o", target, "--force")
        assert "never written over" in said
    (sh.folder / "parts" / "notes.txt").write_text("a stray file")
    sh.refused("export", "c.db", "--to", "csv", "--what", "labels", "-o", "parts/a.csv", "--force")
    assert (sh.folder / "parts" / "a.csv").read_bytes() == before


def test_a_part_that_took_the_place_of_another_is_noticed(sh):
    (sh.folder / "parts").mkdir()
    text = (sh.folder / "calls.csv").read_text()
    (sh.folder / "parts" / "a.csv").write_text(text)
    sh.ok("init", "--pool-glob", "parts/*.csv", "--id", "id", "--prediction", "pred", "-o", "c.db")
    other = sh.folder / "other.csv"
    other.write_text(text.replace("german", "danish"))
    os.utime(other, (1, 1))
    other.rename(sh.folder / "parts" / "a.csv")
    said = sh.refused("status", "c.db")
    assert "has changed since it was read" in said and "relink --pool-glob c.db" in said


def test_an_export_does_not_take_the_place_of_a_report(calls):
    calls.ok("report", "calls.db", "-o", "page.html")
    assert "--force" in calls.refused("export", "calls.db", "--to", "csv", "-o", "page.html")


def test_what_another_holds_by_now_is_not_printed_again(calls, monkeypatch):
    calls.ok("ask", "calls.db", "-n", "120", "--annotator", "eva", "--hours", "1")
    monkeypatch.setattr("spotheight.workspace.clock.now", lambda: "2999-01-01T00:00:00+00:00")
    calls.ok("ask", "calls.db", "-n", "120", "--annotator", "ole")
    again = ("ask", "calls.db", "--again", "--annotator")
    assert len(rows_of(calls.ok(*again, "eva").stdout)) == 0
    assert len(rows_of(calls.ok(*again, "ole").stdout)) == 120


def test_true_levels_are_saved_where_the_file_no_longer_says_what_columns_mean(sh):
    text = "key,pred,smiling\n" + "".join(f"k{i},yes,{'ns'[i % 2]}\n" for i in range(9))
    (sh.folder / "g.csv").write_text(text)
    sh.ok("init", "g.csv", "--id", "key", "--prediction", "pred", "--guessed", "smiling",
          "-o", "g.db")  # fmt: skip
    sh.ok("tell", "g.db", "-", input="key,label,true:smiling\nk1,yes,s\nk3,,s\n")
    save = ("export", "g.db", "--to", "csv", "--what", "labels")
    whole = sh.ok(*save).stdout

    def damage(change: str) -> str:
        with closing(sqlite3.connect("g.db", isolation_level=None)) as database:
            database.execute(change)
        assert "is damaged" in sh.refused(*save)
        return sh.ok(*save, "--salvage").stdout

    assert damage("UPDATE meta SET value = 'x' WHERE key = 'mtime'") == whole
    saved = rows_of(damage("UPDATE meta SET value = 'x' WHERE key = 'roles'"))
    assert [(row["item"], row["true:smiling"]) for row in saved] == [("k1", "s"), ("k3", "s")]


def test_a_campaign_that_appears_meanwhile_is_not_written_over(calls, monkeypatch):
    """Not even by force: it is looked at again when the name turns out to be taken."""
    whole = (calls.folder / "calls.db").read_bytes()

    def taken(draft: Path, path: Path) -> None:
        path.write_bytes(whole)
        raise FileExistsError

    monkeypatch.setattr("spotheight.exchange.output.publish", taken)
    said = calls.refused("export", "calls.db", "--to", "csv", "-o", "new.csv", "--force")
    assert "is a campaign, which is never written over" in said
    assert (calls.folder / "new.csv").read_bytes() == whole
