"""Whatever a command can do, ``Workspace`` can: each against its twin, on one small campaign."""

import csv
import io
import json
import math
import random
import shutil
from pathlib import Path

import pytest

import spotheight
from shell import INIT, Shell, write_calls
from spotheight.cli import COMMANDS
from spotheight.demo.run import run_demo
from spotheight.errors import InputError, StoreError
from spotheight.exchange.roles import WrittenRoles
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.simulate import simulate
from spotheight.workspace.exporting import export_labels
from spotheight.workspace.simulating import read_simulation
from spotheight.workspace.starting import read_source, read_spec

AT = "2026-11-19T12:00:00+00:00"
TOLD = "id,label\n" + "".join(f"{i:03},{'yes' if i % 2 else 'no'}\n" for i in range(0, 120, 4))
COSTS = "true,yes,no\nyes,0,5\nno,1,0\n"


def table(heading: str, rows: list[tuple]) -> str:
    return "\n".join([heading, *(",".join(map(str, row)) for row in rows)]) + "\n"


def write_tables(folder: Path) -> None:
    luck = random.Random(7)
    write_calls(folder / "calls.csv")
    (folder / "told.csv").write_text(TOLD)
    (folder / "costs.csv").write_text(COSTS)
    tags = [
        (f"i{i}", tag, luck.randint(0, 1), luck.random(), luck.random())
        for i in range(30)
        for tag in ("cat", "dog")
    ]
    (folder / "tags.csv").write_text(table("id,tag,noisy,a,b", tags))
    vetted = [(name, tag, noisy) for name, tag, noisy, *_ in tags[:20]]
    (folder / "vetted.csv").write_text(table("id,tag,label", vetted))
    hats = [luck.random() for _ in range(60)]
    faces = [(f"f{i}", luck.choice("ab"), f"{hat:.3f}") for i, hat in enumerate(hats)]
    (folder / "faces.csv").write_text(table("id,pred,hat_p", faces))
    gold = [(f"f{i}", "a", "yes" if hats[i] > 0.4 else "no") for i in range(20)]
    (folder / "gold.csv").write_text(table("id,label,true:hat", gold))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a campaign about a surface, one about lists, one with guessed attributes."""
    folder = tmp_path_factory.mktemp("verbs")
    write_tables(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        sh = Shell(folder)
        sh.ok(*INIT, "--task", "cost", "--costs", "costs.csv", "--policy", "random")
        sh.ok("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction",
              "b=pred_b", "--attribute", "accent", "-o", "two.db")  # fmt: skip
        sh.ok("init", "tags.csv", "--id", "id", "--category", "tag", "--noisy-label", "noisy",
              "--score", "a=a", "--score", "b=b", "-o", "tags.db")  # fmt: skip
        sh.ok("init", "faces.csv", "--id", "id", "--prediction", "pred",
              "--attribute-probabilities", "hat=hat_p", "-o", "faces.db")  # fmt: skip
        sh.ok("ask", "calls.db", "-n", "4", "--annotator", "ann")
        for name, file in (("calls.db", "told.csv"), ("two.db", "told.csv"),
                           ("tags.db", "vetted.csv"), ("faces.db", "gold.csv")):  # fmt: skip
            sh.ok("tell", name, file)
    return folder


@pytest.fixture
def sh(made, tmp_path, monkeypatch):
    """A copy of that folder, to write in."""
    for path in made.iterdir():
        shutil.copy2(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spotheight.workspace.clock.now", lambda: AT)
    return Shell(tmp_path)


def plain(value):
    """What JSON keeps of a value, without the last digits."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return round(value, 9) + 0.0 if math.isfinite(value) else None
    return value


def said(sh, *arguments: str):
    """What a command prints as JSON, whatever it exits with."""
    result = sh(*arguments, "--json")
    assert result.exit_code in (0, 1), result.output
    return plain(json.loads(result.stdout))


def log_of(path: str) -> list:
    return spotheight.open(path).campaign.log


