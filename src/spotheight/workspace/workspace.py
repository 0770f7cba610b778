"""One file as a living campaign."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType

from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.errors import ConflictError, InputError, ItemError, StoreError
from spotheight.guesses import Levels
from spotheight.history.events import Asked, Attributed, Event, Query, Released
from spotheight.history.receipt import Receipt
from spotheight.pool.layout import Layout
from spotheight.pool.look import FirstLook, first_look
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.pool.roles import Roles
from spotheight.registry import dumps
from spotheight.store import Store, require_free
from spotheight.workspace.known import known_labels, known_levels
from spotheight.workspace.location import (
    Belongings,
    belongings,
    check_unchanged,
    find_source,
    meta_of,
)
from spotheight.workspace.reading import buckets, entry, events
from spotheight.workspace.verifying import Verified, verified

ATTEMPTS = 500
"""Each lost race means that someone else got something done; this many in a row is a fault."""


class Workspace:
    """A campaign that is kept in a file while it runs; several processes may work on it at once."""

    def __init__(self, store: Store, campaign: Campaign, path: Path, source: PoolFiles) -> None:
        """Use ``create`` or ``open``."""
        self.store = store
        self.campaign = campaign
        self.path = path
        self.source = source

    @classmethod
    def create(
        cls, path: Path, source: Path | PoolFiles, roles: Roles, spec: Spec, *, at: str = ""
    ) -> tuple["Workspace", FirstLook]:
        """Start a campaign on a table; labels that the table brings are told without a chance."""
        files = PoolFiles.of(source)
        require_free(path)
        if files.takes(path):
            raise InputError(
                f"{str(path)!r} would be taken for a part of the pool; choose another folder "
                f"with -o."
            )
        pool = open_pool(files, roles)
        look = first_look(pool)
        campaign = Campaign(pool, spec)
        campaign.records().cells()
        labels = known_labels(pool)
        levels = known_levels(pool)
        if labels or levels:
            campaign.tell(labels, levels=levels, annotator="table", at=at)
        log = [dumps(event) for event in campaign.log]
        store = Store.create(path, meta_of(path, files, roles, pool, campaign.spec), log)
        return cls(store, campaign, path, files), look

    @classmethod
    def open(cls, path: Path) -> "Workspace":
        """Go on with a campaign; its pool must be where it was and what it was."""
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
        return cls(store, Campaign(pool, spec, list(events(store))), path, source)

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

        kept = self._keep(plan)
        return kept[0].queries if kept and isinstance(kept[0], Asked) else ()

    def held(self, annotator: str, now: str | None = None) -> tuple[Query, ...]:
        """What an annotator was handed and has not answered, in the order it was asked."""
        out, asked = self.campaign.ledger.out, self.campaign.ledger.asked
        until = {item: by[annotator] for item, by in out.items() if annotator in by}
        held = (i for i, end in until.items() if end is None or now is None or end > now)
        return tuple(asked[item] for item in held)

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

        kept = self._keep(plan)
        return len(kept[0].items) if kept and isinstance(kept[0], Released) else 0

    def _keep(self, plan: Callable[[], list[Event]]) -> list[Event]:
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
        raise StoreError(f"{str(self.path)!r} is being written all the time; try again later.")

    def refresh(self) -> None:
        """Take in what others wrote."""
        for event in events(self.store, after=len(self.campaign.log)):
            self.campaign.record(event)

    # Looking after the file.

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verified:
        """Recompute every ask from the pool, the spec and the log before it."""
        return verified(self.campaign, progress)

    @property
    def belongings(self) -> Belongings:
        """The campaign, what lies beside it, and its pool: nothing is written over these."""
        return belongings(self.path)

    @property
    def meta(self) -> dict[str, str]:
        """What the file says about itself."""
        return self.store.meta()
