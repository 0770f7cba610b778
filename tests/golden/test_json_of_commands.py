"""What the question commands print as JSON and as text, for programs and people that read it."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest

from shell import Shell

HOME = Path(__file__).parent
OLD = HOME.parent / "old" / "v0.1.0"
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
"""Libraries of other machines add in other orders; whole numbers and words are the same."""

CALLS = ("init", "calls.csv", "--id", "id", "--prediction", "a=pred", "--prediction", "b=pred_b",
         "--score", "a=conf", "--attribute", "accent", "--attribute", "gender",
         "--estimator", "beta:prior=overall,strength=2", "--policy", "random",
         "-o", "calls.db")  # fmt: skip
COSTS = "true,yes,no\nyes,0,5\nno,1,0\n"

SURFACE = (
    "compare accent=german accent=english",
    "compare accent=german accent=english --of ece --bins 4",
    "compare gender=f gender=m --of cost --costs costs.csv --rope .2",
    "compare @prediction=yes @prediction=no --by @prediction --certainty .6 --level .8",
    "compare accent=german accent=english --service b --estimand rate",
    "compare --services a b",
    "compare --services a b --estimand rate --rope .1 --certainty .5",
    "identify --worst 2",
    "identify --best 1 --by accent --of ece --bins 4",
    "identify --of cost --costs costs.csv",
    "identify --most 2 --estimator beta",
    "rank --by accent",
    "rank --of ece --by @prediction --bins 4 --estimand rate",
    "rank --of cost --costs costs.csv --by gender --most 1",
    "calibration",
    "calibration --by @prediction --equal-weight --bins 4",
    "calibration --strength 3 --bins 4 --most 2",
    "confusion",
    "confusion --service b --prior even --strength 2 --hits own",
    "cost --costs costs.csv",
    "cost --costs costs.csv --by gender --estimand rate --level .5",
    "surface",
    "surface --slice accent=german --against accent=english",
    "status",
)
TAGS = ("init", "tags.csv", "--id", "image", "--category", "tag", "--noisy-label", "noisy",
        "--score", "good=good", "--score", "poor=poor", "--task", "precision:k=4",
        "--estimator", "counted", "--policy", "random", "-o", "tags.db")  # fmt: skip
OF_LISTS = ("precision -k 5", "average-precision --estimator naive --most 2", "status")
LISTS = (
    *OF_LISTS,
    "precision --service poor",
    "average-precision",
    "average-precision --estimator vetted-only",
    "rank --systems",
    "rank --systems -k 3 --level .5",
    "rank --systems --estimator vetted-only",
)
OF_OLD = ("compare accent=german accent=english", "identify --worst 2", "rank", "calibration",
          "confusion", "cost --costs costs.csv")  # fmt: skip
CAMPAIGNS = {
    "calls.db": SURFACE,
    "tags.db": LISTS,
    "old/random.db": OF_OLD,
    "old/tags.db": OF_LISTS,
}


def tags() -> list[str]:
    """Two services on thirty tags: the first follows the truth, the other does not return all."""
    return [
        f"i{k:02},{'bird' if k % 2 else 'boat'},{1.0 + (k % 3 == 0) - k / 40:.3f},"
        f"{'' if k % 9 == 0 else f'{(k * 37 % 100) / 100}'},{int(k % 4 == 0)},{int(k % 3 == 0)}"
        for k in range(30)
    ]


@pytest.fixture
def folder(sh: Shell) -> Shell:
    """Two campaigns of this version, and beside them those of an old one."""
    (sh.folder / "costs.csv").write_text(COSTS)
    sh.ok(*CALLS)
    rows = [line.split(",") for line in (sh.folder / "calls.csv").read_text().splitlines()[1::3]]
    sh.ok("tell", "calls.db", "-", input="id,label\n" + "".join(f"{r[0]},{r[7]}\n" for r in rows))
    (sh.folder / "tags.csv").write_text("\n".join(["image,tag,good,poor,noisy,truth", *tags()]))
    sh.ok(*TAGS)
    vetted = [line.split(",") for line in tags()[::2]]
    told = "".join(f"{row[0]},{row[1]},{row[-1]}\n" for row in vetted)
    sh.ok("tell", "tags.db", "-", input="image,tag,label\n" + told)
    old = sh.folder / "old"
    old.mkdir()
    for path in OLD.iterdir():
        shutil.copy(path, old)
    shutil.copy(sh.folder / "costs.csv", old)
    return sh


def printed(sh: Shell, name: str, command: str) -> str:
    """The JSON of a command, then what people get, with the talk beside it."""
    verb, *options = command.split()
    found = sh.ok(verb, name, *options, "--json")
    json.loads(found.stdout, parse_constant=pytest.fail)
    people = sh.ok(verb, name, *options)
    talk = "".join(f"# {line}\n" for line in people.stderr.splitlines())
    return f"$ {command}\n{found.stdout}{people.stdout}{talk}\n"


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_commands_print_what_was_reviewed(
    name: str, folder: Shell, request: pytest.FixtureRequest
) -> None:
    path = HOME / f"commands-{name.removesuffix('.db').replace('/', '-')}.txt"
    text = "".join(printed(folder, name, command) for command in CAMPAIGNS[name])
    text = text.replace(str(folder.folder), "HERE")
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8")
    assert NUMBER.sub("#", text) == NUMBER.sub("#", kept), "--update-golden if this is meant"
    for said, was in zip(NUMBER.findall(text), NUMBER.findall(kept), strict=True):
        digits = len(was.partition(".")[2])
        assert math.isclose(float(said), float(was), rel_tol=1e-6, abs_tol=10.0 ** -min(digits, 6))
