import errno
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spotheight.errors import ConflictError, InputError, StoreError
from spotheight.store import APPLICATION_ID, DamagedError, Store, drafting, schema
from spotheight.store.drafts import PREFIX

TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # a lone surrogate is no Unicode text


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "street.db", {"pool": "calls.csv"}, ["one", "two"])


def direct(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def contents(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@settings(deadline=None)  # it flushes to the disk, whose pace is not ours
@given(
    first=st.lists(TEXT, max_size=5),
    then=st.lists(TEXT, max_size=5),
    meta=st.dictionaries(TEXT, TEXT, max_size=3),
    update=st.dictionaries(TEXT, TEXT, max_size=3),
)
def test_what_was_written_is_read_back(tmp_path_factory, first, then, meta, update):
    path = tmp_path_factory.mktemp("round") / "trip.db"
    Store.create(path, meta, first)
    length = Store.open(path).append(then, len(first), meta=update)
    assert length == len(first) + len(then)
    again = Store.open(path)
    assert again.events() == list(enumerate([*first, *then], start=1))
    assert again.length == len(first) + len(then)
    assert again.meta() == meta | update


def test_a_new_campaign_may_be_empty(tmp_path):
    store = Store.create(tmp_path / "new.db", {})
    assert (store.length, store.events(), store.meta()) == (0, [], {})


def test_events_after_a_number_leave_out_what_is_known(store):
    store.append(["three"], expected=2)
    assert store.events(after=1) == [(2, "two"), (3, "three")]
    assert store.events(after=3) == []


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_a_late_writer_is_refused_and_nothing_of_it_stays(store, expected):
    with pytest.raises(ConflictError, match=f"holds 2 events, not {expected}"):
        store.append(["late"], expected, meta={"pool": "moved.csv"})
    assert store.events() == [(1, "one"), (2, "two")]
    assert store.meta() == {"pool": "calls.csv"}


def test_a_batch_that_fails_in_the_middle_leaves_nothing(store):
    with pytest.raises(InputError, match="Unicode text only, got '\\\\ud800'"):
        store.append(["three", "\ud800"], expected=2, meta={"pool": "moved.csv"})
    assert store.length == 2
    assert store.meta() == {"pool": "calls.csv"}


def test_threads_may_share_a_store(store):
    def tell(body: str) -> None:
        while True:
            try:
                store.append([body], store.length)
                return
            except ConflictError:
                continue

    bodies = [f"thread {number}" for number in range(24)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(tell, bodies))
    assert sorted(body for _, body in store.events(after=2)) == sorted(bodies)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = 'other' WHERE seq = 1",
        "UPDATE event SET seq = 3 WHERE seq = 2",
        "DELETE FROM event",
        "REPLACE INTO event (seq, body) VALUES (2, 'other')",
        "INSERT INTO event (seq, body) VALUES (4, 'a gap before it')",
        "INSERT INTO event (body) SELECT NULL",
    ],
)
def test_history_cannot_be_edited(store, statement):
    with direct(store.path) as database, pytest.raises(sqlite3.IntegrityError):
        database.execute(statement)
    assert store.events() == [(1, "one"), (2, "two")]


def test_the_file_stands_alone_between_calls(store):
    store.append(["three"], expected=2)
    assert contents(store.path.parent) == ["street.db"]
    header = store.path.read_bytes()[:100]
    assert header[18:20] == b"\x02\x02"  # WAL: section 1.3.3 of SQLite's file format
    assert header[68:72] == b"SPOT" == APPLICATION_ID.to_bytes(4)


@pytest.mark.parametrize("name", ["with space.db", "100%.db", "what?.db", "a#b.db", "été.db"])
def test_any_file_name_will_do(tmp_path, name):
    Store.create(tmp_path / name, {}, ["one"])
    assert Store.open(tmp_path / name).events() == [(1, "one")]
    assert contents(tmp_path) == [name]


def test_create_never_overwrites(store):
    before = store.path.read_bytes()
    with pytest.raises(InputError, match="already exists; choose another name with -o, or remove"):
        Store.create(store.path, {}, ["other"])
    assert store.path.read_bytes() == before
    assert contents(store.path.parent) == ["street.db"]


