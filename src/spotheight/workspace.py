"""One file as a living campaign: the only door for the command line and the web."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from spotheight import __version__
from spotheight.attributes import Levels
from spotheight.campaign import Campaign
from spotheight.codec import dumps, loads
from spotheight.errors import ConflictError, InputError, ItemError, StoreError
from spotheight.ledger import Ledger
from spotheight.log import Asked, Attributed, Event, Label, Query, Released, Relinked
from spotheight.pool import names as c
from spotheight.pool.growth import lost_rows
from spotheight.pool.layout import Layout, grown
from spotheight.pool.look import FirstLook, first_look
from spotheight.pool.protocol import Pool
from spotheight.pool.read import fits_in_memory, open_pool
from spotheight.pool.roles import Roles
from spotheight.pool.source import file_fingerprint
from spotheight.receipt import Receipt
from spotheight.spec import Spec
from spotheight.store import Store

ATTEMPTS = 500
"""Each lost race means that someone else got something done; this many in a row is a fault."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of recomputing every ask."""

    asks: int
    same: int
    earlier_pool: int
    first_difference: str = ""


@dataclass(frozen=True, eq=False)
class Said:
    """What people said in a campaign: it is theirs even where the pool is gone."""

    ledger: Ledger
    roles: Roles
    spec: Spec

    @classmethod
    def read(cls, path: Path) -> "Said":
        """From a campaign's file alone."""
        store = Store.open(path)
        try:
            meta, ledger = store.meta(), Ledger.of(_events(store))
            return cls(ledger, loads(meta["roles"], Roles), loads(meta["spec"], Spec))
        finally:
            store.close()


