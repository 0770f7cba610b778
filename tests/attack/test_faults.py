"""Killed at any call, or the disk full: what was acknowledged stays, and messages are true."""

import errno
import os
import subprocess
import sys

import pytest

from tests.attack import faults
from tests.attack.driver import environment
from tests.attack.faults import JOBS, KILL, Attack, Fault

pytestmark = pytest.mark.attack
FEW = ((KILL, False), (faults.TEAR, False), (errno.ENOSPC, False), (errno.ENOSPC, True))
SHOWN = 12
"""Of the faults that do harm, as many as one reads."""


@pytest.fixture(scope="session")
def base(faulty, tmp_path_factory):
    return faults.make_base(faulty, tmp_path_factory.mktemp("base") / "calls")


def survey(name, attack, plan):
    told = []
    for fault in plan:
        found, _ = attack.strike(fault)
        if found:
            told.append(faults.report(name, fault, found, attack.trace))
    shown = "\n".join(told[:SHOWN])
    return f"{len(told)} of {len(plan)} faults do harm:\n{shown}" if told else ""


@pytest.mark.parametrize("name", JOBS)
def test_some_faults_on_the_way(faulty, base, tmp_path, name):
    attack = Attack(faulty, base, JOBS[name], tmp_path)
    calls = attack.sample(3 if name == "demo" else 9)
    # Each fault at some calls, each call with one fault: a spread over both.
    plan = list(attack.faults(FEW, calls))[len(name) % 3 :: 3]
    assert not survey(name, attack, plan)


@pytest.mark.parametrize("name", ["ask", "tell"])
def test_locks_that_do_not_work(faulty, base, tmp_path, name):
    attack = Attack(faulty, base, JOBS[name], tmp_path)
    plan = [Fault(1, how, locks=True, stays=True) for how, _ in faults.LOCK_HOWS[::2]]
    plan.append(Fault(attack.locks, errno.EIO, locks=True))
    assert not survey(name, attack, plan)


@pytest.mark.parametrize("place", [0.3, 0.6, 0.9])
def test_a_process_of_its_own_is_killed(faulty, base, tmp_path, library, place):
    """As in the forks, so in a process: the log is as before or has the whole step."""
    attack = Attack(faulty, base, JOBS["tell"], tmp_path)
    folder = attack.fresh()
    steer = {"LD_PRELOAD": library, "FAULT_FOLDER": folder, "FAULT_HOW": KILL,
             "FAULT_AT": int(place * len(attack.trace))}  # fmt: skip
    command = [sys.executable, "-m", "spotheight", *attack.job.argv]
    words = {name: str(value) for name, value in steer.items()}
    done = subprocess.run(command, cwd=folder, env={**environment(), **words}, capture_output=True)
    assert done.returncode == -9, done.stderr
    assert attack.state(folder) in (attack.before, attack.after)
    again = subprocess.run(command, cwd=folder, env=environment(), capture_output=True)
    assert again.returncode == 0, again.stderr
    assert attack.state(folder) == attack.after
    assert not os.path.lexists(folder / "calls.db-wal")


@pytest.mark.bench
@pytest.mark.parametrize("name", JOBS)
def test_every_fault_at_every_call(faulty, base, tmp_path, name):
    attack = Attack(faulty, base, JOBS[name], tmp_path)
    assert not survey(name, attack, faults.every(attack))
