"""How a campaign file is laid out: numbered SQL files, each takes the schema one number further.

A published file is never edited: campaigns that have run it will not run it again.
"""

from functools import cache
from importlib.resources import files
from sqlite3 import Connection, complete_statement


@cache
def scripts() -> tuple[str, ...]:
    """The numbered files in order; the first brings an empty file to schema 1."""
    found = [entry for entry in files(__name__).iterdir() if entry.name.endswith(".sql")]
    found.sort(key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in found)


def version(database: Connection) -> int:
    """The number of the last script that this file has run."""
    return database.execute("PRAGMA user_version").fetchone()[0]


def advance(database: Connection, number: int) -> None:
    """Run script ``number`` and record it, inside the caller's transaction.

    Does nothing when another process was quicker, so ask after the transaction has begun.
    """
    if version(database) >= number:
        return
    for statement in statements(scripts()[number - 1]):
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {number}")


def statements(script: str) -> tuple[str, ...]:
    r"""A script cut where its statements end: ``executescript`` would commit between them.

    A statement starts on a line of its own.

    >>> statements("CREATE TABLE a (b);  -- why\nDROP TABLE a;")
    ('CREATE TABLE a (b);  -- why\n', 'DROP TABLE a;')
    """
    found, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if complete_statement(current):
            found.append(current)
            current = ""
    return tuple(found)
