"""A campaign and its file: what happens is planned, written, and planned again after a conflict."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.errors import ConflictError, ItemError, StoreError
from spotheight.guesses import Levels
from spotheight.history.events import Asked, Attributed, Event, Query, Released
from spotheight.history.receipt import Receipt
from spotheight.pool.layout import Layout
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.pool.roles import Roles
from spotheight.registry import dumps
from spotheight.store import Store
from spotheight.workspace.location import check_unchanged, find_source
from spotheight.workspace.reading import buckets, entry, events
from spotheight.workspace.values import Skip

ATTEMPTS = 500
"""Each lost race means that someone else got something done; this many in a row is a fault."""


@dataclass(frozen=True, eq=False)
class KeptCampaign:
    """A campaign in memory that never runs ahead of its file."""

    store: Store
    campaign: Campaign

    def keep(self, plan: Callable[[], list[Event]]) -> list[Event]:
        """Plan on what is known, write, and plan again when someone else was faster."""
        for _ in range(ATTEMPTS):
            planned = plan()
            if not planned:
                return []
            try:
                self.store.append([dumps(e) for e in planned], expected=len(self.campaign.log))
            except ConflictError:
                self.refresh()
                continue
            for event in planned:
                self.campaign.record(event)
            return planned
        raise StoreError(
            f"{str(self.store.path)!r} is being written all the time; try again later."
        )

    def refresh(self) -> None:
        """Take in what others wrote."""
        for event in events(self.store, after=len(self.campaign.log)):
            self.campaign.record(event)

    def ask(self, n: int, annotator: str, until: str | None, at: str) -> tuple[Query, ...]:
        """Choose the next items and keep that they are out."""
        seen = len(self.campaign.log)

        def plan() -> list[Event]:
            asked = self.campaign.plan_ask(n, annotator=annotator, until=until, now=at, seen=seen)
            return [asked] if asked.queries else []

        kept = self.keep(plan)
        return kept[0].queries if kept and isinstance(kept[0], Asked) else ()

    def tell(
        self,
        labels: Mapping[str, Mapping[str, object]],
        levels: Mapping[str, Levels],
        at: str,
        *,
        is_correction: bool,
    ) -> Receipt:
        """Keep labels and true levels by annotator: all or none."""
        receipts: list[Receipt] = []
        campaign = self.campaign

        def plan() -> list[Event]:
            make = campaign.plan_correct if is_correction else campaign.plan_tell
            planned = [make(said, annotator=name, at=at) for name, said in labels.items()]
            receipts[:] = [receipt for _, receipt in planned]
            told = [
                campaign.plan_levels(said, annotator=name, at=at, is_correction=is_correction)
                for name, said in levels.items()
            ]
            return [e for e in (*(event for event, _ in planned), *told) if e is not None]

        kept = self.keep(plan)
        attributed = {
            item for event in kept if isinstance(event, Attributed) for item in event.levels
        }
        return Receipt(
            sum(r.new for r in receipts),
            sum(r.repeated for r in receipts),
            sum(r.corrected for r in receipts),
            len(attributed),
        )

    def skip(self, items: Iterable[str], annotator: str, at: str) -> Skip:
        """Keep that items cannot be labelled."""
        items, ledger = tuple(items), self.campaign.ledger
        before = set(ledger.skipped)
        self.keep(lambda: [self.campaign.plan_skip(items, annotator=annotator, at=at)])
        labelled = tuple(sorted(ledger.told.keys() & set(items)))
        return Skip(len(ledger.skipped - before), len(ledger.skipped), labelled)

    def release(self, items: Iterable[str], annotator: str, at: str) -> int:
        """Free items that are out, all of them when none is named; give back how many."""
        wanted = set(items)

        def plan() -> list[Event]:
            out = self.campaign.ledger.out
            strange = sorted(wanted - set(out))
            if strange:
                raise ItemError(strange[0], f"Item {strange[0]!r} is not out.")
            held = tuple(sorted(i for i in out if annotator in out[i] and i in (wanted or out)))
            return [Released(held, annotator, at)] if held else []

        kept = self.keep(plan)
        return len(kept[0].items) if kept and isinstance(kept[0], Released) else 0


def opened(path: Path) -> tuple[KeptCampaign, PoolFiles]:
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
    return KeptCampaign(store, Campaign(pool, spec, list(events(store)))), source