def test_create_gives_way_to_a_file_that_appears_meanwhile(tmp_path, monkeypatch):
    path = tmp_path / "street.db"
    advance = schema.advance

    def meanwhile(database: sqlite3.Connection, number: int) -> None:
        path.write_text("mine")
        advance(database, number)

    monkeypatch.setattr(schema, "advance", meanwhile)
    with pytest.raises(InputError, match="already exists"):
        Store.create(path, {}, ["one"])
    assert path.read_text() == "mine"
    assert contents(tmp_path) == ["street.db"]


def test_create_does_not_write_through_a_dangling_link(tmp_path):
    (tmp_path / "street.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(InputError, match="already exists"):
        Store.create(tmp_path / "street.db", {})
    assert contents(tmp_path) == ["street.db"]


def failing(number: int):
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_create_leaves_nothing_behind_when_it_cannot_finish(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", failing(errno.ENOSPC))
    with pytest.raises(StoreError, match="No room left to write"):
        Store.create(tmp_path / "street.db", {}, ["one"])
    assert contents(tmp_path) == []


@pytest.mark.parametrize("method", ["touch", "replace"])
def test_create_needs_no_second_name_and_leaves_nothing_behind(tmp_path, monkeypatch, method):
    monkeypatch.setattr(os, "link", failing(errno.EPERM))  # as on a FAT stick
    assert Store.create(tmp_path / "other.db", {}, ["one"]).events() == [(1, "one")]
    monkeypatch.setattr(Path, method, failing(errno.ENOSPC))
    with pytest.raises(StoreError, match="No room left to write"):
        Store.create(tmp_path / "street.db", {}, ["one"])
    assert contents(tmp_path) == ["other.db"]


def test_drafts_of_the_killed_are_swept_and_those_at_work_are_not(store):
    folder = store.path.parent
    left = folder / f"{PREFIX}dead"
    left.mkdir()
    (left / "street.db").write_text("half")
    with drafting(folder / "other.db") as draft:
        draft.write_text("half")
        Store.open(store.path)
        assert draft.read_text() == "half"
        assert not left.exists()
    assert contents(folder) == ["street.db"]


def test_create_leaves_nothing_behind_for_text_it_cannot_keep(tmp_path):
    with pytest.raises(InputError, match="Unicode"):
        Store.create(tmp_path / "street.db", {}, ["one", "\udfff"])
    assert contents(tmp_path) == []


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_create_is_not_fooled_by_the_log_of_a_removed_file(tmp_path, suffix):
    (tmp_path / f"street.db{suffix}").write_bytes(b"old events")
    with pytest.raises(InputError, match=f"street.db{suffix} is left over from an earlier"):
        Store.create(tmp_path / "street.db", {})
    assert contents(tmp_path) == [f"street.db{suffix}"]


def test_create_names_the_folder_that_is_missing(tmp_path):
    with pytest.raises(InputError, match=r"no folder .*nowhere"):
        Store.create(tmp_path / "nowhere" / "street.db", {})


def test_open_says_when_there_is_no_file(tmp_path):
    with pytest.raises(InputError, match=r"street[.]db does not exist"):
        Store.open(tmp_path / "street.db")
    assert contents(tmp_path) == []


def other_database(path: Path) -> None:
    with direct(path) as database:
        database.execute("PRAGMA user_version = 1")
        database.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT)")


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_text("id,label\n1,cat\n"),
        lambda path: path.write_text("id,label\n" + "1,cat\n" * 2000),
        lambda path: path.write_bytes(b"SQLite format 3\x00 and then something else " * 20),
        lambda path: path.mkdir(),
        other_database,
    ],
    ids=["short text", "long text", "only the magic", "folder", "other database"],
)
def test_open_refuses_what_is_no_campaign_and_leaves_it_alone(tmp_path, make):
    path = tmp_path / "street.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(InputError, match="is not a spotheight campaign"):
        Store.open(path)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert contents(tmp_path) == ["street.db"]


def test_an_empty_file_is_perhaps_a_start_that_was_cut_off(tmp_path):
    (tmp_path / "street.db").touch()
    with pytest.raises(InputError, match=r"is empty, which is not .*; remove it"):
        Store.open(tmp_path / "street.db")


def test_a_damaged_file_is_called_damaged(store):
    store.append(["long " * 5000], expected=2)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: len(whole) // 4096 // 2 * 4096])
    with pytest.raises(DamagedError, match=r"is damaged at event 2 .*; go back to a copy"):
        store.events()
    with pytest.raises(StoreError, match=r"is damaged .*--salvage` saves the labels"):
        Store.open(store.path)
    sound, damage = Store.as_it_is(store.path).salvage()
    assert sound == [(1, "one")]  # the second stood in the part that is gone
    assert damage.sound == 1


