"""The layers of docs/architecture.md, and the sizes and habits that keep the code readable."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import spotheight

SOURCE = Path(spotheight.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

LAYERS = (
    ("errors", "types"),
    ("registry",),
    ("arms", "numerics"),
    ("store",),
    ("pool", "metrics"),
    ("history",),
    ("guesses",),
    ("evidence",),
    ("beliefs",),
    ("questions",),
    ("models", "policies"),
    ("campaign",),
    ("simulate", "report"),
    ("terminal",),
    ("page", "exchange"),
    ("workspace",),
    ("demo", "testing"),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

LONGEST_FILE, LONGEST_FUNCTION = 400, 40


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def home(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def ours(node: ast.AST) -> list[str]:
    """The parts of the package that one statement imports."""
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module == "spotheight":
        modules = [f"spotheight.{alias.name}" for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        modules = [node.module or ""]
    else:
        return []
    names = [name.split(".")[1] for name in modules if name.startswith("spotheight.")]
    return [name for name in names if name != "__version__"]


def imports(path: Path) -> set[str]:
    """The parts of the package that a file imports, wherever it does so."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {name for node in ast.walk(tree) for name in ours(node)}


def outside(path: Path) -> set[str]:
    """The libraries that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function below its docstring."""
    has_docstring = ast.get_docstring(function) is not None
    code = function.body[has_docstring:]
    return code[-1].end_lineno - code[0].lineno + 1 if code else 0


@pytest.mark.parametrize("path", FILES, ids=named)
def test_imports_point_down(path):
    here = home(path)
    if here == "__init__":
        return  # it loads by name, and a test of public names looks after that
    up = [name for name in imports(path) - {here} if RANK[name] >= RANK[here]]
    assert not up, f"{here} may not import {up}: see docs/architecture.md"


def test_every_part_has_a_layer():
    assert {home(path) for path in FILES} - {"__init__"} == set(RANK)


def test_only_what_starts_the_command_line_imports_it():
    """So that whatever a command can do, a script and a server can do: by ``Workspace``."""
    users = {named(path) for path in FILES if home(path) != "cli" and "cli" in imports(path)}
    assert users == {"__main__.py"}


def test_numerics_knows_no_noun_of_ours():
    for path in (SOURCE / "numerics").rglob("*.py"):
        assert imports(path) <= {"types", "numerics"}, named(path)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_imports_stand_at_the_top(path):
    """But where a command's module, or a verb's, is loaded when it is called."""
    if home(path) == "cli" or named(path) == "workspace/workspace.py":
        return
    inside = [
        node.lineno
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not inside, f"{named(path)} imports inside a function, in line {inside}"


def test_imports_are_not_hidden_from_type_checkers():
    for path in FILES:
        assert "TYPE_CHECKING" not in path.read_text(encoding="utf-8"), named(path)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_files_and_functions_stay_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{named(path)} has {lines} lines"
    long = [f.name for f in functions(path) if body_lines(f) > LONGEST_FUNCTION]
    assert not long, f"{named(path)} has long functions: {long}"


def test_one_place_knows_the_seeds_of_a_campaign():
    """Replays of tables have streams of their own."""
    seeded = {named(path) for path in FILES if "default_rng([" in path.read_text(encoding="utf-8")}
    seeded = {name for name in seeded if not name.startswith("simulate/")}
    assert seeded == {"campaign/streams.py"}


def test_the_core_reads_no_clock_no_environment_and_no_global_randomness():
    """What a campaign does follows from pool, spec and log alone."""
    core = set(RANK) - {"store", "simulate", "exchange", "workspace", "demo", "cli", "__main__"}
    for path in FILES:
        if home(path) in core:
            used = outside(path) & {"time", "datetime", "os", "random", "secrets", "uuid"}
            assert not used, f"{named(path)} uses {used}"
            assert "np.random." not in path.read_text(encoding="utf-8"), named(path)
