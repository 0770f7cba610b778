"""What other processes, kill -9, a full disk and closed folders do to a campaign file.

Each child is a fresh interpreter: what a test checks must not depend on what pytest has open.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from inspect import getsource
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from spotheight.store import Store

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="fork, SIGKILL and file size limits are POSIX"
)

ROUNDS = 60
LONGEST_LIFE = 0.08
"""Seconds; time for some appends, so that kills fall on every part of one."""

IMPORTS = """
import json, os, sys
from pathlib import Path
from spotheight.errors import ConflictError, SpotheightError
from spotheight.store import Store

path = Path(sys.argv[1])

def sentence(act):
    try:
        act()
    except SpotheightError as error:
        return f"{type(error).__name__}: {error}"
"""


def command(script: str, path: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-c", IMPORTS + script, str(path), *arguments]


def outcome(script: str, path: Path, *arguments: str) -> dict[str, object]:
    done = subprocess.run(
        command(script, path, *arguments), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bodies(store: Store, after: int = 0) -> list[str]:
    return [body for _, body in store.events(after)]


def batch(life, number):
    """One to five events of a third of a page: most commits touch more than one page."""
    size = 1 + (life + number) % 5
    return [f"{life}/{number}/{part} of {size} " + "x" * 1500 for part in range(size)]


MOTHER = """
def live(life):
    store, number = Store.open(path), 0
    length = store.length
    while True:
        length = store.append(batch(life, number), length)
        os.write(1, b"kept\\n")
        number += 1

for life in sys.stdin:
    child = os.fork()
    if child == 0:
        live(int(life))
    os.write(1, f"born {child}\\n".encode())
    os.waitpid(child, 0)
    os.write(1, b"dead\\n")
"""


def kept_in_one_life(mother: subprocess.Popen[str], life: int, seconds: float) -> int:
    """How many batches a child said were kept before it was killed."""
    assert mother.stdin
    assert mother.stdout
    mother.stdin.write(f"{life}\n")
    mother.stdin.flush()
    kept = 0
    for line in mother.stdout:
        if line.startswith("born"):
            time.sleep(seconds)
            os.kill(int(line.split()[1]), signal.SIGKILL)
        elif line == "dead\n":
            return kept
        else:
            kept += 1
    raise AssertionError("the process that starts the children has ended")


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path):
    path = tmp_path / "street.db"
    store, delays = Store.create(path, {}), random.Random(20240917)
    wanted, kept_in_all, cut_short = [], 0, 0
    with subprocess.Popen(
        command(getsource(batch) + MOTHER, path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as mother:
        for life in range(ROUNDS):
            kept = kept_in_one_life(mother, life, delays.uniform(0, LONGEST_LIFE))
            cut_short += (tmp_path / "street.db-wal").exists()
            sure = [body for number in range(kept) for body in batch(life, number)]
            found = bodies(store, after=len(wanted))
            assert found in (sure, sure + batch(life, kept))
            wanted, kept_in_all = wanted + found, kept_in_all + kept
            with closing(sqlite3.connect(path)) as database:
                assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert Store.open(path).events() == list(enumerate(wanted, start=1))
    assert kept_in_all > 0  # the children did work,
    assert cut_short > 0  # and were killed at it


APPEND_200 = """
store, kept = Store.open(path), []
while len(kept) < 200:
    body = f"{sys.argv[2]} {len(kept)}"
    try:
        store.append([body], store.length)
        kept.append(body)
    except ConflictError:
        pass
print(json.dumps(kept))
"""


def test_two_writers_lose_nothing_and_repeat_nothing(tmp_path):
    store = Store.create(tmp_path / "street.db", {})
    writers = [
        subprocess.Popen(command(APPEND_200, store.path, name), stdout=subprocess.PIPE, text=True)
        for name in ("left", "right")
    ]
    said = [writer.communicate(timeout=60)[0] for writer in writers]
    kept = [body for words in said for body in json.loads(words)]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert [number for number, _ in store.events()] == list(range(1, 401))
    assert sorted(bodies(store)) == sorted(kept)
    assert [body for body in bodies(store) if body.startswith("left")] == json.loads(said[0])


FORK = """
store = Store.open(path)
store.append(["parent"], 0)
to_child, to_parent = os.pipe(), os.pipe()
if os.fork() == 0:
    store.append(["child"], 1)
    os.write(to_parent[1], b".")
    os.read(to_child[0], 1)
    store.append(["child, after the parent let go"], 2)
    os._exit(0)
