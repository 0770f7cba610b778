"""Optimistic concurrency: a step is planned, written, and planned again after a conflict."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from operator import index
from pathlib import Path
from typing import Self

from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.errors import ConflictError, InputError, ItemError, StoreError
from spotheight.exchange.queries import Row, query_rows
from spotheight.exchange.sheet import Sheet
from spotheight.guesses import Levels
from spotheight.history.events import Asked, Attributed, Event, Query, Released
from spotheight.history.receipt import Receipt
from spotheight.pool.layout import Layout
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.pool.roles import Roles
from spotheight.registry import dumps
from spotheight.store import Store
from spotheight.workspace import clock
from spotheight.workspace.location import Belongings, belongings, check_unchanged, find_source
from spotheight.workspace.reading import buckets, entry, events
from spotheight.workspace.values import SkipReceipt

ATTEMPTS = 500
"""Each lost race means that someone else got something done; this many in a row is a fault."""


class KeptCampaign:
    """A campaign that never runs ahead of its file: items go out and labels come in.

    Times are ISO text: those of the clock, where nobody says ``at``. Every verb takes in first what
    others have written.
    """

    def __init__(self, store: Store, campaign: Campaign, source: PoolFiles) -> None:
        """The file, what it holds, and its pool's files."""
        self.path = store.path
        self.source = source
        self._store = store
        self._campaign: Campaign | None = campaign

    @property
    def campaign(self) -> Campaign:
        """The campaign in memory: what it asks and is told by itself is not kept."""
        if self._campaign is None:
            raise StoreError(f"{str(self.path)!r} was closed here; open it again.")
        return self._campaign

    def close(self) -> None:
        """Let go of the pool and of all that was fitted; the file needs no closing."""
        self._campaign = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.path)!r}: {self._campaign or 'closed'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def ask(
        self,
        n: int = 1,
        *,
        annotator: str = "",
        hours: float | None = None,
        at: str | None = None,
    ) -> tuple[Query, ...]:
        """Choose the next items and keep that they are out, before they are handed over.

        Args:
            n: How many; fewer come back when the pool or the budget ends.
            annotator: Who gets them.
            hours: After which they are free again, if no label has come.
            at: The time.
        """
        seen, at, n = len(self.campaign.log), time_of(at), _whole(n)
        until = clock.deadline(hours, at)

        def plan() -> list[Event]:
            asked = self.campaign.plan_ask(n, annotator=annotator, until=until, now=at, seen=seen)
            return [asked] if asked.queries else []

        kept = self._keep(plan)
        return kept[0].queries if kept and isinstance(kept[0], Asked) else ()

    def held(self, annotator: str = "", *, at: str | None = None) -> tuple[Query, ...]:
        """What an annotator was handed and has not answered, in the order it was asked."""
        self.refresh()
        now, (out, asked) = time_of(at), (self.campaign.ledger.out, self.campaign.ledger.asked)
        until = {item: by[annotator] for item, by in out.items() if annotator in by}
        return tuple(asked[item] for item, end in until.items() if end is None or end > now)

    @property
    def sheet(self) -> Sheet:
        """The headings of items to be labelled."""
        return Sheet.of(self.campaign.pool.roles, self.campaign.spec.metric)

    def rows(self, queries: Sequence[Query]) -> list[Row]:
        """What the person who labels gets to see of some items, under the sheet's headings."""
        return query_rows(queries, self.campaign.pool, self.sheet)

    def tell(
        self,
        labels: Mapping[str, object],
        levels: Levels | None = None,
        *,
        annotator: str = "",
        at: str | None = None,
    ) -> Receipt:
        """Keep labels by item, and true levels of guessed attributes: all or none."""
        return self.tell_all({annotator: labels}, {annotator: levels or {}}, at=at)

    def correct(
        self, labels: Mapping[str, object], *, annotator: str = "", at: str | None = None
    ) -> Receipt:
        """Replace labels that this annotator gave before; the log keeps the old ones."""
        return self.tell_all({annotator: labels}, is_correction=True, at=at)

    def tell_all(
        self,
        labels: Mapping[str, Mapping[str, object]],
        levels: Mapping[str, Levels] | None = None,
        *,
        is_correction: bool = False,
        at: str | None = None,
    ) -> Receipt:
        """Keep labels, and true levels of guessed attributes, by annotator: all or none."""
        receipts: list[Receipt] = []
        campaign, time = self.campaign, time_of(at)

        def plan() -> list[Event]:
            make = campaign.plan_correct if is_correction else campaign.plan_tell
            planned = [make(said, annotator=name, at=time) for name, said in labels.items()]
            receipts[:] = [receipt for _, receipt in planned]
            told = [
                campaign.plan_levels(said, annotator=name, at=time, is_correction=is_correction)
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

    def skip(
        self, items: str | Iterable[str], *, annotator: str = "", at: str | None = None
    ) -> SkipReceipt:
        """Keep that items cannot be labelled; they stay in the pool and are asked no more."""
        items, ledger, time = several(items), self.campaign.ledger, time_of(at)
        before = set(ledger.skipped)
        self._keep(lambda: [self.campaign.plan_skip(items, annotator=annotator, at=time)])
        labelled = tuple(sorted(ledger.told.keys() & set(items)))
        return SkipReceipt(len(ledger.skipped - before), len(ledger.skipped), labelled)

    def release(
        self,
        items: str | Iterable[str] | None = None,
        *,
        annotator: str = "",
        at: str | None = None,
    ) -> int:
        """Free items that are out with an annotator, all where none is given; return how many."""
        wanted, time = None if items is None else set(several(items)), time_of(at)

        def plan() -> list[Event]:
            out = self.campaign.ledger.out
            strange = sorted((wanted or set()) - set(out))
            if strange:
                raise ItemError(strange[0], f"Item {strange[0]!r} is not out.")
            mine = (item for item in out if annotator in out[item])
            held = tuple(sorted(item for item in mine if wanted is None or item in wanted))
            return [Released(held, annotator, time)] if held else []

        kept = self._keep(plan)
        return len(kept[0].items) if kept and isinstance(kept[0], Released) else 0

    def _keep(self, plan: Callable[[], list[Event]]) -> list[Event]:
        """Plan on what is known, write, and plan again when someone else was faster."""
        for _ in range(ATTEMPTS):
            planned = plan()
            if not planned:
                return []
            for event in planned:
                _require_text(event)
            try:
                self._store.append([dumps(e) for e in planned], expected=len(self.campaign.log))
            except ConflictError:
                self.refresh()
                continue
            for event in planned:
                self.campaign.record(event)
            return planned
        raise StoreError(f"{str(self.path)!r} is being written all the time; try again later.")

    def refresh(self) -> None:
        """Take in what others wrote."""
        for event in events(self._store, after=len(self.campaign.log)):
            self.campaign.record(event)

    @property
    def meta(self) -> dict[str, str]:
        """What the file says about itself."""
        return self._store.meta()

    @property
    def belongings(self) -> Belongings:
        """The campaign, what lies beside it, and its pool: nothing is written over these."""
        return belongings(self.path)


def time_of(at: str | datetime | None) -> str:
    """The time that was said, or else that of the clock."""
    if isinstance(at, datetime):
        return at.isoformat(timespec="seconds")
    return clock.now() if at is None else at


def several(texts: str | Iterable[str]) -> tuple[str, ...]:
    """Texts, of which one may stand alone: its letters are not meant."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _whole(n: int) -> int:
    """A count as the file keeps it, whichever kind of whole number it comes as."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise InputError(f"The number of items must be a whole number, got {n!r}.")
    return index(n)


def _require_text(event: Event) -> None:
    """Raise where a step says something that nobody could read out of the file again."""
    for name in ("annotator", "at"):
        value = getattr(event, name, "")
        if not isinstance(value, str):
            what = "name of an annotator" if name == "annotator" else "time"
            raise InputError(f"The {what} is text, got {value!r}; nothing was kept.")


def opened(path: Path) -> tuple[Store, Campaign, PoolFiles]:
    """A campaign from its file, with its pool, which must be where it was and what it was."""
    store = Store.open(path)
    meta = store.meta()
    source = find_source(store, meta)
    check_unchanged(store, source, meta)
    spec = entry(store, meta, "spec", Spec)
    pool = open_pool(
        source,
        entry(store, meta, "roles", Roles),
        layout=entry(store, meta, "layout", Layout),
        fingerprint=entry(store, meta, "fingerprint"),
        rows=sum(buckets(store, meta).values()),
    )
    return store, Campaign(pool, spec, list(events(store))), source