def flip(path: Path, old: bytes, new: bytes) -> None:
    whole = path.read_bytes()
    assert whole.count(old) == 1
    path.write_bytes(whole.replace(old, new))


def test_a_changed_letter_is_found_and_what_stands_before_it_is_saved(store):
    store.append(['{"label":"cat"}', "four"], expected=2)
    flip(store.path, b'"cat"', b'"cap"')
    with pytest.raises(DamagedError, match=r"damaged at event 3 .its checksum does not fit"):
        store.events()
    with pytest.raises(DamagedError, match=r"spotheight export .*--salvage` saves the labels"):
        store.events(after=1)
    assert store.events(after=4) == []
    assert [body for _, body in store.salvage()[0]] == ["one", "two"]


def test_a_changed_letter_in_what_a_file_says_of_itself_is_found(store):
    flip(store.path, b"calls.csv", b"cells.csv")
    with pytest.raises(StoreError, match="damaged in what it says about its columns"):
        store.meta()


def old_file(path: Path) -> Path:
    """A file of the first schema, which has no checksums."""
    script = schema.scripts()[0]
    with direct(path) as database:
        for statement in schema.statements(script):
            database.execute(statement)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("PRAGMA user_version = 1")
        database.execute("INSERT INTO event VALUES (1, 'one'), (2, 'two')")
        database.execute("INSERT INTO meta VALUES ('pool', 'calls.csv')")
    return path


def test_events_of_an_older_file_are_sealed_when_it_is_taken_up(tmp_path):
    path = old_file(tmp_path / "street.db")
    store = Store.open(path)
    assert (store.events(), store.meta()) == ([(1, "one"), (2, "two")], {"pool": "calls.csv"})
    flip(path, b"two", b"twe")
    with pytest.raises(DamagedError, match="at event 2"):
        Store.open(path).events()


def test_an_older_file_that_cannot_be_written_is_read_as_it_is(tmp_path, monkeypatch):
    path = old_file(tmp_path / "street.db")
    before = path.read_bytes()
    with monkeypatch.context() as closed:
        closed.setattr("os.access", lambda *_: False)
        store = Store.open(path)
        assert (store.events(), store.meta()) == ([(1, "one"), (2, "two")], {"pool": "calls.csv"})
    assert path.read_bytes() == before
    assert store.append(["three"], expected=2) == 3  # once it can be
    assert Store.open(path).events(after=2) == [(3, "three")]


def test_what_an_older_program_wrote_meanwhile_is_sealed_by_the_next_writer(store):
    with direct(store.path) as database:
        database.execute("INSERT INTO event VALUES (3, 'three')")
    assert store.events(after=2) == [(3, "three")]
    store.append(["four"], expected=3)
    assert store.events(after=3) == [(4, "four")]
    flip(store.path, b"three", b"threw")
    with pytest.raises(DamagedError, match="at event 3"):
        store.events()


def test_a_file_system_without_locks_is_named_at_once(store, monkeypatch):
    monkeypatch.setattr("spotheight.store.drafts.fcntl.lockf", failing(errno.ENOLCK))
    with direct(store.path) as database:
        database.execute("BEGIN IMMEDIATE")  # SQLite says the same of a missing lock: busy
        started = monotonic()
        with pytest.raises(StoreError, match=r"No locks available.*network file systems"):
            store.append(["three"], expected=2)
    assert monotonic() - started < 5


def test_a_step_that_was_kept_is_not_called_lost(store, monkeypatch):
    """The disk refuses to flush after the commit is in SQLite's log."""
    connect = sqlite3.connect

    class Failing(sqlite3.Connection):
        def execute(self, statement: str, *rest: object) -> sqlite3.Cursor:
            done = super().execute(statement, *rest)
            if statement == "COMMIT":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
                raise error
            return done

    with monkeypatch.context() as failing_disk:
        failing_disk.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Failing, **k))
        with pytest.raises(StoreError, match=r"this step is in the file .*not repeat"):
            store.append(["three"], expected=2)
    assert store.length == 3


