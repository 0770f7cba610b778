"""A campaign file names algorithms by registry name: it can never make us import a path."""

import importlib
import json
import sqlite3
import sys
from importlib.metadata import EntryPoint

import pytest

from shell import INIT
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.history.events import Event
from spotheight.pool.reading.embedded import connection
from spotheight.registry import decode, encode, loads, names, read_spec
from spotheight.store.seals import SET_META, seal_meta

PATHS = (
    "os:system",
    "builtins:eval",
    "builtins:exec",
    "os.system",
    "canary",
    "canary:run",
    "canary.run",
    "canary:Canary()",
    "spotheight.models.additive.estimator:Additive",
    "spotheight.models.pooled",
    "Additive",
    "__import__('canary')",
    "../canary.py",
    "",
    " additive ",
)
FIELDS = ("estimator", "class_estimator", "item_estimator", "policy", "task", "metric",
          "calibration")  # fmt: skip


@pytest.fixture(autouse=True)
def imported(tmp_path, monkeypatch):
    """What is imported meanwhile: there is a module that a path could name."""
    (tmp_path / "canary.py").write_text("run = Canary = print")
    monkeypatch.syspath_prepend(tmp_path)
    loads(json.dumps(encode(Spec())), Spec)  # what our own names need is there already
    connection()  # the engine comes by an entry point of its own
    seen, plain = [], importlib.import_module
    monkeypatch.setattr(names, "import_module", lambda name: seen.append(name) or plain(name))
    monkeypatch.setattr(EntryPoint, "load", lambda self: seen.append(self.value))
    yield seen
    assert "canary" not in sys.modules
    own = {place.partition(":")[0] for of in names.MEMBERS.values() for place in of.values()}
    own |= {place.partition(":")[0] for place in (*names.HINTS, names.SPEC)}
    assert set(seen) <= own


def refusal(act, *arguments):
    with pytest.raises(InputError) as caught:
        act(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def forms(path):
    """The ways in which a file may hold a path in the place of a name."""
    yield {"name": path}
    yield {"name": path, "from": "canary"}
    yield {"name": path, "from": "canary:run", "module": "canary"}
    if path.strip() != "additive":
        yield path


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_no_name(path, field):
    good = encode(Spec())
    for form in forms(path):
        refusal(decode, {**good, field: form}, Spec)
        refusal(read_spec, f"{field} = {toml(form)}")


@pytest.mark.parametrize("path", PATHS)
def test_nor_is_it_inside_another_value(path):
    """Wherever a field holds an algorithm of its own."""
    for form in forms(path):
        for spec in (
            {"policy": {"name": "mix", "first": form}},
            {"policy": {"name": "mix", "second": {"name": "mix", "first": form}}},
            {"task": {"name": "rank", "of": form}},
            {"task": {"name": "compare", "first": {}, "second": {}, "of": form}},
            {"task": {"name": "rank-systems", "by": form}},
        ):
            refusal(decode, spec, Spec)
    if path.strip() != "additive":
        refusal(read_spec, f"policy = {json.dumps(f'mix:first=({path})')}")


@pytest.mark.parametrize("name", [None, 3, 2.5, True, ["os"], {"name": "os"}, {}])
def test_a_name_is_text(name):
    said = refusal(decode, {"estimator": {"name": name}}, Spec)
    assert said.startswith("The name of an estimator is text, not ")


def test_an_event_of_no_such_name_is_none():
    said = refusal(loads, '{"name": "canary:run", "labels": {}}', Event)
    assert "There is no event 'canary:run'" in said


@pytest.mark.parametrize("said", [{"from": "os:system"}, {}])
def test_a_hand_made_campaign_is_refused_in_a_sentence(sh, said):
    sh.ok(*INIT)
    with sqlite3.connect("calls.db") as db:
        meta = dict(db.execute("SELECT key, value FROM meta"))
        spec = json.loads(meta["spec"]) | {"estimator": {"name": "canary:run", **said}}
        db.execute(SET_META, ("spec", json.dumps(spec)))
        seal_meta(db)
    told = " ".join(sh.refused("ask", "calls.db").split())
    assert "calls.db cannot be used here: The" in told
    assert "estimator 'canary:run'" in told
    assert "damaged" not in told
    sh.ok("export", "calls.db", "--to", "csv", "--what", "labels")


def toml(form):
    if isinstance(form, str):
        return json.dumps(form)
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in form.items()) + " }"
