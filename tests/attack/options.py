"""Every option of every command with odd values, on campaigns of each kind."""

import random
from dataclasses import Field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from shell import write_calls
from spotheight import registry as codec
from spotheight.cli import COMMANDS
from spotheight.registry.families import default_of
from tests.attack.driver import Driver
from tests.attack.odd import NUMBERS, WORDS, pick

CALLS = ("--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b", "--score", "a=conf",
         "--attribute", "accent", "--attribute", "age:bins=3", "--payload", "url",
         "--classes", "yes,no", "--policy", "random")  # fmt: skip
TAGS = ("--id", "image", "--category", "tag", "--noisy-label", "noisy", "--score", "good=good",
        "--score", "poor=poor", "--task", "precision:k=5", "--policy", "random")  # fmt: skip
FACES = ("--id", "image", "--prediction", "gender", "--attribute-probabilities", "smiling=p",
         "--guessed", "hat", "--policy", "random")  # fmt: skip
SLOW = {"demo": 0.05, "simulate": 0.4}
"""Commands that take a second, and how often they are tried."""
HEAVY = ("betagp", "berngp")
"""Estimators whose engine takes seconds to load alone."""
CAMPAIGNS = ("calls.db", "tags.db", "faces.db", "judge.db")
SANE = {
    "slice": ("accent=german", "accent=german|english", "accent=german or accent=french"),
    "against": ("accent=english",), "service": ("a", "b"), "level": (".5", ".99"),
    "by": ("accent", "age", "@prediction", "@score:bins=3", "@category", "smiling"),
    "estimator": (*(m for m in codec.ESTIMATORS.members if not m.startswith(HEAVY)), "dirichlet",
                  *codec.ITEM_ESTIMATORS.members),
    "policy": tuple(codec.POLICIES.members), "task": tuple(codec.TASKS.members),
    "question": tuple(codec.TASKS.members), "metric": tuple(codec.METRICS.members),
    "cost": ("costs.csv",), "mix": ("mix.csv",), "k": ("3",), "bin": ("3",), "least": (".5",),
    "attribute": ("accent", "age:bins=3", "age:edges=20,40", "@prediction", "conf:widths=3"),
    "payload": ("url",), "calibration": ("raw", "temp", "full"), "label": ("truth",),
    "output": ("new.html", "new.csv"), "of": ("metric", "ece", "cost"),
}  # fmt: skip
"""What a person would give: beside one odd value there should be others that pass."""
FAMILIES = {"metric": codec.METRICS, "estimator": codec.ESTIMATORS, "policy": codec.POLICIES,
            "task": codec.TASKS, "calibration": codec.CALIBRATIONS}  # fmt: skip


def make_base(driver: Driver, folder: Path) -> Path:
    """A campaign of each kind with a few labels."""
    folder.mkdir()
    rng = random.Random(5)
    write_calls(folder / "calls.csv", 40)
    write_calls(folder / "more.csv", 44)
    tags = [f"i{n},{tag},{rng.random():.3f},{rng.random():.3f},{n % 2},{n % 3 % 2}"
            for tag in ("cat", "dog") for n in range(12)]  # fmt: skip
    faces = [f"i{n},{'fm'[n % 2]},{rng.random():.3f},{'yn'[n // 2 % 2]}" for n in range(24)]
    (folder / "tags.csv").write_text("\n".join(["image,tag,good,poor,noisy,truth", *tags]))
    (folder / "faces.csv").write_text("\n".join(["image,gender,p,hat", *faces]))
    (folder / "costs.csv").write_text("true,yes,no\nyes,0,5\nno,1,0\n")
    (folder / "mix.csv").write_text("accent,age,share\ngerman,20,1\nenglish,40,3\n")
    told = {"calls": [f"{n:03},yes" for n in range(8)], "tags": [f"i{n},1,cat" for n in range(5)],
            "faces": [f"i{n},f,,y" for n in range(6)], "judge": ["001,.5", "002,1"]}  # fmt: skip
    heads = {"calls": "id,label", "tags": "image,label,tag",
             "faces": "image,label,true:smiling,true:hat", "judge": "id,label"}  # fmt: skip
    judge = ("--id", "id", "--prediction", "pred", "--judge", "--attribute", "accent")
    roles = {"calls": CALLS, "tags": TAGS, "faces": FACES, "judge": judge}
    steps = []
    for kind, rows in told.items():
        (folder / f"{kind}-done.csv").write_text("\n".join([heads[kind], *rows]) + "\n")
        table = "calls.csv" if kind == "judge" else f"{kind}.csv"
        steps += [["init", table, *roles[kind], "-o", f"{kind}.db"],
                  ["ask", f"{kind}.db", "-n", "2"],
                  ["tell", f"{kind}.db", f"{kind}-done.csv"]]  # fmt: skip
    for step in driver.script(folder, steps):
        assert step.code == 0, step.text
    return folder