def twice(name: str) -> str:
    """A second file of the same campaign, beside the same pool."""
    shutil.copy(name, f"twin-{name}")
    return f"twin-{name}"


def demo(sh):
    sh.ok("demo", "-o", "one", "-n", "24")
    result = run_demo(Path("two"), 24)
    assert (
        plain(result.work.status().overall.mean)
        == said(sh, "status", "one/digits.db")["overall"]["mean"]
    )
    assert log_of("one/digits.db") == log_of("two/digits.db")


def init(sh):
    texts = ("--attribute", "age:edges=30,60", "--policy", "thompson", "--budget", "40")
    shown = sh.ok("init", "calls.csv", "--id", "id", "--prediction", "pred", *texts,
                  "-o", "one.db", "--json").stdout  # fmt: skip
    written = WrittenRoles(id="id", prediction=("pred",), attribute=("age:edges=30,60",))
    source, roles = read_source(PoolFiles(Path("calls.csv")), written, None, ())
    spec = read_spec(roles, {"policy": "thompson", "budget": 40})
    work, look = spotheight.Workspace.create("other.db", source, roles, spec)
    assert json.loads(shown)["items"] == look.items == 120
    first = spotheight.open("one.db").campaign
    assert work.campaign.spec == first.spec and work.campaign.pool.roles == first.pool.roles


def ask(sh):
    other = twice("calls.db")
    rows = json.loads(sh.ok("ask", "calls.db", "-n", "5", "--hours", "3", "--json").stdout)
    work = spotheight.open(other)
    assert plain(work.rows(work.ask(5, hours=3))) == plain(rows)
    assert log_of("calls.db") == work.campaign.log
    held = list(csv.DictReader(io.StringIO(
        sh.ok("ask", "calls.db", "--again", "--annotator", "ann").stdout)))  # fmt: skip
    assert [row["id"] for row in held] == [query.item for query in work.held("ann")] != []


def tell(sh):
    other, more = twice("calls.db"), "id,label,annotator\n001,yes,ann\n003,Yes,bob\n"
    heard = sh.ok("tell", "calls.db", "-", input=more).stderr
    work = spotheight.open(other)
    found = work.tell_file(more, "more.csv")
    assert str(found.receipt) in heard and found.labelled == 32
    assert found.hints and all(hint in heard for hint in found.hints)
    assert log_of("calls.db") == work.campaign.log
    corrected = sh.ok("tell", "calls.db", "--correct", "-", input="id,label\n000,yes\n").stderr
    assert str(work.correct({"000": "yes"})) in corrected
    assert work.tell({"005": "no"}).new == 1
    assert work.tell_all({"ann": {"007": "no"}, "bob": {"007": "yes"}}).new == 2
    with pytest.raises(InputError, match=r"more\.csv, row 2: .* Nothing was taken in"):
        work.tell_file("id,label\nnope,yes\n", "more.csv")


def skip(sh):
    other = twice("calls.db")
    heard = sh.ok("skip", "calls.db", "000", "001").stderr
    found = spotheight.open(other).skip(["000", "001"])
    assert heard.startswith(f"{found.new} skipped, {found.total} in all.")
    assert found.labelled == ("000",) and "1 item is labelled" in heard
    assert log_of("calls.db") == log_of(other)


def release(sh):
    other = twice("calls.db")
    heard = sh.ok("release", "calls.db", "--annotator", "ann").stderr
    freed = spotheight.open(other).release(annotator="ann")
    assert freed > 0 and heard.startswith(f"{freed} item")
    assert log_of("calls.db") == log_of(other)


def status(sh):
    for name in ("calls.db", "tags.db", "faces.db"):
        assert said(sh, "status", name) == plain(spotheight.open(name).status().plain())


