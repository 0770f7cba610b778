"""What the files of the package say by themselves; nothing of it is imported."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median_low

from bench.house.figures import Figure
from bench.house.tree import Function, Module, Tree, body_lines

LONGEST_FUNCTION = 40

HOMES = ("estimators", "models", "numerics", "attributes", "guesses", "testing")
"""Parts whose own business fitting is: models, calibrations, which are no belief, and suites."""

PAIRS = (
    "Compared/Comparison Costed/Expense Identified/Shortlist Ranked/Ranking ListAnswer/ListTable "
    "Gap/GapRow Unit/Measure"
)
"""An answer and the class that repeats it for the page."""

ROOTS = {"errors", "types", "metrics", "__init__", "__main__"}
"""Modules that may stand at the top level."""

ANSWERED = ("identify", "compare", "rank", "calibration", "confusion", "cost", "precision")
VERBS = {"init": "create", "average-precision": "answer"} | dict.fromkeys(ANSWERED, "answer")
"""What a command is called in Python, where it is not its own name."""

WITHOUT_FILE = ("demo", "simulate")
"""Commands that act on no campaign file."""

KINDS = ("estimators", "policies", "questions", "readers")
"""Groups of entry points, by which others add their own."""


def shape(tree: Tree) -> list[Figure]:
    """Everything that can be counted without running anything."""
    return [*_additions(tree), *_twice(tree), *_sizes(tree), *_habits(tree)]


def _additions(tree: Tree) -> list[Figure]:
    """How many places have to know of something new."""
    cli = [module for module in tree.modules if module.part == "cli"]
    lines = sum(module.lines for module in cli)
    return [
        _files("files that name one question (identify)", tree, "(?i)identify", aim=5, was=15),
        _files("... the most entangled one (detection, scenes)", tree, "(?i)detect|scene", was=46),
        _files("files that name one estimator (Pooled)", tree, r"\bPooled\b", aim=2, was=5),
        _files("... one policy (Proportional)", tree, r"\bProportional\b", aim=2, was=5),
        Figure("lines of cli/", lines, was=3468),
        _rules(cli),
        _verbs(tree),
        _entry_points(tree),
    ]


def _files(what: str, tree: Tree, pattern: str, **known: int) -> Figure:
    found = tree.mentioning(pattern)
    return Figure(what, len(found), which=tuple(found) if len(found) <= 16 else (), **known)


def _rules(cli: list[Module]) -> Figure:
    """Lines of functions in cli/ that are no command and print nothing: what a web server lacks."""
    functions = [f for module in cli for f in module.functions()]
    rules = [f for f in functions if not f.decorator_list and not _speaks(f)]
    lines = sum(map(body_lines, rules))
    return Figure("... of these in functions that print nothing", lines, was=949)


def _verbs(tree: Tree) -> Figure:
    """Commands that nobody can give in Python, for `Workspace` has no such method."""
    methods = _methods(tree, "Workspace")
    commands = [name for name in _commands(tree) if name not in WITHOUT_FILE]
    lacking = tuple(name for name in commands if VERBS.get(name, name) not in methods)
    return Figure("commands that Workspace lacks", len(lacking), aim=0, was=15, which=lacking)


def _methods(tree: Tree, name: str) -> set[str]:
    """Names of the methods of a class, those of its bases included."""
    found = set()
    for node in (node for module in tree.modules for node in ast.walk(module.tree)):
        if isinstance(node, ast.ClassDef) and node.name == name:
            found |= {inner.name for inner in node.body if isinstance(inner, Function)}
            found |= {m for base in node.bases for m in _methods(tree, ast.unparse(base))}
    return found


def _commands(tree: Tree) -> list[str]:
    """Keys of the table of commands in cli/."""
    for module in tree.modules:
        for node in module.tree.body if module.part == "cli" else ():
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMANDS":
                return list(ast.literal_eval(node.value))
    return []


def _speaks(function: ast.AST) -> bool:
    text = ast.unparse(function)
    return any(word in text for word in ("echo(", "notice(", "print_", "console", "click."))


def _entry_points(tree: Tree) -> Figure:
    """Groups of entry points that the code names, whole or by their kind."""
    quoted = {
        node.value
        for module in tree.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    is_open = any("entry_points" in module.text for module in tree.modules)
    found = [k for k in KINDS if is_open and {k, f"spotheight.{k}"} & quoted]
    return Figure(
        "kinds that outside code can add (wanted: 4)", len(found), was=0, which=tuple(found)
    )


def _twice(tree: Tree) -> list[Figure]:
    """One thing that stands in two places, and two things of one name."""
    names = Counter(path.name for path in map(_path, tree.modules) if path.stem != "__init__")
    name, most = names.most_common(1)[0]
    mirrors = [pair for pair in PAIRS.split() if set(pair.split("/")) <= _all_classes(tree)]
    return [
        _seeds(tree),
        _fits(tree),
        _names(tree),
        Figure(f"files of the most frequent name ({name})", most, was=6),
        Figure("answers with a second body for the page", len(mirrors), 0, 7, tuple(mirrors)),
    ]


def _path(module: Module) -> Path:
    return Path(module.name)


def _all_classes(tree: Tree) -> set[str]:
    return {name for module in tree.modules for name in module.classes()}


def _seeds(tree: Tree) -> Figure:
    """Generators seeded by a list, [seed, place]; replays of tables have streams of their own."""
    modules = [module for module in tree.modules if module.part != "simulate"]
    found = tuple(module.name for module in modules if any(map(_is_seeded, module.calls())))
    return Figure("places that know the seed rule", len(found), aim=1, was=5, which=found)


def _is_seeded(call: ast.Call) -> bool:
    is_generator = ast.unparse(call.func).endswith("default_rng")
    return is_generator and bool(call.args) and isinstance(call.args[0], ast.List | ast.Tuple)


def _fits(tree: Tree) -> Figure:
    """Parts besides the models that fit a belief themselves; the campaign's own is the one way."""
    modules = [module for module in tree.modules if module.part not in HOMES]
    found = [module for module in modules if any(map(_is_fit, module.calls()))]
    ways, which = {module.part for module in found}, tuple(module.name for module in found)
    return Figure("ways to fit a belief (by part)", len(ways), aim=1, was=3, which=which)


