"""Where a campaign's pool lies, and which files belong to a campaign."""

import glob
import json
import os
from collections.abc import Mapping
from pathlib import Path

from spotheight import __version__
from spotheight.codec import dumps
from spotheight.errors import InputError, StoreError
from spotheight.pool.files import PoolFiles
from spotheight.pool.protocol import Pool
from spotheight.pool.roles import Roles
from spotheight.spec import Spec
from spotheight.store import Store
from spotheight.workspace.reading import entry

SIDES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a campaign while it is written."""

PATTERN = "pattern"
"""Says that the pool's place is meant as a pattern of names."""


def meta_of(path: Path, source: PoolFiles, roles: Roles, pool: Pool, spec: Spec) -> dict[str, str]:
    """What a campaign's file says about itself."""
    place = _absolute(source)
    size, mtime = source.footprint
    return {
        "version": __version__,
        "source": str(place),
        "beside": os.path.relpath(place, path.resolve().parent),
        "size": size,
        "mtime": mtime,
        PATTERN: "yes" if source.is_pattern else "",
        "fingerprint": pool.fingerprint,
        "buckets": json.dumps(pool.id_buckets(), separators=(",", ":")),
        "roles": dumps(roles),
        "layout": dumps(pool.layout),
        "spec": dumps(spec),
    }


def _absolute(source: PoolFiles) -> Path:
    """A file's place without links; a pattern below this folder, whose own name is none."""
    return _escaped(Path.cwd()) / source.path if source.is_pattern else source.path.resolve()


def _escaped(folder: Path) -> Path:
    return Path(glob.escape(str(folder)))


def find_source(store: Store, meta: Mapping[str, str]) -> PoolFiles:
    """The pool's file: beside the campaign as it was, or where it was at first."""
    for candidate in _candidates(store, meta):
        if candidate.exists:
            return candidate
    raise InputError(
        f"The pool of this campaign, {meta['source']!r}, is not there; "
        f"if it moved, run `spotheight relink {store.path} NEW_PLACE`; "
        f"`spotheight export {store.path} --to csv --what labels` works without it."
    )


def _candidates(store: Store, meta: Mapping[str, str]) -> tuple[PoolFiles, PoolFiles]:
    is_pattern, folder = bool(meta.get(PATTERN)), store.path.resolve().parent
    beside = (_escaped(folder) if is_pattern else folder) / entry(store, meta, "beside")
    return PoolFiles(beside, is_pattern), PoolFiles(Path(entry(store, meta, "source")), is_pattern)


def check_unchanged(store: Store, source: PoolFiles, meta: Mapping[str, str]) -> None:
    """Raise where the pool is not what it was when it was read."""
    known = (entry(store, meta, "size"), entry(store, meta, "mtime"))
    if source.footprint == known:
        return
    if source.fingerprint != entry(store, meta, "fingerprint"):
        raise InputError(
            f"The pool of this campaign, {str(source.path)!r}, has changed since it was read; "
            f"if rows were appended, run `spotheight relink {store.path} {source.path}`."
        )


def campaign_files(path: Path) -> tuple[Path, ...]:
    """The campaign, what lies beside it, and its pool: nothing may be written over these."""
    files = [path, *(path.with_name(path.name + side) for side in SIDES)]
    try:
        store = Store.as_it_is(path)
        for candidate in _candidates(store, store.meta()):
            files += candidate.paths if candidate.exists else ()
    except (InputError, StoreError):
        pass  # a damaged file names no pool, and another command says what is wrong with it
    return tuple(files)
