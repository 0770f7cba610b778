"""What one command goes through: our own functions and files, by a profiler.

A campaign is made on README's table (3000 rows by its own generator, so always the same), with
README's ``init`` and five rounds of ``ask -n 12`` and ``tell``: 60 labels, of which four in five
say that the service is right, by a seeded generator. Then ``ask -n 12``, ``surface`` and ``report``
run on copies of it, each in a process of its own under cProfile, from its start to its end.

Counted are functions and methods of the package that were called at least once, told apart by file
and line; their files are those in which at least one was. What runs because a module is imported is
no function called: neither the module's own code nor the bodies of its classes, nor lambdas,
comprehensions and methods that dataclasses write. A function that a decorator calls while a module
is loaded does count. Only files below the package's folder are ours.
"""

import csv
import os
import pstats
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.house.figures import Figure
from bench.house.tree import Tree, first_line

ROWS, ROUNDS, BATCH = 3000, 5, 12
INIT = (
    "init calls.csv --id id --prediction pred --score conf --payload audio --attribute accent "
    "--attribute age:edges=30,60 --classes yes,no -o calls.db"
)
COMMANDS = {
    "ask": f"ask calls.db -n {BATCH}",
    "surface": "surface calls.db",
    "report": "report calls.db -o calls.html",
}
KNOWN = {"ask": ((297, 200), (54, 40)), "surface": ((306, 200), (56, 40))}
KNOWN["report"] = (597, 350), (102, 70)
"""What was counted when the aims were set, and the aims: functions, files."""


@dataclass(frozen=True)
class Touched:
    """What one command went through.

    Args:
        functions: (file, line) of every function of ours that was called.
    """

    functions: frozenset[tuple[str, int]]

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.functions}

    def figures(self, command: str) -> list[Figure]:
        (functions, few), (files, fewer) = KNOWN[command]
        return [
            Figure(f"own functions called by one `{command}`", len(self.functions), few, functions),
            Figure("... in so many own files", len(self.files), fewer, files),
        ]


def touched(package: Path, folder: Path) -> list[Figure]:
    """Make a campaign in an empty folder, and count what each command goes through."""
    _campaign(package, folder)
    own = {
        (module.name, first_line(function))
        for module in Tree.read(package).modules
        for function in module.functions()
    }
    return [
        figure
        for name, words in COMMANDS.items()
        for figure in _counted(package, folder, words, own).figures(name)
    ]


def _counted(package: Path, folder: Path, words: str, own: set[tuple[str, int]]) -> Touched:
    place = folder / words.split()[0]
    place.mkdir()
    for name in ("calls.csv", "calls.db"):
        shutil.copy(folder / name, place)
    _run(package, place, words, profiler=("-m", "cProfile", "-o", "profile"))
    return Touched(frozenset(called(package, place / "profile") & own))


def called(package: Path, profile: Path) -> set[tuple[str, int]]:
    """(file, line) of all code below a folder that a profile speaks of."""
    places = vars(pstats.Stats(str(profile)))["stats"]
    lines = ((Path(file), line) for file, line, _ in places)
    return {
        (file.relative_to(package).as_posix(), line)
        for file, line in lines
        if file.is_relative_to(package)
    }


def _campaign(package: Path, folder: Path) -> None:
    """README's table and campaign, with its labels."""
    rows = table()
    _write(folder / "calls.csv", rows)
    _run(package, folder, INIT)
    rng = random.Random(2)
    answers = {row["id"]: row["pred"] for row in rows}
    for _ in range(ROUNDS):
        asked = _run(package, folder, f"ask calls.db -n {BATCH}")
        sheet = list(csv.DictReader(asked.splitlines()))
        for row in sheet:
            right = answers[row["id"]]
            row["label"] = right if rng.random() < 0.8 else {"yes": "no", "no": "yes"}[right]
        _write(folder / "todo.csv", sheet)
        _run(package, folder, "tell calls.db todo.csv")


def table() -> list[dict[str, str]]:
    """The rows that README's generator prints."""
    rng, rows = random.Random(1), []
    for place in range(ROWS):
        accent, age = rng.choice(["german", "english", "french"]), rng.randint(16, 80)
        pred, conf = rng.choice(["yes", "no"]), f"{rng.random():.3f}"
        row = {"id": f"call-{place:04}", "audio": f"{place}.wav", "pred": pred, "conf": conf}
        rows.append(row | {"accent": accent, "age": str(age)})
    return rows


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _run(package: Path, folder: Path, words: str, profiler: tuple[str, ...] = ()) -> str:
    """Run one command in a process of its own; its output."""
    line = [sys.executable, *profiler, "-m", package.name, *words.split()]
    paths = [str(package.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout
