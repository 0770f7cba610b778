"""A warm process that runs command lines in forks: about 50 ms each instead of a second.

``Driver`` is the handle. The process behind it (``python -m tests.attack.driver``) imports
spotheight once and then reads cases from standard input, a JSON object a line, and answers each
with one. A case is a list of scripts that run at the same time, each in a fork of its own; a script
is a list of steps, one after the other, and a step is one command line.
"""

import contextlib
import ctypes
import faulthandler
import gc
import importlib
import io
import json
import os
import random
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 10.0
"""Seconds that a step may take; longer where more processes want to run than there are cores."""
MEMORY = 4 << 30
"""Bytes that a step may take beside what the warm process has."""


@dataclass(frozen=True)
class Step:
    """What came of one command line; ``code`` is None where the process was killed.

    Args:
        argv: The command line without its first word.
        code: The exit code.
        out: Standard output.
        err: Standard error.
        seconds: How long it took.
        signal: What ended the process.
    """

    argv: tuple[str, ...]
    code: int | None
    out: str
    err: str
    seconds: float = 0.0
    signal: int = 0

    @property
    def hang(self) -> bool:
        """Whether it was ended for its time."""
        return "Timeout (0:" in self.err

    @property
    def text(self) -> str:
        """For a person who reads a failure."""
        ended = f"signal {self.signal}" if self.code is None else f"exit {self.code}"
        line = " ".join(map(repr, self.argv))
        return f"$ spotheight {line}\n  {ended}, {self.seconds:.1f} s\n{self.err[-3000:]}"