class Workspace:
    """A campaign that is kept in a file while it runs; several processes may work on it at once."""

    def __init__(self, store: Store, campaign: Campaign, path: Path) -> None:
        """Use ``create`` or ``open``."""
        self.store = store
        self.campaign = campaign
        self.path = path

    @classmethod
    def create(
        cls, path: Path, source: Path, roles: Roles, spec: Spec, *, at: str = ""
    ) -> tuple["Workspace", FirstLook]:
        """Start a campaign on a table; labels that the table brings are told without a chance."""
        if path.exists():
            raise InputError(
                f"{str(path)!r} already exists; choose another name with -o, or remove it first."
            )
        pool = open_pool(source, roles)
        look = first_look(pool)
        campaign = Campaign(pool, spec)
        campaign.records().cells()
        labels = known_labels(pool)
        levels = known_levels(pool)
        if labels or levels:
            campaign.tell(labels, levels=levels, annotator="table", at=at)
        events = [dumps(event) for event in campaign.log]
        store = Store.create(path, _meta(path, source, roles, pool, campaign.spec), events)
        return cls(store, campaign, path), look

    @classmethod
    def open(cls, path: Path) -> "Workspace":
        """Go on with a campaign; its pool must be where it was and what it was."""
        store = Store.open(path)
        meta = store.meta()
        source = find_source(path, meta)
        _check_unchanged(path, source, meta)
        pool = open_pool(
            source,
            loads(meta["roles"], Roles),
            layout=loads(meta["layout"], Layout),
            fingerprint=meta["fingerprint"],
            in_memory=fits_in_memory(sum(json.loads(meta["buckets"]).values())),
        )
        spec = loads(meta["spec"], Spec)
        return cls(store, Campaign(pool, spec, list(_events(store))), path)

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.store.close()

    # Verbs.

    def ask(
        self, n: int, *, annotator: str = "", until: str | None = None, now: str | None = None
    ) -> tuple[Query, ...]:
        """Choose the next items and keep that they are out, before they are handed over."""
        seen = len(self.campaign.log)

        def plan() -> list[Event]:
            asked = self.campaign.plan_ask(n, annotator=annotator, until=until, now=now, seen=seen)
            return [asked] if asked.queries else []

        events = self._keep(plan)
        return events[0].queries if events and isinstance(events[0], Asked) else ()

    def tell(
        self,
        labels: Mapping[str, Mapping[str, object]],
        levels: Mapping[str, Levels] | None = None,
        *,
        correct: bool = False,
        at: str = "",
    ) -> Receipt:
        """Keep labels, and true levels of guessed attributes, by annotator: all or none."""
        receipts: list[Receipt] = []
        campaign = self.campaign

        def plan() -> list[Event]:
            make = campaign.plan_correct if correct else campaign.plan_tell
            planned = [make(said, annotator=name, at=at) for name, said in labels.items()]
            receipts[:] = [receipt for _, receipt in planned]
            told = [
                campaign.plan_levels(said, annotator=name, at=at, is_correction=correct)
                for name, said in (levels or {}).items()
            ]
            return [e for e in (*(event for event, _ in planned), *told) if e is not None]

        kept = self._keep(plan)
        attributed = {
            item for event in kept if isinstance(event, Attributed) for item in event.levels
        }
        return Receipt(
            sum(r.new for r in receipts),
            sum(r.repeated for r in receipts),
            sum(r.corrected for r in receipts),
            len(attributed),
        )

    def skip(self, items: Iterable[str], *, annotator: str = "", at: str = "") -> None:
        """Keep that items cannot be labelled."""
        items = tuple(items)
        self._keep(lambda: [self.campaign.plan_skip(items, annotator=annotator, at=at)])

    def release(self, items: Iterable[str], *, annotator: str = "", at: str = "") -> int:
        """Free items that are out, all of them when none is named; give back how many."""
        wanted = set(items)

        def plan() -> list[Event]:
            out = self.campaign.ledger.out
            strange = sorted(wanted - set(out))
            if strange:
                raise ItemError(strange[0], f"Item {strange[0]!r} is not out.")
            held = tuple(sorted(i for i in out if annotator in out[i] and i in (wanted or out)))
            return [Released(held, annotator, at)] if held else []

        events = self._keep(plan)
        return len(events[0].items) if events and isinstance(events[0], Released) else 0

    def _keep(self, plan: Callable[[], list[Event]]) -> list[Event]:
        """Plan on what is known, write, and plan again when someone else was faster."""
        for _ in range(ATTEMPTS):
            events = plan()
            if not events:
                return []
            try:
                self.store.append([dumps(e) for e in events], expected=len(self.campaign.log))
            except ConflictError:
                self.refresh()
                continue
            for event in events:
                self.campaign.record(event)
            return events
        raise StoreError(f"{str(self.path)!r} is being written all the time; try again later.")

    def refresh(self) -> None:
        """Take in what others wrote."""
        for event in _events(self.store, after=len(self.campaign.log)):
            self.campaign.record(event)

    # Looking after the file.

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verified:
        """Recompute every ask from the pool, the spec and the log before it."""
        log = self.campaign.log
        replay = Campaign(self.campaign.pool, self.campaign.spec)
        moved = [i for i, e in enumerate(log) if isinstance(e, Relinked) and e.has_grown]
        start = moved[-1] if moved else 0
        asks = same = earlier = 0
        difference = ""
        for place, event in enumerate(log):
            if isinstance(event, Asked):
                asks += 1
                if place < start:
                    earlier += 1
                elif (said := _difference(replay, event, place)) == "":
                    same += 1
                else:
                    difference = difference or said
            replay.record(event)
            if progress:
                progress(place + 1, len(log))
        return Verified(asks, same, earlier, difference)

    @property
    def meta(self) -> dict[str, str]:
        """What the file says about itself."""
        return self.store.meta()


def _events(store: Store, after: int = 0) -> Iterator[Event]:
    return (loads(body, Event) for _, body in store.events(after=after))


def _difference(replay: Campaign, event: Asked, place: int) -> str:
    planned = replay.plan_ask(
        event.size,
        annotator=event.annotator,
        until=event.until,
        now=event.at or None,
        seen=event.seen,
    )
    if planned.queries == event.queries:
        return ""
    ours = ", ".join(query.item for query in planned.queries[:3])
    theirs = ", ".join(query.item for query in event.queries[:3])
    return f"event {place + 1} asked {theirs} ..., recomputed {ours} ..."


