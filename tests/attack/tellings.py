"""Files of labels as nobody should send them back, and campaign files that are damaged."""

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

from spotheight.store.seals import META
from tests.attack.odd import NAMES, NUMBERS, WORDS, damaged, pick
from tests.attack.options import CAMPAIGNS

READERS = (["status"], ["ask", "-n", "2"], ["verify"], ["report"], ["surface"], ["skip"],
           ["export", "--to", "csv", "--what", "labels"], ["export", "--to", "json"],
           ["check", "--min", ".5"], ["release"], ["tell"], ["relink"])  # fmt: skip


def told(folder: Path, rng: random.Random) -> list[list[str]]:
    """A file of labels, as CSV or JSON, and the telling of it."""
    kind = rng.choice(("calls", "tags", "faces", "judge"))
    text = (folder / f"{kind}-done.csv").read_text()
    style = rng.randrange(4)
    if style == 0:
        data = damaged(text.encode(), rng)
    elif style == 1:
        data = _odd_cells(text, rng).encode("utf-8", "surrogatepass")
    else:
        data = _json(text, rng, is_list=style == 2)
        data = damaged(data, rng) if rng.random() < 0.2 else data
    path = folder / rng.choice(("told.csv", "told.json", "told.jsonl", "told"))
    path.write_bytes(data)
    extra = rng.choice(([], [], ["--correct"], ["--annotator", rng.choice(WORDS)]))
    argv = ["tell", f"{kind}.db", path.name, *extra]
    then = [["status", f"{kind}.db"], ["export", f"{kind}.db", "--to", "csv", "--what", "labels"]]
    return [[part.replace("\x00", "?") for part in argv], *rng.choice(([], [], [rng.choice(then)]))]


def _odd_cells(text: str, rng: random.Random) -> str:
    rows = [line.split(",") for line in text.splitlines()]
    for _ in range(rng.choice((1, 1, 3, 10))):
        row = rng.choice(rows)
        if row:
            row[rng.randrange(len(row))] = pick(rng, WORDS, NUMBERS, NAMES)
    if rng.random() < 0.3:
        rows[0].append(rng.choice(NAMES))
    if rng.random() < 0.2:
        rows.append(rng.choice(rows))
    return rng.choice(("\n", "\r\n", "\r")).join(",".join(row) for row in rows)


def _json(text: str, rng: random.Random, *, is_list: bool) -> bytes:
    head, *lines = [line.split(",") for line in text.splitlines()]
    rows: list[Any] = [dict(zip(head, line, strict=True)) for line in lines]
    odds: tuple[Any, ...] = (None, [], {}, [[]], {"a": 1}, True, 1e999, float("nan"), -1, 10**400,
                             0.1, "\ud800", "x" * 100_000, 2**63, "", " ")  # fmt: skip
    for _ in range(rng.choice((1, 1, 3))):
        place = rng.randrange(len(rows))
        if isinstance(rows[place], dict) and rng.random() < 0.8:
            rows[place][rng.choice([*head, "annotator", ""])] = pick(rng, odds, WORDS)
        else:
            rows[place] = rng.choice(odds)
    if rng.random() < 0.1:
        return rng.choice((b"[" * 100_000, b'{"id":' * 50_000, b"[" + b"9" * 5000 + b"]",
                           b'[{"id":"001","label":' + b"9" * 5000 + b"}]", b"[", b"{}", b"[]",
                           b"null", b"[null]", b'{"id": "001", "label": "\\ud800"}'))  # fmt: skip
    body = json.dumps(rows) if is_list else "\n".join(json.dumps(row) for row in rows)
    return body.encode()


def broken(folder: Path, rng: random.Random) -> list[list[str]]:
    """A damaged campaign file, and a command on it."""
    name = rng.choice(CAMPAIGNS)
    path = folder / name
    style = rng.randrange(5)
    if style == 0:
        path.write_bytes(damaged(path.read_bytes(), rng))
    elif style == 1:
        _overwrite_header(path, rng)
    else:
        _damage_rows(path, rng)
    command, *rest = rng.choice(READERS)
    extra = {"tell": [f"{name.removesuffix('.db')}-done.csv"], "skip": ["003"],
             "relink": ["calls.csv"]}.get(command, [])  # fmt: skip
    return [[command, name, *extra, *rest]]


def _overwrite_header(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    place = rng.choice((18, 19, 28, 44, 56, 60, 68, 92, 100, rng.randrange(100)))
    data[place] = rng.randrange(256)
    path.write_bytes(data)
    if rng.random() < 0.2:
        path.with_name(path.name + rng.choice(("-wal", "-journal"))).write_bytes(rng.randbytes(999))


def _damage_rows(path: Path, rng: random.Random) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    for (name,) in database.execute(triggers).fetchall():
        database.execute(f"DROP TRIGGER {name}")
    if rng.random() < 0.6:
        _take_seals_off(database)
    if rng.random() < 0.5:
        keys = [key for (key,) in database.execute("SELECT key FROM meta")]
        key = rng.choice(keys)
        (value,) = database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if rng.random() < 0.3:
            database.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            new = _otherwise(value, rng)
            database.execute("UPDATE meta SET value = ? WHERE key = ?", (new, key))
    else:
        seqs = [seq for (seq,) in database.execute("SELECT seq FROM event")]
        seq = rng.choice(seqs)
        (body,) = database.execute("SELECT body FROM event WHERE seq = ?", (seq,)).fetchone()
        if rng.random() < 0.3:
            database.execute("DELETE FROM event WHERE seq = ?", (seq,))
        else:
            new = _otherwise(body, rng)
            database.execute("UPDATE event SET body = ? WHERE seq = ?", (new, seq))
    if rng.random() < 0.1:
        database.execute(rng.choice(("DROP TABLE meta", "DROP TABLE event", "DELETE FROM meta",
                                     "DELETE FROM event", "PRAGMA user_version = 99",
                                     "ALTER TABLE event RENAME COLUMN body TO x")))  # fmt: skip
    database.close()


def _take_seals_off(database: sqlite3.Connection) -> None:
    """As files were before events had checksums: what is damaged has to be found by reading it."""
    database.execute("DROP TABLE IF EXISTS seal")
    database.execute("DELETE FROM meta WHERE key = ?", (META,))
    database.execute("PRAGMA user_version = 1")


def _otherwise(text: str, rng: random.Random) -> str:
    """JSON that is broken, or whole and of another shape."""
    try:
        value = json.loads(text)
    except ValueError:
        return rng.choice((text[:-1], "", "\x1b[31m", "x" * 10_000, "[]", "../../etc", "/", "0"))
    if rng.random() < 0.25:
        return rng.choice((text[:-1], "", "{", "null", "[]", "0", '"x"', "[" * 100_000, text * 2,
                           "NaN", '{"name":"told"}', "1e999"))  # fmt: skip
    _change(value, rng)
    return json.dumps(value)


def _change(value: Any, rng: random.Random) -> None:
    """Walk down at random and leave one thing of another kind, away or new."""
    odd = rng.choice((None, [], {}, -1, 1e300, "", "x\x1b[2J", True, [None], {"name": "x"}, 2**70))
    if not isinstance(value, (dict, list)) or not value:
        return
    key = rng.choice([*value] if isinstance(value, dict) else range(len(value)))
    if isinstance(value[key], (dict, list)) and value[key] and rng.random() < 0.7:
        _change(value[key], rng)
    elif rng.random() < 0.3:
        del value[key]
    elif isinstance(value, dict) and rng.random() < 0.2:
        value["gone"] = odd
    else:
        value[key] = odd