@dataclass
class Driver:
    """The warm process; ``fault`` is a library to load into it before all others."""

    fault: Path | None = None
    calls: int = 0
    trace: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        extra = {"LD_PRELOAD": str(self.fault)} if self.fault else {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.attack.driver", str(self.fault or "")],
            cwd=ROOT, env={**environment(), **extra}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._talk = tempfile.TemporaryDirectory(prefix="spotheight-attack-")

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *raised: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._talk.cleanup()

    def run(self, folder: Path, *argv: str, **case: Any) -> Step:
        """One command line in a folder; ``input`` is its standard input, ``fault`` arms a fault."""
        return self.script(folder, [argv], **case)[-1]

    def script(self, folder: Path, steps: Any, **case: Any) -> list[Step]:
        """Command lines one after the other, to the first that is killed."""
        return self.together(folder, [steps], **case)[0]

    def together(self, folder: Path, scripts: Any, **case: Any) -> list[list[Step]]:
        """Scripts at the same time; ``kill`` is (how many, seed, seconds) of those to be killed."""
        talk = Path(self._talk.name)
        plain = [[[str(a) for a in argv] for argv in steps] for steps in scripts]
        case = {"folder": str(folder), "talk": str(talk), "scripts": plain, **case}
        assert self._process.stdin and self._process.stdout
        print(json.dumps(case), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        self.calls, self.trace = answer["calls"], answer["trace"]
        return [
            [_read(talk / f"{number}-{place}", argv, ended)
             for place, argv in enumerate(steps) if (talk / f"{number}-{place}.out").exists()]
            for number, (steps, ended) in enumerate(zip(plain, answer["ended"], strict=True))
        ]  # fmt: skip


def environment() -> dict[str, str]:
    """Of a process that is to run spotheight from this checkout."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100"}


def _read(name: Path, argv: list[str], ended: int) -> Step:
    out, err = (
        name.with_suffix(end).read_text(encoding="utf-8", errors="surrogateescape")
        for end in (".out", ".err")
    )
    if not name.with_suffix(".json").exists():
        return Step(tuple(argv), None, out, err, signal=ended)
    code, seconds = json.loads(name.with_suffix(".json").read_text())
    return Step(tuple(argv), code, out, err, seconds)


# Inside the warm process.


def _serve(library: str) -> None:
    """Answer cases until there are no more."""
    _warm()
    fault = ctypes.CDLL(library) if library else None
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        case = json.loads(line)
        if fault is not None:
            _arm(fault, case.get("fault") or {})
        ended = _run(case)
        calls, trace = _count(fault) if fault is not None else (0, [])
        sys.stderr.flush()
        print(json.dumps({"ended": ended, "calls": calls, "trace": trace}), file=answers)
        answers.flush()


def _warm() -> None:
    """Import what commands import, and run a few, for much is only made at the first call."""
    cli = importlib.import_module("spotheight.cli")
    for name in cli.COMMANDS:
        importlib.import_module(f"spotheight.cli.{name.replace('-', '_')}")
    spoken = sys.stdin, sys.stdout, sys.stderr, os.dup(1), os.dup(2)
    with tempfile.TemporaryDirectory(prefix="spotheight-attack-") as folder:
        name = Path(folder) / "calls"
        rows = [f"{i},{'yn'[i % 2]},0.{i},{'ab'[i // 2 % 2]}" for i in range(24)]
        name.with_suffix(".csv").write_text("\n".join(["id,pred,conf,kind", *rows]))
        for line in WARMING:
            _step(Path(folder) / "talk", line.format(name).split(), "id,label\n1,y\n2,y\n")
            (Path(folder) / "talk.err").rename(Path(folder) / "talk.old")
            assert (Path(folder) / "talk.json").read_text().startswith("[0,"), line
    sys.stdin, sys.stdout, sys.stderr = spoken[:3]
    os.dup2(spoken[3], 1)
    os.dup2(spoken[4], 2)
    gc.collect()
    gc.freeze()


WARMING = (
    "init {0}.csv --id id --prediction pred --score conf --attribute kind -o {0}.db",
    "ask {0}.db -n 3",
    "tell {0}.db -",
    "report {0}.db",
    "export {0}.db --to parquet -o {0}.parquet",
    "init {0}.parquet --id kind --prediction status --dry-run",
    "verify {0}.db",
)


def _arm(fault: ctypes.CDLL, wish: dict[str, Any]) -> None:
    folder = str(wish.get("folder", "")).encode()
    how, locks, stays = (int(wish.get(name, 0)) for name in ("how", "locks", "stays"))
    fault.fault_arm(folder, ctypes.c_long(wish.get("at", 0)), how, locks, stays)


def _count(fault: ctypes.CDLL) -> tuple[int, list[str]]:
    fault.fault_line.restype = ctypes.c_char_p
    calls = fault.fault_count()
    return calls, [fault.fault_line(ctypes.c_long(k + 1)).decode() for k in range(calls)]


def _run(case: dict[str, Any]) -> list[int]:
    """Run all scripts at once; gives the signal that ended each, or 0."""
    for old in Path(case["talk"]).iterdir():
        old.unlink()
    children = [_fork(case, number) for number in range(len(case["scripts"]))]
    many, seed, seconds = case.get("kill") or (0, 0, 0)
    rng, slept = random.Random(seed), 0.0
    doomed = zip(rng.sample(children, many), sorted(rng.uniform(0, seconds) for _ in range(many)),
                 strict=True)  # fmt: skip
    for child, when in doomed:
        time.sleep(when - slept)
        slept = when
        _kill(child)
    ended = [os.WTERMSIG(os.waitpid(child, 0)[1]) for child in children]
    for child in children:
        _kill(child)  # workers of its own that it left behind
    return ended


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _fork(case: dict[str, Any], number: int) -> int:
    child = os.fork()
    if child:
        with contextlib.suppress(OSError):
            os.setpgid(child, child)
        return child
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    try:
        _limit_memory()
        os.chdir(case["folder"])
        for place, argv in enumerate(case["scripts"][number]):
            _step(Path(case["talk"]) / f"{number}-{place}", argv, case.get("input", ""))
    finally:
        os._exit(0)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _step(name: Path, argv: list[str], given: str) -> None:
    """One command line as a process would run it, up to its exit code."""
    out, err = (
        os.open(name.with_suffix(end), os.O_CREAT | os.O_WRONLY) for end in (".out", ".err")
    )
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode("utf-8", "surrogateescape")), "utf-8")
    crowd = os.getloadavg()[0] / (os.cpu_count() or 1)
    faulthandler.dump_traceback_later(LIMIT * min(max(crowd, 1), 5), exit=True, file=2)
    began = time.monotonic()
    code = _exit_code(argv)
    faulthandler.cancel_dump_traceback_later()
    name.with_suffix(".json").write_text(json.dumps([code, time.monotonic() - began]))
    os.close(out)
    os.close(err)


def _exit_code(argv: list[str]) -> int:
    sys.argv = ["spotheight", *argv]
    try:
        runpy.run_module("spotheight", run_name="__main__", alter_sys=True)
        sys.stdout.flush()
    except SystemExit as ended:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        if isinstance(ended.code, str):
            sys.stderr.write(ended.code + "\n")
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve(sys.argv[1])
    os._exit(0)  # without a word of engines about what they leave to the system