def case(folder: Path, rng: random.Random) -> list[list[str]]:
    """One command line with options that nobody would give."""
    (folder / "empty").mkdir(exist_ok=True)
    names = [name for name in (*COMMANDS, "init", "init") if rng.random() < SLOW.get(name, 1)]
    name = rng.choice(names)
    command: click.Command = import_module(f"spotheight.cli.{name.replace('-', '_')}").command
    argv = [name]
    if name in ("init", "simulate"):
        argv += _start(name, rng)
    if name == "demo":
        argv += ["-n", "12"]  # what takes long there is honest work
    options = [p for p in command.params if isinstance(p, click.Option)]
    named = [p for p in options if p.name and p.name.removesuffix("s") in (*FAMILIES, "question")]
    chosen = rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3))))
    if named and rng.random() < 0.5:
        chosen = rng.sample(named, 1)
    for option in chosen:
        argv += _given(name, option, rng)
    if name not in ("init", "simulate"):
        arguments = [p for p in command.params if isinstance(p, click.Argument)]
        argv += [_argument(str(p.name), rng) for p in arguments]
    argv = [part.replace("\x00", "?") for part in argv]
    if name == "init" and "new.db" in argv and rng.random() < 0.7:
        return [argv, rng.choice((["ask", "new.db"], ["surface", "new.db"], ["status", "new.db"]))]
    return [argv]


def algorithm(folder: Path, rng: random.Random) -> list[list[str]]:
    """A campaign by an algorithm whose settings nobody would choose, and the use of it."""
    if rng.random() < 0.5:
        return _started(rng.choice((["ask", "new.db"], ["surface", "new.db"])), rng)
    option = rng.choice((*FAMILIES, "attribute"))
    text = _attribute(rng) if option == "attribute" else _algorithm(option, rng)
    kind = rng.choice(("calls", "calls", "calls", "tags", "faces"))
    given = ["--costs", "costs.csv"] if "cost" in text else []
    given += [f"--{option}", text.replace("\x00", "?")]
    roles = [*{"calls": CALLS, "tags": TAGS, "faces": FACES}[kind][:-2]]
    if rng.random() < 0.15:
        few = ("--budget", "6", "--seeds", "1", "--workers", "1", "--label")
        truth = "gender" if kind == "faces" else "truth"
        return [["simulate", f"{kind}.csv", *roles, *few, truth, *given]]
    if option in ("estimator", "task") and rng.random() < 0.4:
        reader = [
            rng.choice(("rank", "identify", "cost", "confusion")),
            f"{kind}.db",
            "--estimator",
        ]
        return [
            [*reader, text] if option == "estimator" else ["report", f"{kind}.db", "--ask", text]
        ]
    use = rng.choice((["ask", "new.db"], ["surface", "new.db"], ["report", "new.db"],
                      ["tell", "new.db", f"{kind}-done.csv"]))  # fmt: skip
    return [["init", f"{kind}.csv", *roles, *given, "-o", "new.db"], use]


def _started(use: list[str], rng: random.Random) -> list[list[str]]:
    """A campaign that is taken, but for one number."""
    option = rng.choice(("estimator", "policy", "task"))
    settings = [(name, f.name) for name, member in FAMILIES[option].members.items()
                for f in fields(member) if f.init and _is_number(f)
                if not name.startswith(HEAVY)]  # fmt: skip
    name, field = rng.choice(settings)
    text = f"{name}:{field}={_value(rng, is_number=True)}"
    rest = rng.choice((["--estimator", "eb-beta"], [])) if option == "policy" else []
    return [["init", "calls.csv", *CALLS[:-2], *rest, f"--{option}", text, "-o", "new.db"], use]


def _start(name: str, rng: random.Random) -> list[str]:
    kind = rng.choice(("calls", "calls", "tags", "faces"))
    roles = {"calls": CALLS, "tags": TAGS, "faces": FACES}[kind][:-2]
    table = f"{kind}.csv" if rng.random() < 0.95 else _path(rng)
    if name == "init":
        return [table, *roles, *rng.choice((["-o", "new.db"], ["--dry-run"]))]
    truth = {"calls": "truth", "tags": "truth", "faces": "gender"}[kind]
    few = ("--budget", "6", "--seeds", "1", "--workers", "1")
    return [table, *roles, "--label", truth, *few]


def _given(command: str, option: click.Option, rng: random.Random) -> list[str]:
    flag = rng.choice(option.opts)
    if option.is_flag:
        return [flag]
    name = str(option.name).removesuffix("s")
    if name in SANE and rng.random() < 0.5:
        return [flag, rng.choice(SANE[name])]
    if name == "labels" or (command, name) in (("simulate", "worker"), ("simulate", "seed")):
        return [flag, rng.choice(("0", "-1", "nan", "x", "1"))]  # large ones are honest work
    if isinstance(option.type, click.Choice):
        return [flag, pick(rng, option.type.choices, WORDS[:20])]
    if isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType)):
        return [flag, rng.choice(NUMBERS)]
    if isinstance(option.type, click.Path):
        return [flag, _path(rng)]
    if name in FAMILIES or name in ("question", "by"):
        return [flag, _algorithm(name, rng)]
    return [flag, _text(name, rng)]