def _is_fit(call: ast.Call) -> bool:
    """Whether a call is `something.fit(...)` or `fit_...(...)`, but for calibrations of guesses."""
    *before, name = ast.unparse(call.func).split(".")
    return (name == "fit" and "calibration" not in before) or name in ("fit_chosen", "fit_paired")


def _names(tree: Tree) -> Figure:
    homes = defaultdict(list)
    for module in tree.modules:
        for name in module.classes():
            homes[name].append(module.name.removesuffix(".py"))
    twice = [f"{name} ({', '.join(where)})" for name, where in homes.items() if len(where) > 1]
    return Figure(
        "class names for two things", len(twice), aim=0, was=8, which=tuple(sorted(twice))
    )


def _sizes(tree: Tree) -> list[Figure]:
    lengths = [module.lines for module in tree.modules]
    top = {m.part for m in tree.modules if "/" not in m.name}
    flat = tuple(sorted(top - ROOTS))
    long = tuple(
        f"{module.name}: {function.name}"
        for module in tree.modules
        for function in module.functions()
        if body_lines(function) > LONGEST_FUNCTION
    )
    return [
        Figure("lines of src (Python)", sum(lengths), aim=30_000, was=32_924),
        Figure("files", len(lengths), was=271),
        Figure("lines of the longest file", max(lengths), aim=400, was=385),
        Figure("lines of the median file", median_low(lengths), was=102),
        Figure(
            f"functions over {LONGEST_FUNCTION} lines", len(long), aim=0, was=0, which=tuple(long)
        ),
        Figure("modules at the top level that are no root", len(flat), aim=0, was=19, which=flat),
    ]


def _habits(tree: Tree) -> list[Figure]:
    calls = Counter(ast.unparse(call.func) for m in tree.modules for call in m.calls())
    counted = {"isinstance": 210, "getattr": 31, "hasattr": 4}
    return [Figure(f"calls of {name}", calls[name], was=was) for name, was in counted.items()]


def nouns(page: str) -> Figure:
    """Names in the table of nouns of docs/architecture.md."""
    section = page.partition("## Nouns")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    found = [name for row in rows for name in re.findall("`([^`]+)`", row)]
    return Figure("nouns of docs/architecture.md", len(found), aim=35)
