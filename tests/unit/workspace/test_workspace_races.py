"""Several processes on one campaign, and processes that are killed: nothing lost, nothing twice."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shell import write_calls
from spotheight.arms import Recipe
from spotheight.campaign.spec import Spec
from spotheight.history.events import Asked, Event, Told
from spotheight.history.ledger import Ledger
from spotheight.pool.roles import SOLE, Roles, Service
from spotheight.registry import loads
from spotheight.store import Store
from spotheight.workspace import Workspace

ITEMS = 400


@pytest.fixture
def path(tmp_path):
    write_calls(tmp_path / "calls.csv", rows=ITEMS)
    roles = Roles(id="id", services=(Service(SOLE, "pred"),), attributes=(Recipe("accent"),))
    Workspace.create(tmp_path / "calls.db", tmp_path / "calls.csv", roles, Spec())
    return tmp_path / "calls.db"


def work_on(path: Path, name: str, turns: int) -> None:
    work = Workspace.open(path)
    for _ in range(turns):
        queries = work.ask(3, annotator=name)
        work.tell({query.item: "yes" for query in queries}, annotator=name)


def log_of(path: Path) -> list[Event]:
    return [loads(body, Event) for _, body in Store.open(path).events()]


def test_two_processes_never_share_an_item_nor_lose_a_label(path):
    context = multiprocessing.get_context("spawn")
    turns = 25
    crew = [context.Process(target=work_on, args=(path, name, turns)) for name in ("ann", "bob")]
    for process in crew:
        process.start()
    for process in crew:
        process.join(timeout=120)
        assert process.exitcode == 0
    log = log_of(path)
    asked = [query.item for event in log if isinstance(event, Asked) for query in event.queries]
    assert len(asked) == len(set(asked)) == 2 * 3 * turns
    ledger = Ledger.of(log)
    assert set(ledger.told) == set(asked) and not ledger.out
    verified = Workspace.open(path).verify()
    assert verified.same == verified.asks == 2 * turns


CHILD = """
import sys
from pathlib import Path
from spotheight.workspace import Workspace
work = Workspace.open(Path(sys.argv[1]))
print("ready", flush=True)
while queries := work.ask(2):
    labels = {query.item: "yes" for query in queries}
    work.tell(labels, annotator="child")
    print(*labels, flush=True)
"""


@pytest.mark.slow
def test_a_killed_tell_keeps_every_acknowledged_label_and_no_other(path):
    """Really killed, fifteen times, each at another moment of asking and telling."""
    moments = random.Random(20261115)
    acknowledged: set[str] = set()
    for turn in range(15):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        # On a busy machine nothing may be done so soon: then it gets longer.
        time.sleep(moments.uniform(0, 0.06) * (1 if acknowledged else 1 + turn))
        os.kill(child.pid, signal.SIGKILL)
        said, _ = child.communicate()
        whole = said[: said.rfind("\n") + 1]
        acknowledged |= set(whole.split())
        told = [event for event in log_of(path) if isinstance(event, Told)]
        kept = {item for event in told for item in event.labels}
        assert acknowledged <= kept
        assert len(kept - acknowledged) <= 2
        assert sum(len(event.labels) for event in told) == len(kept)
        acknowledged = kept
    assert acknowledged
    verified = Workspace.open(path).verify()
    assert verified.same == verified.asks