def relink(path: Path, source: Path, *, at: str = "") -> FirstLook:
    """Point a campaign to a file that moved or grew; rows that are gone are refused."""
    store = Store.open(path)
    meta = store.meta()
    roles, spec = loads(meta["roles"], Roles), loads(meta["spec"], Spec)
    fingerprint = file_fingerprint(_require_file(source))
    has_grown = fingerprint != meta["fingerprint"]
    old = loads(meta["layout"], Layout)
    fresh = open_pool(source, roles, fingerprint=fingerprint) if has_grown else None
    layout = grown(old, fresh.layout) if fresh is not None else old
    pool = open_pool(source, roles, layout=layout, fingerprint=fingerprint)
    if has_grown:
        _check_grown(pool, meta, store)
    event = Relinked(fingerprint, has_grown, at)
    store.append([dumps(event)], store.length, _meta(path, source, roles, pool, spec))
    return first_look(pool)


def _check_grown(pool: Pool, meta: Mapping[str, str], store: Store) -> None:
    lost = lost_rows(json.loads(meta["buckets"]), pool.id_buckets())
    if lost:
        raise InputError(
            f"At least {lost} row{'s are' if lost > 1 else ' is'} gone from the pool; a campaign "
            f"takes rows in, never out. Restore them, or start a new campaign and tell it the "
            f"labels."
        )
    ledger = Ledger.of(_events(store))
    items = sorted(ledger.told.keys() | ledger.asked.keys() | ledger.gold.keys())
    if items:
        pool.rows(items)


def _require_file(source: Path) -> Path:
    if not source.is_file():
        raise InputError(f"There is no file {str(source)!r}.")
    return source


def _meta(path: Path, source: Path, roles: Roles, pool: Pool, spec: Spec) -> dict[str, str]:
    stat = source.stat()
    return {
        "version": __version__,
        "source": str(source.resolve()),
        "beside": os.path.relpath(source.resolve(), path.resolve().parent),
        "size": str(stat.st_size),
        "mtime": str(stat.st_mtime_ns),
        "fingerprint": pool.fingerprint,
        "buckets": json.dumps(pool.id_buckets(), separators=(",", ":")),
        "roles": dumps(roles),
        "layout": dumps(pool.layout),
        "spec": dumps(spec),
    }


def find_source(path: Path, meta: Mapping[str, str]) -> Path:
    """The pool's file: beside the campaign as it was, or where it was at first."""
    beside = path.resolve().parent / meta["beside"]
    for candidate in (beside, Path(meta["source"])):
        if candidate.is_file():
            return candidate
    raise InputError(
        f"The pool of this campaign, {meta['source']!r}, is not there; "
        f"if it moved, run `spotheight relink {path} NEW_PLACE`; "
        f"`spotheight export {path} --to csv --what labels` works without it."
    )


def _check_unchanged(path: Path, source: Path, meta: Mapping[str, str]) -> None:
    stat = source.stat()
    if (str(stat.st_size), str(stat.st_mtime_ns)) == (meta["size"], meta["mtime"]):
        return
    if file_fingerprint(source) != meta["fingerprint"]:
        raise InputError(
            f"The pool of this campaign, {str(source)!r}, has changed since it was read; "
            f"if rows were appended, run `spotheight relink {path} {source}`."
        )


def known_labels(pool: Pool) -> dict[str, Label]:
    """Labels, or verdicts by service, that the table itself brings."""
    known = pool.known()
    if pool.roles.judge:
        return _known_verdicts(known, pool.roles)
    labels = known.get(c.LABEL)
    if labels is None:
        return {}
    pairs = zip(known[c.ID], labels, strict=True)
    return {str(item): label for item, label in pairs if label is not None}


def known_levels(pool: Pool) -> dict[str, dict[str, str]]:
    """True levels of guessed attributes that the table itself brings."""
    known, levels = pool.known(), dict[str, dict[str, str]]()
    for name in pool.roles.gold:
        for item, level in zip(known[c.ID], known[c.gold_of(name)], strict=True):
            if level is not None:
                levels.setdefault(str(item), {})[name] = str(level)
    return levels


def _known_verdicts(known: Mapping[str, Any], roles: Roles) -> dict[str, Label]:
    verdicts: dict[str, Label] = {}
    for place, item in enumerate(known[c.ID]):
        said = {
            service.name: float(known[c.verdict_of(service.name)][place])
            for service in roles.services
            if service.verdict is not None
        }
        finite = {name: value for name, value in said.items() if value == value}
        if finite:
            verdicts[str(item)] = finite
    return verdicts
