"""Location of a campaign's pool, and which files belong to a campaign."""

import glob
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from spotheight import __version__
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError, StoreError
from spotheight.pool.protocol import Pool
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.roles import Roles
from spotheight.registry import dumps
from spotheight.store import SIDES, Store
from spotheight.workspace.reading import entry

PATTERN = "pattern"
"""Whether the pool's path is a pattern of names."""


def meta_of(path: Path, source: PoolFiles, roles: Roles, pool: Pool, spec: Spec) -> dict[str, str]:
    """Metadata of a new campaign file."""
    place = source.absolute
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


def _escaped(folder: Path) -> Path:
    return Path(glob.escape(str(folder)))


def find_source(store: Store, meta: Mapping[str, str]) -> PoolFiles:
    """The pool's file: at its path relative to the campaign, else at its first one."""
    there = [candidate for candidate in _candidates(store, meta) if candidate.exists]
    if len(there) > 1 and not _is_unchanged(store, there[0], meta):
        there = [one for one in there if _is_unchanged(store, one, meta)] or there
    if there:
        return there[0]
    raise InputError(
        f"The pool of this campaign, {meta['source']!r}, is not there; "
        f"if it moved, run `spotheight relink {quote(str(store.path))} NEW_PLACE`; "
        f"`spotheight export {quote(str(store.path))} --to csv --what labels` works without it."
    )


def _candidates(store: Store, meta: Mapping[str, str]) -> tuple[PoolFiles, PoolFiles]:
    is_pattern, folder = bool(meta.get(PATTERN)), store.path.resolve().parent
    beside = (_escaped(folder) if is_pattern else folder) / entry(store, meta, "beside")
    return PoolFiles(beside, is_pattern), PoolFiles(Path(entry(store, meta, "source")), is_pattern)


def check_unchanged(store: Store, source: PoolFiles, meta: Mapping[str, str]) -> None:
    """Raise where the pool is not what it was when it was read."""
    if not _is_unchanged(store, source, meta):
        option = " --pool-glob" if source.is_pattern else ""
        command = f"spotheight relink{option} {quote(str(store.path))} {quote(str(source.path))}"
        raise InputError(
            f"The pool of this campaign, {str(source.path)!r}, has changed since it was read; "
            f"if rows were appended, run `{command}`."
        )


def _is_unchanged(store: Store, source: PoolFiles, meta: Mapping[str, str]) -> bool:
    """By size and time of change; where these differ, by the digest of the bytes."""
    known = (entry(store, meta, "size"), entry(store, meta, "mtime"))
    return source.footprint == known or source.fingerprint == entry(store, meta, "fingerprint")


@dataclass(frozen=True)
class Belongings:
    """What belongs to a campaign: nothing may be written over it, nor among the parts of its pool.

    Args:
        files: The campaign and what lies beside it.
        pools: Where its pool is, or was.
    """

    files: tuple[Path, ...]
    pools: tuple[PoolFiles, ...] = ()

    def has(self, target: Path) -> bool:
        """Whether a file belongs to the campaign, or would be taken for a part of its pool."""
        own = target.exists() and any(f.exists() and f.samefile(target) for f in self.files)
        return own or any(pool.takes(target) for pool in self.pools)


def belongings(path: Path) -> Belongings:
    """What belongs to a campaign, by its file alone."""
    files = (path, *(path.with_name(path.name + side) for side in SIDES))
    try:
        store = Store.as_it_is(path)
        return Belongings(files, _candidates(store, store.meta(is_checked=False)))
    except (InputError, StoreError):
        return Belongings(files)  # another command says what is wrong with it