def surface(sh):
    work = spotheight.open("two.db")
    arms = work.surface("rate", "b").frame()
    assert said(sh, "surface", "two.db", "--estimand", "rate", "--service", "b")["arms"] == plain(
        arms.to_pylist()
    )
    slices = ("--slice", "accent=german", "--against", "accent=french", "--mix", "calls.csv")
    found = work.numbers(["accent=german"], against=["accent=french"], mix="calls.csv", level=0.8)
    assert said(sh, "surface", "two.db", *slices, "--level", ".8") == plain(found.plain())


def identify(sh):
    answer = spotheight.open("calls.db").answer("identify:worst=2", "rate")
    found = said(sh, "identify", "calls.db", "--worst", "2", "--estimand", "rate")
    assert (found["found"], found["groups"]) == (
        list(answer.names),
        plain(answer.frame().to_pylist()),
    )


def compare(sh):
    work = spotheight.open("calls.db")
    answer = work.answer("compare:first=(accent=german),second=(accent=french),rope=0.1")
    found = said(sh, "compare", "calls.db", "accent=german", "accent=french", "--rope", ".1")
    assert found["decision"] == answer.decision
    assert found["difference"]["mean"] == plain(answer.difference.mean)
    pair = spotheight.open("two.db").answer("compare-services:first=a,second=b")
    found = said(sh, "compare", "two.db", "--services", "a", "b")
    assert found["first_better"] == plain(pair.first_better)


def rank(sh):
    answer = spotheight.open("calls.db").answer("rank", estimator="beta")
    found = said(sh, "rank", "calls.db", "--estimator", "beta")
    assert found["groups"] == plain(answer.frame().to_pylist())


def calibration(sh):
    answer = spotheight.open("calls.db").answer("calibration")
    (found,) = said(sh, "calibration", "calls.db")["groups"]
    assert found["accuracy"] == plain(answer.accuracy.frame()["mean"][0].as_py())


def confusion(sh):
    answer = spotheight.open("two.db").answer("confusion", service="b")
    found = said(sh, "confusion", "two.db", "--service", "b")["cells"]
    assert [cell["mean"] for cell in found] == plain(answer.mean.ravel().tolist())


def cost(sh):
    answer = spotheight.open("calls.db").answer("cost")
    found = said(sh, "cost", "calls.db")
    assert found["groups"] == plain(answer.values.frame().to_pylist())
    assert found["overall"]["mean"] == plain(answer.overall.mean)


def precision(sh):
    answer = spotheight.open("tags.db").answer("precision:k=4", service="a")
    (found,) = said(sh, "precision", "tags.db", "-k", "4", "--service", "a")["services"]
    assert found["mean"] == plain(answer.overall[0].mean)


def average_precision(sh):
    answer = spotheight.open("tags.db").answer("average-precision", estimator="naive")
    found = said(sh, "average-precision", "tags.db", "--estimator", "naive")["services"]
    assert [row["mean"] for row in found] == plain([one.mean for one in answer.overall])


def attributes(sh):
    found = spotheight.open("faces.db").attributes()
    assert said(sh, "attributes", "faces.db") == plain(found.plain()) and found.attributes


def report(sh):
    sh.ok("report", "calls.db", "-o", "one.html", "--ask", "confusion", "--title", "Calls")
    work = spotheight.open("calls.db")
    written = work.report("two.html", questions=["confusion"], title="Calls")
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()
    assert written.path == Path("two.html")
    with pytest.raises(InputError, match="never written over"):
        work.report("calls.csv", force=True)


def check(sh):
    for bar in (0.1, 0.99):
        found = spotheight.open("calls.db").check(min=bar, slices=["accent=german"])
        result = sh("check", "calls.db", "--min", str(bar), "--slice", "accent=german", "--json")
        assert plain(json.loads(result.stdout)) == plain(found.plain())
        assert result.exit_code == (not found.passed)
    found = spotheight.open("tags.db").check(min=0.2, sure=False)
    assert said(sh, "check", "tags.db", "--min", ".2", "--on-mean") == plain(found.plain())


