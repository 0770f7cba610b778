"""Cases by kind and seed, and what must hold of every one.

python -m tests.attack.fuzz options --seed 17        # one case, told in full
python -m tests.attack.fuzz tables --from 0 --to 500 # many; what fails, by what is wrong
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.attack import options, tables, tellings
from tests.attack.driver import LIMIT, Driver, Step, environment
from tests.attack.oracle import complaints, digests

KINDS: dict[str, Callable[[Path, random.Random], list[list[str]]]] = {
    "tables": tables.case,
    "options": options.case,
    "algorithms": options.algorithm,
    "told": tellings.told,
    "broken": tellings.broken,
}
WRITERS = {"init", "ask", "tell", "skip", "release", "relink"}


@dataclass
class Fuzz:
    """Runs cases in copies of a folder with a campaign of each kind."""

    driver: Driver
    scratch: Path

    def __post_init__(self) -> None:
        self.base = options.make_base(self.driver, self.scratch / "base")

    def case(self, kind: str, seed: int, *, is_real: bool = False) -> tuple[list[str], list[Step]]:
        """What is wrong with one case, and its steps; ``is_real`` starts processes of their own."""
        folder = self.scratch / "here"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.base, folder)
        argvs = KINDS[kind](folder, random.Random(f"{kind} {seed}"))
        found, steps = [], []
        for argv in argvs[:1] if is_real else argvs:
            before = digests(folder)
            step = _process(folder, argv) if is_real else self.driver.run(folder, *argv)
            steps.append(step)
            found += complaints(step) + _changed(step, before, digests(folder), kind)
            if step.code:
                break
        return found, steps


def _process(folder: Path, argv: list[str]) -> Step:
    began = time.monotonic()
    command = [sys.executable, "-X", "faulthandler", "-m", "spotheight", *argv]
    try:
        done = subprocess.run(command, cwd=folder, env=environment(), timeout=3 * LIMIT, input="",
                              capture_output=True, text=True, errors="surrogateescape")  # fmt: skip
    except subprocess.TimeoutExpired:
        return Step(tuple(argv), None, "", "Timeout (0:00:30)!")
    signal = max(-done.returncode, 0)
    code = None if signal else done.returncode
    return Step(tuple(argv), code, done.stdout, done.stderr, time.monotonic() - began, signal)


def _changed(step: Step, before: dict[str, str], after: dict[str, str], kind: str) -> list[str]:
    """Files that this command had no business with."""
    command = step.argv[0]
    named = {part for option, part in zip(step.argv, step.argv[1:], strict=False)
             if option in ("-o", "--output")}  # fmt: skip
    found = []
    for name in before:
        is_campaign = name.endswith((".db", "-journal", "-wal"))
        may = command in WRITERS and name in step.argv and step.code == 0 and is_campaign
        may = may or (kind == "broken" and is_campaign)  # recovery may mend what was damaged
        if after.get(name) != before[name] and not may and not (step.code == 0 and name in named):
            found.append(f"{name} was {'changed' if name in after else 'removed'} by {command}")
    new = sorted(after.keys() - before.keys())
    if step.code:
        found += [f"left behind by a {command} that failed: {name}" for name in new]
    return found + [f"left behind: {name}" for name in new
                    if not step.code and name.rpartition("/")[2].startswith(".")]  # fmt: skip


def survey(fuzz: Fuzz, kind: str, seeds: Iterable[int], *, is_real: bool = False) -> str:
    """All that fails, once for each thing that is wrong; an empty text where all is well."""
    by_complaint: dict[str, list[int]] = {}
    shown: dict[str, str] = {}
    for seed in seeds:
        found, steps = fuzz.case(kind, seed, is_real=is_real)
        for complaint in dict.fromkeys(found):
            by_complaint.setdefault(complaint, []).append(seed)
            shown.setdefault(complaint, _brief(steps))
    lines = []
    for complaint, failed in sorted(by_complaint.items(), key=lambda pair: -len(pair[1])):
        lines += [f"{len(failed)}x {complaint}", f"   python -m tests.attack.fuzz {kind} --seed "
                  f"{failed[0]}", f"   {shown[complaint]}"]  # fmt: skip
    return "\n".join(lines)


def _brief(steps: list[Step]) -> str:
    words = [word if len(word) < 80 else word[:40] + "..." for word in steps[-1].argv]
    return "spotheight " + " ".join(map(repr, words))


def main() -> None:
    """Run the cases that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--to", dest="last", type=int, default=100)
    parser.add_argument("--real", action="store_true", help="processes of their own")
    parser.add_argument("--keep", type=Path, help="copy the folder of the case here")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spotheight-attack-") as scratch, Driver() as driver:
        fuzz = Fuzz(driver, Path(scratch))
        if asked.seed is None:
            seeds = range(asked.first, asked.last)
            print(survey(fuzz, asked.kind, seeds, is_real=asked.real))  # noqa: T201
            return
        found, steps = fuzz.case(asked.kind, asked.seed, is_real=asked.real)
        print("\n".join([*found, "", *(step.text for step in steps)]))  # noqa: T201
        if asked.keep:
            shutil.copytree(fuzz.scratch / "here", asked.keep)


if __name__ == "__main__":
    main()
