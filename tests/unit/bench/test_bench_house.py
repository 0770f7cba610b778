"""The count of the house: what files say, which code was called, and the table of both."""

import contextlib
import cProfile
import io
import json
import re
import runpy

import pytest
from click.testing import CliRunner

from bench.house import command
from bench.house.figures import HEADINGS, Figure, as_json, markdown
from bench.house.layers import pointing_up
from bench.house.shape import nouns, shape
from bench.house.touched import called, table
from bench.house.tree import Tree, first_line

FILES = {
    "__init__.py": '"""A package."""\n',
    "errors.py": "class Fault(Exception):\n    pass\n",
    "spare.py": "class Calibration:\n    pass\n\n\nclass _Row:\n    pass\n",
    "models/additive.py": "class Calibration:\n    pass\n\n\nclass _Row:\n    pass\n\n\nA.fit(1)\n",
    "models/pooled.py": "class Pooled:\n    def fit(self, evidence):\n        return evidence\n",
    "campaign/fitting.py": "SURFACE = by.fit(1)\nGOLD = calibration.fit(2)\n",
    "campaign/streams.py": "RNG = np.random.default_rng([seed, 3])\nOTHER = default_rng(4)\n",
    "simulate/run.py": "RNG = default_rng([1, 2])\n",
    "cli/__init__.py": 'COMMANDS = {"init": "Start.", "ask": "", "rank": "Rank.", "demo": ""}\n',
    "cli/ask.py": (
        "@click.command()\ndef command():\n    work()\n\n\n"
        'def words():\n    """Say."""\n    one = 1\n    return one\n\n\n'
        "def shown():\n    click.echo(words())\n"
    ),
    "workspace/workspace.py": "class Reading:\n    def ask(self): ...\n",
    "workspace/writing.py": "class Workspace(Reading):\n    def create(self): ...\n",
    "registry/names.py": 'KINDS = ("estimators", "readers")\nentry_points(group="x")\nPooled\n',
    "page/one.html": "<p>Identify the worst</p>\n",
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "tiny" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "tiny"


def counts(package):
    return {figure.what: figure for figure in shape(Tree.read(package))}


def test_what_files_say_is_counted(package):
    found = counts(package)
    now = {what: figure.now for what, figure in found.items()}
    assert now["files that name one question (identify)"] == 1
    assert now["files that name one estimator (Pooled)"] == 2
    assert now["lines of cli/"] == 14
    assert now["... of these in functions that print nothing"] == 2
    assert found["commands that Workspace lacks"].which == ("rank",)
    assert found["kinds that outside code can add (wanted: 4)"].which == ("estimators", "readers")
    assert found["places that know the seed rule"].which == ("campaign/streams.py",)
    assert found["ways to fit a belief (by part)"].which == ("campaign/fitting.py",)
    both = "Calibration (models/additive, spare)"
    assert found["class names for two things"].which == (both,)
    assert found["modules at the top level that are no root"].which == ("spare",)
    assert now["files"] == len(FILES) - 1
    assert now["lines of the longest file"] == 13


def test_a_long_function_is_named(package):
    body = "".join(f"    x{i} = {i}\n" for i in range(41))
    (package / "long.py").write_text(f'def f():\n    """Long."""\n{body}', encoding="utf-8")
    assert counts(package)["functions over 40 lines"].which == ("long.py: f",)


def test_nouns_are_the_names_in_the_first_column_of_their_table():
    page = "# A\n## Nouns\n\n| noun | where |\n|---|---|\n| `A`, `B` | `c` |\n| `D` | e |\n"
    assert nouns(page + "\n## Layers\n| `E` | f |\n").now == 3


def test_functions_that_were_called_are_told_from_code_that_is_merely_loaded(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(
        "import functools\n\n\nclass A:\n    x = [y for y in range(2)]\n\n"
        "    @functools.cached_property\n    def used(self):\n        return 1\n\n"
        "    def idle(self):\n        return 2\n\n\nA().used\n"
    )
    profile = cProfile.Profile()
    profile.runcall(runpy.run_path, str(path))
    profile.dump_stats(tmp_path / "profile")
    (module,) = Tree.read(tmp_path).modules
    lines = {first_line(function): function.name for function in module.functions()}
    ran = called(tmp_path, tmp_path / "profile")
    assert {lines[line] for file, line in ran if file == "own.py" and line in lines} == {"used"}


def test_the_table_is_the_one_that_the_readme_makes():
    readme = (command.ROOT / "README.md").read_text(encoding="utf-8")
    script = re.search(r"> calls.csv <<'END'\n(.*?)\nEND\n", readme, re.DOTALL)[1]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script, "README.md", "exec"), {})
    ours = [",".join(row.values()) for row in table()]
    assert printed.getvalue().splitlines() == [",".join(table()[0]), *ours]


LAYERS = """
RANK = {"errors": 0, "pool": 1, "cli": 2}
FILES = ["errors/one.py", "pool/two.py", "__init__/three.py"]
named = str
def home(path):
    return path.split("/")[0]
def imports(path):
    return {"pool", "cli", "errors"} if "__init__" not in path else {"unheard"}
"""


def test_layers_come_from_the_test_of_the_architecture(tmp_path):
    test = tmp_path / "test_layers.py"
    test.write_text(LAYERS, encoding="utf-8")
    up = ("errors/one.py imports cli", "errors/one.py imports pool", "pool/two.py imports cli")
    assert pointing_up(test).which == up
    test.write_text("LAYERS = ()\n", encoding="utf-8")
    assert pointing_up(test).now is None
    assert pointing_up(tmp_path / "absent.py").now is None


FIGURES = [
    Figure("lines", 31_000, aim=30_000, was=32_924),
    Figure("names", 2, aim=2, which=("a", "b")),
    Figure("unknown", None),
]


def test_a_table_has_a_row_for_each_figure_and_says_what_was_counted():
    lines = markdown(FIGURES).splitlines()
    assert lines[0] == "| " + " | ".join(HEADINGS) + " |"
    assert lines[2:5] == [
        "| lines | 32,924 | 31,000 | 30,000 | no |",
        "| names |  | 2 | 2 | yes |",
        "| unknown |  |  |  |  |",
    ]
    assert lines[5:] == ["", "- names: a, b"]


def test_json_has_the_same_figures():
    told = json.loads(as_json(FIGURES))
    assert [row["now"] for row in told] == [31_000, 2, None]
    assert [row["met"] for row in told] == [False, True, None]


def test_the_command_reads_the_package_as_it_is():
    said = CliRunner().invoke(command.main, ["--no-run", "--json"])
    assert said.exit_code == 0, said.output
    now = {row["what"]: row["now"] for row in json.loads(said.stdout)}
    assert now["files"] > 100
    assert now["commands that Workspace lacks"] is not None
    assert now["nouns of docs/architecture.md"] > 10
