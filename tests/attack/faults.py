"""Commands that write, faults on their way, and what must hold afterwards.

python -m tests.attack.faults tell --at 51 --how kill     # one fault, told in full
python -m tests.attack.faults tell                        # every fault of one command
"""

import argparse
import errno
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coco_worlds
from shell import write_calls
from tests.attack.driver import Driver, Step
from tests.attack.oracle import complaints

KILL, TEAR = -1, -2
SOURCE = Path(__file__).with_name("fault.c")
ROLES = ("--id", "id", "--prediction", "pred", "--score", "conf", "--attribute", "accent",
         "--payload", "url", "--estimator", "beta", "--policy", "random")  # fmt: skip
OLD = b"what was here before\n"


@dataclass(frozen=True)
class Job:
    """A command that writes.

    Args:
        argv: Its command line.
        campaign: The campaign that it writes to or reads.
        output: A file that it writes, whole.
        is_new: Whether it makes the campaign.
    """

    argv: tuple[str, ...]
    campaign: str = "calls.db"
    output: str = ""
    is_new: bool = False


JOBS = {
    "init": Job(("init", "calls.csv", *ROLES, "--label", "known", "-o", "new.db"), "new.db",
                is_new=True),
    "init-coco": Job(("init", "--coco-truth", "truth.json", "--coco-results", "good=good.json",
                      "-o", "coco.db"), "coco.db", "coco.parquet", is_new=True),
    "ask": Job(("ask", "calls.db", "-n", "4")),
    "tell": Job(("tell", "calls.db", "done.csv")),
    "correct": Job(("tell", "calls.db", "changed.csv", "--correct")),
    "skip": Job(("skip", "calls.db", "007", "008")),
    "release": Job(("release", "calls.db")),
    "relink": Job(("relink", "calls.db", "grown.csv")),
    "report": Job(("report", "calls.db", "--force"), output="calls.html"),
    "report-new": Job(("report", "calls.db", "-o", "new.html"), output="new.html"),
    **{f"export-{kind}": Job(("export", "calls.db", "--force", "--to", kind, "-o", f"out.{kind}"),
                             output=f"out.{kind}") for kind in ("csv", "parquet", "json")},
    "export-labels": Job(("export", "calls.db", "--force", "--to", "csv", "--what", "labels", "-o",
                          "labels.csv"), output="labels.csv"),
    "demo": Job(("demo", "-o", "demo", "-n", "12"), "demo/digits.db", "demo/report.html",
                is_new=True),
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What happens at one call; ``how`` is KILL, TEAR or an errno, ``stays`` says for good."""

    at: int
    how: int
    locks: bool = False
    stays: bool = False

    def __str__(self) -> str:
        how = {KILL: "kill", TEAR: "tear"}.get(self.how) or errno.errorcode[self.how]
        rest = " --locks" * self.locks + " --stays" * self.stays
        return f"--at {self.at} --how {how}{rest}"


State = tuple[list[str], dict[str, str]]
"""The log and what the file says of itself, without times."""


@dataclass
class Attack:
    """One job, with what it does undisturbed."""

    driver: Driver
    base: Path
    job: Job
    scratch: Path
    trace: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        folder = self.fresh()
        self.before, self.old = self.state(folder), self._output(folder)
        done = self.driver.run(folder, *self.job.argv, fault={"folder": str(folder)})
        assert done.code == 0, done.text
        self.trace = self.driver.trace
        self.after, self.new = self.state(folder), self._output(folder)
        self.files = self._names(folder)
        folder = self.fresh()
        self.driver.run(folder, *self.job.argv, fault={"folder": str(folder), "locks": 1})
        self.locks = self.driver.calls

    def fresh(self) -> Path:
        """A copy of the folder of before, where the last one was."""
        folder = self.scratch / "here"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.base, folder)
        return folder

    def strike(self, fault: Fault) -> tuple[list[str], Step]:
        """Everything that does not hold after one fault."""
        folder = self.fresh()
        wish = {"folder": str(folder), "at": fault.at, "how": fault.how,
                "locks": int(fault.locks), "stays": int(fault.stays)}  # fmt: skip
        step = self.driver.run(folder, *self.job.argv, fault=wish)
        found = [] if fault.how < 0 and step.code is None else complaints(step)
        if self.job.argv[0] == "demo":
            again = self.driver.run(folder, *self.job.argv)
            return found + [f"demo again: {c}" for c in complaints(again)] + (
                [] if again.code == 0 else [f"demo again: {again.err}"]
            ) + self._leftovers(folder), step  # fmt: skip
        state, output = self.state(folder), self._output(folder)
        found += self._opens(folder)
        if state[0] and self.state(folder) != state:
            found.append("the log is another one after it was opened")
        return found + self._truth(step, state, output) + self._leftovers(folder), step

    def _opens(self, folder: Path) -> list[str]:
        """Both campaigns open and their logs are whole; the first command also tidies up."""
        steps = [["status", "calls.db"]]
        if (folder / self.job.campaign).exists():
            steps += [["status", self.job.campaign], ["verify", self.job.campaign]]
        else:
            steps += [self.job.argv]
        ran = self.driver.script(folder, steps)
        return [f"afterwards {s.argv}: exit {s.code}, {s.err[-200:]}" for s in ran if s.code]

    def _truth(self, step: Step, state: State, output: bytes) -> list[str]:
        found = []
        kept = state == self.after != self.before or output == self.new != self.old
        if state not in (self.before, self.after):
            found.append("the log is neither as before nor with the whole step")
        if output not in (self.old, self.new):
            found.append(f"{self.job.output} is neither the old file nor the new one")
        if step.code == 0 and (state, output) != (self.after, self.new):
            found.append("exit 0, but the step was not kept")
        if kept and step.code and re.search(r"(?i)nothing [\w ]*(kept|changed|taken|written)",
                                            step.err):  # fmt: skip
            found.append(f"the step was kept, but it says: {step.err.strip()}")
        if not kept and step.code and "in the file all the same" in step.err:
            found.append(f"the step was not kept, but it says: {step.err.strip()}")
        return found

    def _leftovers(self, folder: Path) -> list[str]:
        names = self._names(folder)
        found = [f"left behind: {n}" for n in sorted(names - self.files - self._names(self.base))]
        gone = sorted(self._names(self.base) - names)
        found += [f"gone: {n}" for n in gone]
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_size == 0:
                found.append(f"an empty file: {path.relative_to(folder)}")
        given = [
            n
            for n in self._names(self.base)
            if n.endswith((".csv", ".json")) and n != self.job.output
        ]
        return found + [
            f"{name} was changed" for name in given if name not in gone
            and (folder / name).read_bytes() != (self.base / name).read_bytes()
        ]  # fmt: skip

    def state(self, folder: Path) -> State:
        """Read from a copy: reading would tidy up."""
        path = folder / self.job.campaign
        if not path.exists() or path.stat().st_size == 0:
            return [], {}
        for suffix in ("", "-wal", "-journal"):
            if (part := path.with_name(path.name + suffix)).exists():
                shutil.copyfile(part, self.scratch / f"copy.db{suffix}")
        with sqlite3.connect(self.scratch / "copy.db") as database:
            events = [_timeless(b) for (b,) in database.execute("SELECT body FROM event")]
            meta = dict(database.execute("SELECT key, value FROM meta"))
        database.close()
        for part in self.scratch.glob("copy.db*"):
            part.unlink()
        return events, {key: meta.get(key, "") for key in ("fingerprint", "beside", "layout")}

    def _output(self, folder: Path) -> bytes:
        path = folder / self.job.output
        is_there = self.job.output and path.exists()
        return _timeless(path.read_bytes().decode("latin1")).encode("latin1") if is_there else b""

    @staticmethod
    def _names(folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*")}

    def faults(self, hows: Any, calls: Any = None) -> Iterator[Fault]:
        """Each call with each fault; half a write only where something is written."""
        for at in calls or range(1, len(self.trace) + 1):
            for how, stays in hows:
                if how != TEAR or self.trace[at - 1].startswith(("write ", "pwrite")):
                    yield Fault(at, how, stays=stays)

    def sample(self, most: int) -> list[int]:
        """The first call, the last, and others of all kinds, spread over the command."""
        kinds: dict[str, int] = {}
        for at, line in enumerate(self.trace, start=1):
            kinds[re.sub(r"-\w{8}/|\.\w{8}$|\d+", "", line)] = at  # the last of its kind
        chosen = sorted({1, len(self.trace), *kinds.values()})
        spread = [chosen[i * (len(chosen) - 1) // (most - 1)] for i in range(most)]
        return sorted(set(spread))


def _timeless(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.\d]*)(Z|\+00:00)?", "TIME", text)


def compiled(folder: Path) -> Path:
    """The library of faults."""
    library = folder / "fault.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return library


def make_base(driver: Driver, folder: Path) -> Path:
    """A campaign with labels told, items out and one skipped; files to tell; old results."""
    folder.mkdir()
    write_calls(folder / "calls.csv", 40)
    write_calls(folder / "grown.csv", 48)
    known = [line + (",known" if n == 0 else ",yes" if n < 4 else ",")
             for n, line in enumerate((folder / "calls.csv").read_text().splitlines())]  # fmt: skip
    (folder / "calls.csv").write_text("\n".join(known) + "\n")
    grown = (folder / "grown.csv").read_text().splitlines()[41:]
    (folder / "grown.csv").write_text("\n".join([*known, *(row + "," for row in grown)]) + "\n")
    labels = [f"{n:03},{'yes' if n % 2 else 'no'}" for n in range(20)]
    (folder / "told.csv").write_text("\n".join(["id,label", *labels[:6]]))
    (folder / "done.csv").write_text("\n".join(["id,label", *labels[6:18]]))
    (folder / "changed.csv").write_text("\n".join(["id,label", "001,no", "002,yes"]))
    for name in ("calls.html", "out.csv", "out.parquet", "out.json", "labels.csv"):
        (folder / name).write_bytes(OLD)
    truth, results = coco_worlds.world(images=4, seed=5)
    coco_worlds.write(folder, coco_worlds.boxed(truth), results)
    steps = [["init", "calls.csv", *ROLES, "-o", "calls.db"], ["tell", "calls.db", "told.csv"],
             ["ask", "calls.db", "-n", "5"], ["skip", "calls.db", "020"]]  # fmt: skip
    for step in driver.script(folder, steps):
        assert step.code == 0, step.text
    return folder


def report(name: str, fault: Fault, found: list[str], trace: list[str]) -> str:
    """A failure in a few lines, with the command that shows it."""
    call = trace[fault.at - 1] if not fault.locks and fault.at <= len(trace) else "lock"
    lines = "\n".join(f"    {one}" for one in found)
    return f"python -m tests.attack.faults {name} {fault}   # at {call}\n{lines}"


HOWS = ((KILL, False), (TEAR, False), (errno.ENOSPC, False), (errno.ENOSPC, True),
        (errno.EIO, False), (errno.EDQUOT, True))  # fmt: skip
LOCK_HOWS = tuple((how, stays) for how in (errno.ENOLCK, errno.EIO, errno.ENOSYS)
                  for stays in (False, True))  # fmt: skip


def main() -> None:
    """Strike as the command line says and print what does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("--at", type=int)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--how", default="kill")
    parser.add_argument("--locks", action="store_true")
    parser.add_argument("--stays", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spotheight-attack-") as scratch:
        here = Path(scratch)
        with Driver(compiled(here)) as driver:
            attack = Attack(driver, make_base(driver, here / "base"), JOBS[asked.job], here)
            how = {"kill": KILL, "tear": TEAR}.get(asked.how) or getattr(errno, asked.how.upper())
            one = Fault(asked.at or 0, how, asked.locks, asked.stays)
            plan = [one] if asked.at else every(attack)
            if asked.sample:
                plan = list(attack.faults(HOWS, attack.sample(asked.sample)))
            for fault in plan:
                found, step = attack.strike(fault)
                if found or asked.at:
                    print(report(asked.job, fault, found, attack.trace), flush=True)  # noqa: T201
                if asked.at:
                    print(step.text)  # noqa: T201


def every(attack: Attack) -> list[Fault]:
    """Every fault at every call, those of locks too."""
    locks = [Fault(at, how, True, stays) for at in range(1, attack.locks + 1)
             for how, stays in LOCK_HOWS]  # fmt: skip
    return [*attack.faults(HOWS), *locks]


if __name__ == "__main__":
    main()
