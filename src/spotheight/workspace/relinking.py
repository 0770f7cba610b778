"""Relinking: pointing a campaign to a pool that moved or grew."""

from collections.abc import Mapping
from pathlib import Path

from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.history.events import Relinked
from spotheight.history.ledger import Ledger
from spotheight.pool.growth import lost_rows
from spotheight.pool.layout import Layout, grown
from spotheight.pool.look import FirstLook, first_look
from spotheight.pool.protocol import Pool
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.pool.roles import Roles
from spotheight.registry import dumps
from spotheight.store import Store
from spotheight.workspace.location import meta_of
from spotheight.workspace.reading import buckets, entry, events


def relink(path: Path, source: PoolFiles, *, at: str = "") -> FirstLook:
    """Point a campaign to a file that moved or grew; rows that are gone are refused."""
    store = Store.open(path)
    meta, log = store.meta(), list(events(store))
    roles, spec = entry(store, meta, "roles", Roles), entry(store, meta, "spec", Spec)
    fingerprint = source.fingerprint
    has_grown = fingerprint != entry(store, meta, "fingerprint")
    old = entry(store, meta, "layout", Layout)
    fresh = open_pool(source, roles, fingerprint=fingerprint) if has_grown else None
    layout = grown(old, fresh.layout) if fresh is not None else old
    pool = open_pool(source, roles, layout=layout, fingerprint=fingerprint)
    if has_grown:
        _check_grown(pool, buckets(store, meta), Ledger.of(log))
    event = Relinked(fingerprint, has_grown, at)
    store.append([dumps(event)], len(log), meta_of(path, source, roles, pool, spec))
    return first_look(pool)


def _check_grown(pool: Pool, before: Mapping[str, int], ledger: Ledger) -> None:
    lost = lost_rows(before, pool.id_buckets())
    if lost:
        raise InputError(
            f"At least {lost} row{'s are' if lost > 1 else ' is'} gone from the pool; a campaign "
            f"takes rows in, never out. Restore them, or start a new campaign and tell it the "
            f"labels."
        )
    items = sorted(ledger.told.keys() | ledger.asked.keys() | ledger.gold.keys())
    if items:
        pool.rows(items)
