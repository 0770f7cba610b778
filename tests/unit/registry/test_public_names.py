"""What ``import spotheight`` offers, and what it does not load."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import spotheight
from scripts.make_stub import stub
from spotheight.registry import names

STUB = Path(spotheight.__file__).with_name("__init__.pyi")
MEMBERS = {place for places in names.MEMBERS.values() for place in places.values()}
PLACES = {*names.OTHERS, *names.HINTS, *MEMBERS}


def test_the_stub_says_the_same():
    assert STUB.read_text(encoding="utf-8") == stub(), "run: python scripts/make_stub.py"


@pytest.mark.parametrize("name", dir(spotheight))
def test_every_name_can_be_had(name):
    assert getattr(spotheight, name) is not None


@pytest.mark.parametrize("place", sorted(PLACES))
def test_every_place_is_where_its_name_is_defined(place):
    found = names.load(place)
    assert f"{found.__module__}:{found.__qualname__}" == place


def test_names_are_listed_in_order_and_once():
    public = [*names.OTHERS, *MEMBERS - {*names.MEMBERS["event"].values()}]
    assert dir(spotheight) == sorted(place.partition(":")[2] for place in public)
    assert len(set(dir(spotheight))) == len(public)


def test_looking_a_name_up_imports_no_other():
    """In a process of its own: what nobody names, nobody waits for."""
    code = (
        "import sys, json, spotheight\n"
        "from spotheight.registry import ESTIMATORS, POLICIES, TASKS\n"
        "names = [*ESTIMATORS.names, *POLICIES.names, *TASKS.names, *dir(spotheight)]\n"
        "assert len(names) > 80\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in json.loads(done.stdout) if name.startswith("spotheight.")}
    assert {name.split(".")[1] for name in ours} == {"errors", "registry", "types"}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'spotheight' has no attribute 'Campain'"):
        _ = spotheight.Campain


def test_importing_it_loads_nothing_heavy():
    """So that ``spotheight --help`` is instant; in a process of its own."""
    code = "import spotheight, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert "spotheight" in loaded
    assert not loaded & {"numpy", "scipy", "ibis", "duckdb", "pyarrow", "pandas", "click", "rich"}


def test_the_version_is_that_of_the_package():
    assert spotheight.__version__ == version("spotheight")