os.read(to_parent[0], 1)
del store
os.write(to_child[1], b".")
os.wait()
print(json.dumps({"found": [body for _, body in Store.open(path).events()]}))
"""


def test_a_store_may_be_carried_over_a_fork(tmp_path):
    Store.create(tmp_path / "street.db", {})
    found = outcome(FORK, tmp_path / "street.db")["found"]
    assert found == ["parent", "child", "child, after the parent let go"]


FULL_DISK = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

store, kept, said = Store.open(path), 0, None
limit(100_000)
while said is None and kept < 1000:
    said = sentence(lambda: store.append([f"{kept}.{part} " + "x" * 900 for part in range(7)],
                                         7 * kept, {"batches": str(kept + 1)}))
    kept += said is None
full = {"kept": kept, "said": said, "length": store.length, "meta": store.meta()}
limit(resource.RLIM_INFINITY)
full["after"] = store.append(["there is room again"], store.length)
limit(0)
full["read"] = store.length
full["create"] = sentence(lambda: Store.create(path.with_name("other.db"), {}, ["one"]))
print(json.dumps(full))
"""


def test_a_full_disk_keeps_what_was_kept_and_takes_more_later(tmp_path):
    store = Store.create(tmp_path / "street.db", {})
    told = outcome(FULL_DISK, store.path)
    kept = told["kept"]
    assert 0 < kept < 1000
    assert told["said"] == (  # to SQLite a limit of the user's is not a full disk
        f"StoreError: {store.path} could not be written through to the disk (disk I/O error: "
        "no room left under a limit, or a failing disk); nothing of this step was kept; repeat it "
        "once the disk works."
    )
    assert (told["length"], told["meta"]) == (7 * kept, {"batches": str(kept)})
    assert (told["after"], told["read"]) == (7 * kept + 1, 7 * kept + 1)
    written = [f"{batch}.{part} " + "x" * 900 for batch in range(kept) for part in range(7)]
    assert bodies(store) == [*written, "there is room again"]
    assert store.append(["and here"], 7 * kept + 1) == 7 * kept + 2
    assert "is not writable (disk I/O error: no room left" in told["create"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["street.db"]


READ_ONLY = """
from spotheight.store import schema
schema.scripts()  # loaded while anything may be read
if os.getuid() == 0:
    os.setuid(65534)  # permissions do not bind root
told = {"appended": sentence(lambda: Store.open(path).append(["three"], 2)),
        "created": sentence(lambda: Store.create(path.with_name("other.db"), {}))}
try:
    told["events"] = Store.open(path).events()
except SpotheightError as error:
    told["events"] = str(error)
print(json.dumps(told))
"""


@pytest.fixture
def closed_folder():
    """A folder that can be reached by all, unlike pytest's own, and written to by none."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        Store.create(folder / "street.db", {}, ["one", "two"])
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("mode", [0o444, 0o666], ids=oct)
def test_a_read_only_folder_can_be_read(closed_folder, mode):
    path = closed_folder / "street.db"
    path.chmod(mode)
    told = outcome(READ_ONLY, path)
    assert told["events"] == [[1, "one"], [2, "two"]]
    assert told["appended"].startswith(f"StoreError: {path} is not writable (")
    assert told["created"].startswith(f"StoreError: {closed_folder / 'other.db'} is not writable (")
    assert names(closed_folder) == ["street.db"]


def test_who_may_not_write_leaves_no_lock_files_for_those_who_may(closed_folder):
    path = closed_folder / "street.db"
    closed_folder.chmod(0o777)
    path.chmod(0o444)
    told = outcome(READ_ONLY.replace("other.db", "street.db"), path)
    assert told["events"] == [[1, "one"], [2, "two"]]
    assert "is not writable (Permission denied)" in told["appended"]
    assert names(closed_folder) == ["street.db"]


KILLED = """
import sqlite3
database = sqlite3.connect(path, isolation_level=None)
database.execute("INSERT INTO event (seq, body) VALUES (3, 'three')")
print("{}", flush=True)
os._exit(0)  # as if killed: the event stays in the log beside the file
"""


@pytest.mark.parametrize("has_lock_file", [True, False])
def test_a_read_only_copy_never_hides_the_latest_events(closed_folder, has_lock_file):
    path = closed_folder / "street.db"
    closed_folder.chmod(0o755)
    outcome(KILLED, path)
    if not has_lock_file:
        (closed_folder / "street.db-shm").unlink()
    closed_folder.chmod(0o555)
    found = outcome(READ_ONLY, path)["events"]
    if has_lock_file:
        assert found == [[1, "one"], [2, "two"], [3, "three"]]
    else:
        assert "its latest events are still in street.db-wal; copy both files" in found


def test_an_unreadable_file_is_called_unreadable(closed_folder):
    path = closed_folder / "street.db"
    path.chmod(0o000)
    told = outcome(READ_ONLY, path)
    assert f"{path} is not readable (" in told["events"]
