"""Checksums (seals): a running one over events, one over what a file says about itself."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import accumulate

DIGITS = 32
"""Of SHA-256, in hexadecimal: 128 bits are more than enough against accidents."""

META = "seal"
"""The entry of ``meta`` that holds the checksum of all others."""

_LAST = "SELECT seq, digest FROM seal ORDER BY seq DESC LIMIT 1"
_UNSEALED = "SELECT seq, body FROM event WHERE seq > ? ORDER BY seq"
SET_META = (
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET "
    "value = excluded.value"
)


def digest(before: str, body: str) -> str:
    """The checksum of an event, given that of the event before it."""
    return sha256(f"{before}\n{body}".encode()).hexdigest()[:DIGITS]


def digests(before: str, bodies: Iterable[str]) -> Iterator[str]:
    """The running checksum of events in order."""
    found = accumulate(bodies, digest, initial=before)
    next(found)
    return found


def seal_events(database: sqlite3.Connection) -> None:
    """Seal every event that has no checksum yet, also those that an older program wrote."""
    last, before = database.execute(_LAST).fetchone() or (0, "")
    if before is None:
        raise sqlite3.DatabaseError(f"the checksum of event {last} is gone")
    rows = database.execute(_UNSEALED, (last,)).fetchall()
    sealed = digests(before, (body for _, body in rows))
    database.executemany(
        "INSERT INTO seal (seq, digest) VALUES (?, ?)",
        [(seq, found) for (seq, _), found in zip(rows, sealed, strict=True)],
    )


def seal_meta(database: sqlite3.Connection) -> None:
    """Seal what the file says about itself, as it stands now."""
    meta = dict(database.execute("SELECT key, value FROM meta").fetchall())
    database.execute(SET_META, (META, meta_digest(meta)))


def meta_digest(meta: Mapping[str, str]) -> str:
    """The checksum of entries, but for the one that holds it."""
    pairs = sorted((str(key), value) for key, value in meta.items() if key != META)
    return sha256(repr(pairs).encode()).hexdigest()[:DIGITS]
