"""Bad input: one clear sentence with the value and the way out, exit code 2, nothing written."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys

import pytest

from shell import INIT, filled, write_calls

BASE = ("--id", "id", "--prediction", "pred")


def csv_file(sh, text: str | bytes) -> str:
    path = sh.folder / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path.name


TABLES = {
    "duplicate ids": ("id,pred\n1,a\n1,b\n", "The id '1' stands in 2 rows"),
    "null ids": ("id,pred\n1,a\n,b\n", "1 of 2 rows have no id in column 'id'"),
    "no rows": ("id,pred\n", "The table has no rows"),
    "nothing at all": ("", "is empty"),
    "not UTF-8": (b"id,pred\n1,caf\xe9\n", "is not UTF-8 (byte 13)"),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables(sh, case):
    text, sentence = TABLES[case]
    said = sh.refused("init", csv_file(sh, text), *BASE, "-o", "new.db")
    assert sentence in said
    assert not (sh.folder / "new.db").exists()


@pytest.mark.parametrize("score", ["nan", "inf", "-inf"])
def test_non_finite_scores(sh, score):
    name = csv_file(sh, f"id,pred,conf\n1,a,.5\n2,b,{score}\n")
    said = sh.refused("init", name, *BASE, "--score", "conf", "-o", "new.db")
    assert "'conf'" in said and "'2'" in said and "finite" in said


def test_a_score_that_is_no_number(sh):
    name = csv_file(sh, "id,pred,conf\n1,a,high\n")
    assert "'high', which is no number" in sh.refused("init", name, *BASE, "--score", "conf")


OPTIONS = {
    "missing column": (("--attribute", "acent"), "did you mean 'accent'?"),
    "unknown estimator": (("--estimator", "ebbeta"), "did you mean 'eb-beta'?"),
    "unknown field": (("--policy", "thompson:drawz=3"), "did you mean 'draws'?"),
    "unknown metric": (("--metric", "acuracy"), "did you mean 'accuracy'?"),
    "metric without its class": (("--metric", "recall"), "needs 'cls'"),
    "budget of 0": (("--budget", "0"), "at least 1 label, got 0"),
    "seed that is no number": (("--seed", "seven"), "'seven'"),
    "negative seed": (("--seed", "-1"), "whole number from 0 on"),
    "bins": (("--attribute", "age:bins=one"), "whole number of at least 2 bins"),
    "edges": (("--attribute", "age:edges=9,3"), "grow from left to right"),
    "levels left out": (("--attribute", "truth:ordered=no,maybe"), "'yes'"),
    "unknown service": (("--service", "gogle"), "no service 'gogle'"),
    "an unknown cut": (("--attribute", "age:bin=3"), "age:bins=4"),
    "score cut missing": (("--attribute", "@score"), "@score:bins=10"),
    "lists without categories": (("--task", "precision:k=3"), "name it with --category COL"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options(sh, case):
    options, sentence = OPTIONS[case]
    said = sh.refused("init", "calls.csv", *BASE, "--score", "conf", *options, "-o", "new.db")
    assert sentence in said
    assert not (sh.folder / "new.db").exists()


def test_a_cut_of_no_score(sh):
    said = sh.refused("init", "calls.csv", *BASE, "--attribute", "@score:bins=3")
    assert "No service has a score that could be cut" in said


def test_no_id_named(sh):
    assert "--id" in sh.refused("init", "calls.csv", "--prediction", "pred")


def test_no_such_table(sh):
    assert "no file 'nowhere.csv'" in sh.refused("init", "nowhere.csv", *BASE)


def test_a_campaign_is_never_overwritten(calls):
    before = (calls.folder / "calls.db").read_bytes()
    assert "already exists" in calls.refused(*INIT)
    assert (calls.folder / "calls.db").read_bytes() == before


@pytest.mark.parametrize("command", ["ask", "status", "surface", "report", "verify"])
def test_files_that_are_no_campaign(sh, command):
    (sh.folder / "text.db").write_text("hello")
    sqlite3.connect("other.db").execute("CREATE TABLE t (x)").connection.commit()
    assert "text.db" in sh.refused(command, "text.db")
    assert "other.db" in sh.refused(command, "other.db")
    assert "absent.db" in sh.refused(command, "absent.db")


def test_a_newer_schema(calls):
    db = sqlite3.connect("calls.db")
    db.execute("PRAGMA user_version = 999")
    db.commit()
    db.close()
    assert "999" in calls.refused("status", "calls.db")


TELLS = {
    "unknown item": ("id,label\nzzz,yes\n", "row 2"),
    "label outside the classes": ("id,label\n000,maybe\n", "none of the classes"),
    "no label column": ("id,lable\n000,yes\n", "did you mean 'lable'?"),
    "no id column": ("item,label\n000,yes\n", "no column 'id'"),
    "ragged row": ("id,label\n000\n", "row 2"),
    "two labels in one file": ("id,label\n000,yes\n000,no\n", "row 3"),
    "empty id": ("id,label\n,yes\n", "row 2"),
    "broken JSON": ('[{"id": "000"', "no JSON"),
    "nothing": ("", "is empty"),
}


@pytest.mark.parametrize("case", TELLS)
def test_tells(sh, case):
    sh.ok(*INIT, "--classes", "yes,no")
    text, sentence = TELLS[case]
    assert sentence in sh.refused("tell", "calls.db", "-", input=text)
    assert "labelled     0" in sh.ok("status", "calls.db").stdout


def test_other_rubbish(calls):
    assert "At least 1 item" in calls.refused("ask", "calls.db", "-n", "0")
    assert "no attribute 'acent'" in calls.refused("surface", "calls.db", "--slice", "acent=german")
    assert "no level 'germn'" in calls.refused("surface", "calls.db", "--slice", "accent=germn")
    assert "should read like" in calls.refused("surface", "calls.db", "--slice", "german")
    assert "no item 'zzz'" in calls.refused("skip", "calls.db", "zzz")
    assert "'zzz' is not out" in calls.refused("release", "calls.db", "zzz")
    (calls.folder / "mix.csv").write_text("accent\ngerman\n")
    assert "no column 'gender'" in calls.refused("surface", "calls.db", "--mix", "mix.csv")


def test_simulate_rubbish(sh):
    base = ("simulate", "calls.csv", "--prediction", "pred", "--attribute", "accent")
    assert "--label" in sh.refused(*base)
    write_calls(sh.folder / "gaps.csv", truth="")
    said = sh.refused("simulate", "gaps.csv", "--prediction", "pred", "--label", "truth")
    assert "label" in said
    assert sh(*base, "--label", "truth", "--budget", "0").exit_code == 2
    said = sh.refused(*base, "--label", "truth", "--task", "identify:worst=9")
    assert "only 3 groups" in said


def limited(folder, *arguments: str, size: int, input: str = "") -> subprocess.CompletedProcess:
    """Run a command for which the disk is full once a file reaches ``size`` bytes."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(
        [sys.executable, "-m", "spotheight", *arguments], cwd=folder, preexec_fn=limit,
        capture_output=True, text=True, input=input, check=False,
    )  # fmt: skip