def _text(name: str, rng: random.Random) -> str:
    if name in ("attribute", "by", "level"):
        return _attribute(rng)
    if name in ("slice", "against"):
        return _slice(rng)
    pairs = ("a=pred", "=", "a=", "=a", "a=b=c", "yes=conf", "a=costs.csv", "b=conf", "x:y=z",
             "pred", "conf", "id", "truth", "age", "accent")  # fmt: skip
    return pick(rng, pairs, pairs, WORDS)


def _attribute(rng: random.Random) -> str:
    column = rng.choice(("accent", "age", "@prediction", "@score", "@category", "gone", "conf", ""))
    cut = rng.choice(("bins", "widths", "edges", "ordered", "odd", "bins", "edges"))
    value = rng.choice((*NUMBERS, "4", "1000", "1,1", "2,1", "18,65", "a,b", "nan,1", "1,inf", "a"))
    return rng.choice((column, f"{column}:{cut}={value}", f"{column}:{cut}={value}", f"{column}:"))


def _slice(rng: random.Random) -> str:
    pieces = [f"{rng.choice(('accent', 'age', 'gone', '', 'smiling', '@prediction'))}"
              f"{rng.choice(('=', '=', '==', ':', ''))}"
              f"{pick(rng, ('german', 'german|english', '<29', 'yes', '|', '(missing)'), WORDS)}"
              for _ in range(rng.choice((1, 1, 2, 40)))]  # fmt: skip
    return rng.choice((",", " or ", "|", ", ")).join(pieces)


def _algorithm(name: str, rng: random.Random) -> str:
    """NAME:field=value of some family, each field with something odd."""
    usual = {"question": "task"}.get(name, name)
    families = [FAMILIES[usual]] * 9 if usual in FAMILIES else [codec.TASKS]
    family = rng.choice([*families, codec.ITEM_ESTIMATORS, codec.QUANTITIES])
    member = rng.choice([m for m in family.members if not m.startswith(HEAVY)])
    given = [f for f in fields(family.members[member]) if f.init]
    few = rng.sample(given, min(len(given), rng.choice((0, 1, 1, 2))))
    pieces = [f"{f.name}={_value(rng, is_number=_is_number(f))}" for f in few]
    if rng.random() < 0.1:
        pieces.append(rng.choice(("gone=1", "=", "a", "(", ")", "x=(y", ",")))
    return member + (":" + ",".join(pieces) if pieces else rng.choice(("", "", "", "", ":")))


def _is_number(field: Field[Any]) -> bool:
    return isinstance(default_of(field), (int, float))


def _value(rng: random.Random, *, is_number: bool) -> str:
    if is_number and rng.random() < 0.8:  # most of which are taken, and have to be lived with
        return rng.choice(("0", "1", "2", "3", "0.5", ".999999", "1e-9", "1e-300", "100", "5000",
                           "1000000000", "1e9", "1e300", "-1", "nan", "true"))  # fmt: skip
    nested = ("(accent=german)", "(metric:by=accent)", "(accent=german|english)", "(ece:by=x)",
              "()", "(())", "(" * 300, "(precision:k=3)", "(additive)", "(pooled)", "jeffreys",
              "even", "a", "b", "yes", "accent", "true", "1+1", "0+0", "-1+2", "nan+nan",
              "1+1+1", "yes=1+no=2", "yes=nan", "(mix:share=2)", "(gain)")  # fmt: skip
    return pick(rng, nested, NUMBERS, NUMBERS)


def _path(rng: random.Random) -> str:
    return rng.choice(("calls.csv", "calls.db", "tags.db", "costs.csv", "mix.csv", "more.csv",
                       "gone.csv", "gone/x.csv", "empty", ".", "/", "/dev/null", "", "-",
                       "calls.csv/x", "x" * 300, "x" * 5000, "new.html", "a\x1b[31mb", "\udcff",
                       "calls-done.csv", "out.parquet", "é.csv", "/proc/self/mem"))  # fmt: skip


def _argument(name: str, rng: random.Random) -> str:
    if name == "path":
        return rng.choice((*CAMPAIGNS, "calls.db")) if rng.random() < 0.95 else _path(rng)
    if name == "file":
        return rng.choice(("calls-done.csv", "tags-done.csv", "faces-done.csv", _path(rng)))
    usual = ("001", "i1|cat", "accent=german", "accent=english", "accent=french", "accent=german")
    return pick(rng, usual, usual, usual, WORDS)
