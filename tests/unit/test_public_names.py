"""What ``import spotheight`` offers, and what it does not load."""

import ast
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import spotheight

STUB = Path(spotheight.__file__).with_name("__init__.pyi")


def stub_names() -> dict[str, str]:
    """Public names and the modules that type checkers are told they come from."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    pairs = [(node, alias) for node in tree.body for alias in getattr(node, "names", ())]
    for _, alias in pairs:
        assert alias.asname == alias.name, "a stub exports only what is named twice"
    return {alias.name: node.module for node, alias in pairs}


def test_the_stub_says_the_same():
    assert stub_names() == spotheight._MODULE


@pytest.mark.parametrize("name", dir(spotheight))
def test_every_name_can_be_had(name):
    assert getattr(spotheight, name) is not None


def test_names_are_listed_in_order_and_once():
    names = [name for names in spotheight._HOME.values() for name in names]
    assert len(set(names)) == len(names)
    for module, names in spotheight._HOME.items():
        assert list(names) == sorted(names), module


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