def export(sh):
    work = spotheight.open("calls.db")
    for to, what in (("csv", "surface"), ("json", "surface"), ("parquet", "surface"),
                     ("csv", "labels"), ("json", "labels")):  # fmt: skip
        sh.ok("export", "calls.db", "--to", to, "--what", what, "-o", "one", "--force")
        work.export("two", to, what, force=True)
        assert Path("one").read_bytes() == Path("two").read_bytes(), (to, what)
    export_labels(Path("calls.db"), Path("three"), "json")
    assert Path("three").read_bytes() == Path("one").read_bytes()
    with pytest.raises(InputError, match="xml"):
        work.export("four", "xml")


def relink(sh):
    other = twice("calls.db")
    shutil.copy("calls.csv", "moved.csv")
    sh.ok("relink", "calls.db", "moved.csv")
    look = spotheight.Workspace.relink(other, "moved.csv")
    assert look.items == 120
    assert spotheight.open(other).source.path.name == "moved.csv"
    assert log_of("calls.db") == log_of(other)


def verify(sh):
    found = spotheight.open("calls.db").verify()
    assert said(sh, "verify", "calls.db")["same"] == found.same == found.asks > 0


def simulation(sh):
    roles = ("--id", "id", "--prediction", "pred", "--attribute", "accent", "--label", "truth")
    lines = sh.ok("simulate", "calls.csv", *roles, "--budget", "12", "--seeds", "1",
                  "--workers", "1", "--json").stdout.splitlines()  # fmt: skip
    written = WrittenRoles(
        id="id", prediction=("pred",), attribute=("accent",), label="truth"
    ).read()
    unsaid = ("task", "costs", "metric", "told", "holdout", "calibration", "level")
    options = {"estimators": (), "policies": (), "budgets": (12,), "seeds": 1, "seed": 0,
               "service": "", "batch": 12, "warm": 0, **dict.fromkeys(unsaid)}  # fmt: skip
    pool = open_pool("calls.csv", written, in_memory=True)
    rows = [*simulate(pool, read_simulation(written, options), workers=1)]
    timed = {"fit_seconds", "ask_seconds"}
    kept = [{name: row[name] for name in row if name not in timed} for row in rows]
    found = [json.loads(line) for line in lines]
    assert [{name: row[name] for name in row if name not in timed} for row in found] == kept


TWINS = {
    "demo": demo, "init": init, "ask": ask, "tell": tell, "skip": skip, "release": release,
    "status": status, "surface": surface, "identify": identify, "compare": compare, "rank": rank,
    "calibration": calibration, "confusion": confusion, "cost": cost, "precision": precision,
    "average-precision": average_precision, "attributes": attributes, "report": report,
    "check": check, "export": export, "relink": relink, "verify": verify, "simulate": simulation,
}  # fmt: skip


def test_every_command_has_a_twin():
    assert TWINS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_its_twin_gives_back(sh, command):
    TWINS[command](sh)


def test_a_file_is_used_plainly_or_in_a_block(sh):
    with spotheight.open("calls.db") as work:
        assert work.status().labelled == 30
    with pytest.raises(StoreError, match=r"'calls\.db' was closed here; open it again"):
        work.ask(1)
    assert spotheight.open("calls.db").ask(1)


def test_a_question_about_a_service_there_is_not_is_refused(sh):
    with pytest.raises(InputError, match="There is no service 'c'"):
        spotheight.open("two.db").answer("rank", service="c")


def test_what_options_would_refuse_is_refused(sh):
    work = spotheight.open("calls.db")
    with pytest.raises(InputError, match="up to 878,400 hours, got -1"):
        work.ask(1, hours=-1)
    with pytest.raises(InputError, match="The bar lies between 0 and 1, got 80"):
        work.check(min=80)
    with pytest.raises(InputError, match="The level of intervals lies between 0 and 1, got 2"):
        work.numbers(level=2)


def test_a_prompt_shows_where_a_campaign_stands(sh):
    assert repr(spotheight.open("calls.db")).startswith("<Workspace 'calls.db': <Campaign on")
