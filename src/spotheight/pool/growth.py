"""Buckets of hashed ids: tell a pool that grew from one that lost rows, without keeping all ids."""

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import md5

from spotheight.pool import names as c
from spotheight.pool.reading.embedded import Table

BUCKET_DIGITS = 3
"""4096 buckets: a lost row shows unless a new one happens to fall into its bucket."""


def count_buckets(ids: Iterable[str]) -> dict[str, int]:
    """Histogram of hashed ids: how many fall into each bucket."""
    hashes = (md5(name.encode(), usedforsecurity=False).hexdigest() for name in ids)
    return dict(sorted(Counter(digest[:BUCKET_DIGITS] for digest in hashes).items()))


def table_buckets(table: Table) -> dict[str, int]:
    """The same, counted by the engine."""
    bucket = table[c.ID].hexdigest("md5").substr(0, BUCKET_DIGITS)
    counted = table.group_by(bucket=bucket).aggregate(items=table.count()).to_pyarrow()
    pairs = zip(counted["bucket"].to_pylist(), counted["items"].to_pylist(), strict=True)
    return {str(name): int(items) for name, items in sorted(pairs)}


def lost_rows(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """At least how many rows are gone."""
    return sum(max(0, items - after.get(name, 0)) for name, items in before.items())