def test_a_full_disk(calls):
    text = filled(calls.ok("ask", "calls.db", "-n", "60").stdout)
    size = (calls.folder / "calls.db").stat().st_size
    failed = limited(calls.folder, "tell", "calls.db", "-", size=size // 8, input=text)
    assert failed.returncode == 2, failed.stderr
    assert "Traceback" not in failed.stderr and "room" in failed.stderr
    assert "labelled     0" in calls.ok("status", "calls.db").stdout
    calls.ok("tell", "calls.db", "-", input=text)
    page = limited(calls.folder, "report", "calls.db", "-o", "page.html", size=4096)
    assert page.returncode == 2 and "Traceback" not in page.stderr, page.stderr
    assert not list(calls.folder.glob("*page*")) + list(calls.folder.glob(".*page*"))


AS_NOBODY = """
import os, shutil, sys, tempfile
from spotheight.cli import main
# Everything is loaded by a first run as root: the interpreter may not be readable to others.
home, warm = os.getcwd(), tempfile.mkdtemp()
shutil.copy("calls.csv", warm)
os.chdir(warm)
init = ["init", "calls.csv", "--id", "id", "--prediction", "pred", "-o", "calls.db"]
main(init, standalone_mode=False)
main(["ask", "calls.db"], standalone_mode=False)
os.chdir(home)
os.setgid(65534)
os.setuid(65534)
main(sys.argv[1:])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="drops root's rights, so it needs them first")
@pytest.mark.parametrize("command", [("ask", "calls.db"), (*INIT[:-1], "new.db")], ids=str)
def test_a_read_only_folder(calls, tmp_path, command):
    own = [tmp_path, *tmp_path.parents]
    for folder in own[: 1 + next(i for i, f in enumerate(own) if f.name.startswith("pytest-of-"))]:
        folder.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, *command],
        cwd=calls.folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert command[-1] in done.stderr and "Traceback" not in done.stderr
    assert not (calls.folder / "new.db").exists()


@pytest.mark.parametrize("folder", [".", ".."])
def test_a_folder_is_no_table(sh, folder):
    assert f"There is no file {folder!r}" in sh.refused("init", folder, *BASE)