def test_a_file_that_vanished_is_named(store):
    store.path.unlink()
    with pytest.raises(StoreError, match=r"street[.]db is not readable .*check that it is there"):
        store.events()
    with pytest.raises(StoreError, match=r"street[.]db is not writable .*check that it is there"):
        store.append(["three"], expected=2)
    assert contents(store.path.parent) == []


def test_a_reader_without_locks_notices_a_writer(store, monkeypatch):
    connect = sqlite3.connect

    def interrupted(name: str, **settings: object) -> sqlite3.Connection:
        if "immutable" in name:
            with closing(connect(store.path, isolation_level=None)) as writer:
                writer.execute("INSERT INTO event (seq, body) VALUES (3, ?)", ["three " * 2000])
        return connect(name, **settings)

    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr(sqlite3, "connect", interrupted)
    with pytest.raises(StoreError, match="was written to while it was read; repeat"):
        store.events()


def test_a_writer_waits_only_so_long(store, monkeypatch):
    monkeypatch.setattr("spotheight.store.faults.PATIENCE", 0.05)
    with direct(store.path) as database:
        database.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by others"):
            store.append(["three"], expected=2)
        assert store.length == 2  # readers do not wait
    assert store.append(["three"], expected=2) == 3


def test_every_commit_reaches_the_disk(store, monkeypatch):
    seen, connect = [], sqlite3.connect

    class Watched(sqlite3.Connection):
        def close(self) -> None:
            seen.extend(self.execute("PRAGMA synchronous").fetchone())
            super().close()

    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Watched, **k))
    store.append(["three"], expected=2)
    assert seen == [2]  # FULL


def test_a_newer_schema_asks_for_an_upgrade(store):
    known = len(schema.scripts())
    with direct(store.path) as database:
        database.execute(f"PRAGMA user_version = {known + 1}")
    sentence = f"its schema is {known + 1}, this one knows up to {known}.*upgrade spotheight"
    with pytest.raises(StoreError, match=sentence):
        Store.open(store.path)


def test_an_older_schema_is_brought_up_to_date(store, monkeypatch):
    newer = (*schema.scripts(), "ALTER TABLE meta ADD COLUMN note TEXT;\nCREATE TABLE extra (a);")
    monkeypatch.setattr(schema, "scripts", lambda: newer)
    assert Store.open(store.path).events() == [(1, "one"), (2, "two")]
    assert Store.open(store.path).append(["three"], expected=2) == 3
    with direct(store.path) as database:
        assert schema.version(database) == len(newer)
        assert database.execute("SELECT count(*) FROM extra").fetchone() == (0,)


def test_a_migration_that_fails_leaves_the_schema_it_found(store, monkeypatch):
    found = len(schema.scripts())
    newer = (*schema.scripts(), "CREATE TABLE extra (a);\nINSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr(schema, "scripts", lambda: newer)
    with pytest.raises(StoreError, match="no such table: nowhere"):
        Store.open(store.path)
    with direct(store.path) as database:
        assert schema.version(database) == found
        assert database.execute("SELECT * FROM sqlite_schema WHERE name = 'extra'").fetchall() == []


def test_a_migration_that_another_process_has_run_is_not_run_again(store):
    with direct(store.path) as database:
        schema.advance(database, 1)
        assert schema.version(database) == len(schema.scripts())


def test_scripts_are_numbered_without_gaps_and_fully_cut():
    folder = Path(schema.__file__).parent
    numbers = sorted(int(entry.name.split("_")[0]) for entry in folder.glob("*.sql"))
    assert numbers == list(range(1, len(schema.scripts()) + 1))
    for script in schema.scripts():
        assert "".join(schema.statements(script)) == script


def test_a_file_reached_through_a_link_is_the_same_campaign(store, tmp_path):
    (tmp_path / "link.db").symlink_to(store.path)
    Store.open(tmp_path / "link.db").append(["three"], expected=2)
    assert store.length == 3
    assert (tmp_path / "link.db").is_symlink()


def test_letters_that_are_no_text_are_damage(store):
    store.append(["three"], expected=2)
    flip(store.path, b"three", b"th\xffee")
    with pytest.raises(DamagedError, match="damaged at event 3"):
        store.events()
    assert [body for _, body in store.salvage()[0]] == ["one", "two"]
    flip(store.path, b"calls.csv", b"c\xfflls.csv")
    with pytest.raises(StoreError, match=r"is damaged .*--salvage"):
        store.meta()
