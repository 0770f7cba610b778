"""A package from outside, installed as users install one, from its help to a reloaded campaign."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spotheight
from shell import write_calls

EXAMPLE = Path(__file__).parent / "example"
SOURCE = Path(spotheight.__file__).parents[1]
ROLES = ("--id", "id", "--prediction", "pred", "--score", "conf", "--attribute", "accent")
pytestmark = pytest.mark.slow  # some twenty processes, each of which imports everything

MINE = ("--estimator", "shrunk:labels=4", "--policy", "doubtful", "--task", "spread:draws=300")


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """Where the package is installed: no registry is asked, and nothing else is touched."""
    package, place = (tmp_path_factory.mktemp(name) for name in ("package", "installed"))
    shutil.copytree(EXAMPLE, package, dirs_exist_ok=True)
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet")
    run(sys.executable, "-m", "pip", "install", *offline, "--target", place, package)
    return place


def run(*command, folder=None, path=()):
    """What a command prints; both of its streams where it fails."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, SOURCE)))}
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def refused(*command, folder, path=()):
    """The sentence by which a command refuses."""
    with pytest.raises(AssertionError) as caught:
        run(sys.executable, "-m", "spotheight", *command, folder=folder, path=path)
    said = str(caught.value)
    assert "Error: " in said
    assert "Traceback" not in said
    return " ".join(said.split())


@pytest.fixture(scope="module")
def sh(target):
    def ok(*arguments, folder):
        return run(sys.executable, "-m", "spotheight", *arguments, folder=folder, path=[target])

    return ok


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sh):
    """A campaign by nothing but what the package brings, with a dozen labels."""
    folder = tmp_path_factory.mktemp("campaign")
    write_calls(folder / "calls.csv")
    with (folder / "calls.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    (folder / "calls.rows").write_text("".join(f"|{'|'.join(row)}|\n" for row in rows))
    sh("init", "calls.rows", *ROLES, *MINE, "-o", "calls.db", folder=folder)
    todo = sh("ask", "calls.db", "-n", "12", folder=folder)
    truth = {row[0]: row[rows[0].index("truth")] for row in rows}
    asked = [line.split(",")[0] for line in todo.splitlines()[1:]]
    assert len(asked) == 12
    assert "its arm is among the least sure" in todo
    told = "".join(f"{item},{truth[item]}\n" for item in asked)
    (folder / "done.csv").write_text("id,label\n" + told)
    sh("tell", "calls.db", "done.csv", folder=folder)
    return folder


@pytest.mark.parametrize("command", ["init", "simulate"])
def test_its_names_stand_in_help(sh, tmp_path, command):
    said = " ".join(sh(command, "--help", folder=tmp_path).split())
    assert "betagp-slp, shrunk." in said
    assert "images, doubtful." in said
    assert "Of installed packages: spread." in said


def test_a_campaign_goes_on_with_it(sh, folder):
    status = json.loads(sh("status", "calls.db", "--json", folder=folder))
    assert (status["estimator"], status["policy"]) == ("shrunk:labels=4.0", "doubtful")
    assert status["labelled"] == 12
    told = sh("status", "calls.db", folder=folder)
    assert "Pull every arm toward the overall rate by so many labels" in told
    surface = json.loads(sh("surface", "calls.db", "--json", folder=folder))
    assert 0.5 < surface["overall"]["mean"] < 1
    assert [arm["n_pool"] for arm in surface["arms"]] == [40, 40, 40]


def test_it_comes_back_as_it_was_saved(sh, folder):
    assert "1 of 1 asks recomputed and found the same" in sh("verify", "calls.db", folder=folder)


def test_the_report_is_written(sh, folder):
    sh("report", "calls.db", "-o", "calls.html", folder=folder)
    assert "shrunk:labels=4.0" in (folder / "calls.html").read_text()


def test_its_question_is_answered_in_a_report(sh, folder):
    sh("report", "calls.db", "--ask", "spread", "-o", "asked.html", folder=folder)
    assert "ahead of the worst" in (folder / "asked.html").read_text()


def test_its_question_is_answered_in_python(target, folder):
    code = (
        "from spotheight.registry import TASKS, parse\n"
        "from spotheight.workspace import Workspace\n"
        "from pathlib import Path\n"
        "with Workspace.open(Path('calls.db')) as work:\n"
        "    answer = work.campaign.answer(parse('spread', TASKS))\n"
        "print(answer.plain(), answer.frame().num_rows)"
    )
    said = run(sys.executable, "-c", code, folder=folder, path=[target])
    assert said.startswith("The best arm is ")
    assert said.endswith(" ahead of the worst. 1\n")


def test_a_replay_takes_it(sh, folder):
    few = ("--budget", "12", "--seeds", "2", "--workers", "1")
    names = ("--label", "truth", "--estimator", "shrunk", "--policy", "doubtful")
    assert "shrunk" in sh("simulate", "calls.rows", *ROLES, *few, *names, folder=folder)


def test_the_page_about_it_shows_what_it_is():
    page = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text()
    files = [path for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".toml")]
    lines = {line.strip(' "') for path in files for line in path.read_text().splitlines()}
    shown = re.findall(r"```(?:toml|python)\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 3
    said = [line for block in shown for line in block.splitlines()]
    missing = [line for line in said if line.strip(' "') not in lines]
    assert missing == ["from spotheight.testing import EstimatorContract"]


def test_its_own_tests_pass(target, tmp_path):
    """With the suites that we hold our own algorithms to."""
    test = EXAMPLE / "tests" / "test_contracts.py"
    own = ("-p", "no:cacheprovider", "-q", "-c", os.devnull, "--rootdir", tmp_path)
    said = run(sys.executable, "-m", "pytest", *own, test, folder=tmp_path, path=[target])
    assert "passed" in said
    assert "failed" not in said


def test_without_it_the_campaign_says_what_to_install(folder):
    said = refused("status", "calls.db", folder=folder)
    assert (
        "calls.db cannot be used here: The estimator 'shrunk' comes with the package "
        "'spotheight-example==0.1', which does not offer it here; install that package. "
        "Nothing is lost" in said
    )


def test_without_it_labels_come_out_all_the_same(folder):
    for salvage in ((), ("--salvage",)):
        command = ("export", "calls.db", "--to", "csv", "--what", "labels", *salvage)
        said = run(sys.executable, "-m", "spotheight", *command, folder=folder)
        assert said.splitlines()[0] == '"id","label","annotator","chance"'
        assert len(said.splitlines()) == 13


def test_a_file_of_an_unknown_ending_names_those_there_are(folder, target):
    (folder / "calls.odd").write_text("x")
    init = ("init", "calls.odd", *ROLES, "-o", "odd.db")
    assert ".xlsx, .rows; packages" in refused(*init, folder=folder, path=[target])
    assert ".xlsx; packages may bring others" in refused(*init, folder=folder)


def test_a_file_that_its_reader_cannot_read_names_the_package(folder, target):
    (folder / "bad.rows").write_text("no bars\n")
    said = refused("init", "bad.rows", *ROLES, "-o", "bad.db", folder=folder, path=[target])
    assert "'bad.rows' with the reader of 'spotheight-example==0.1'" in said
    assert "should begin and end with a bar" in said
