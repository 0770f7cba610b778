"""Every command on README's table, one core, a process each: ``make bench`` prints the times.

The least of five, for others may be at work; beside it the processor's time, which these others
change less.
"""

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.bench

TIMES, MOST_SECONDS, MOST_FOR_REPORT, MOST_FOR_HELP = 5, 1.2, 2.0, 0.1

INIT = ("init", "calls.csv", "--id", "id", "--prediction", "pred", "--score", "conf",
        "--payload", "audio", "--attribute", "accent", "--attribute", "age:edges=30,60",
        "--classes", "yes,no", "-o")  # fmt: skip
DB = "calls.db"
COMMANDS = (
    ("--help",),
    ("ask", DB, "-n", "12"),
    ("tell", DB, "todo.csv"),
    ("status", DB),
    ("surface", DB, "--slice", "accent=german"),
    ("surface", DB, "--slice", "accent=german", "--against", "accent=english|french"),
    ("check", DB, "--min", "0.1"),
    ("identify", DB, "--worst", "3"),
    ("compare", DB, "accent=german", "accent=french", "--rope", ".05"),
    ("rank", DB, "--by", "accent"),
    ("calibration", DB),
    ("confusion", DB),
    ("cost", DB, "--costs", "costs.csv"),
    ("verify", DB),
    ("report", DB, "-o", "calls.html", "--force"),
)


def write_table(path: Path) -> None:
    """As README makes it, 3000 rows."""
    rng, lines = random.Random(1), ["id,audio,pred,conf,accent,age"]
    for i in range(3000):
        accent, age = rng.choice(["german", "english", "french"]), rng.randint(16, 80)
        said = rng.choice(["yes", "no"])
        lines.append(f"call-{i:04},{i}.wav,{said},{rng.random():.3f},{accent},{age}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(folder: Path, *arguments: str) -> tuple[str, float, float]:
    """What a command prints, its seconds and its processor's, on one core."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "spotheight", *arguments],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, seconds, used


def label(folder: Path, turn: int) -> None:
    """Twelve items asked and labelled, four of five as the service answered."""
    rng, other = random.Random(turn), {"yes": "no", "no": "yes"}
    answers = dict(
        line.split(",")[::2][:2] for line in (folder / "calls.csv").read_text().splitlines()
    )
    head, *asked = run(folder, "ask", DB, "-n", "12")[0].splitlines()
    assert head.endswith(",label")
    told = [
        line + (answers[item] if rng.random() < 0.8 else other[answers[item]])
        for line in asked
        for item in [line.split(",")[0]]
    ]
    (folder / "todo.csv").write_text("\n".join([head, *told]) + "\n", encoding="utf-8")
    run(folder, "tell", DB, "todo.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A campaign with sixty labels, and one core for this process and those it starts."""
    folder = tmp_path_factory.mktemp("commands")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    write_table(folder / "calls.csv")
    (folder / "costs.csv").write_text("true,yes,no\nyes,0,5\nno,1,0\n", encoding="utf-8")
    run(folder, *INIT, DB)
    for turn in range(5):
        label(folder, turn)
    yield folder
    os.sched_setaffinity(0, cores)


def test_every_command_in_a_moment(folder):
    late = []
    print(f"\n{'':60}{'seconds':>8}{'processor':>11}")
    for place, command in enumerate(((*INIT, "new.db"), *COMMANDS)):
        taken = []
        for turn in range(TIMES):
            fresh = (*INIT, f"new{turn}.db") if place == 0 else command
            taken.append(run(folder, *fresh)[1:])
        seconds, used = (min(one) for one in zip(*taken, strict=True))
        print(f"{' '.join(command)[:58]:60}{seconds:8.2f}{used:11.2f}")
        most = {"--help": MOST_FOR_HELP, "report": MOST_FOR_REPORT}.get(command[0], MOST_SECONDS)
        if seconds >= most:
            late.append((command[0], round(seconds, 2)))
    assert not late
