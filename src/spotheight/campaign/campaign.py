"""A campaign in memory: every verb plans an event from what is known, then records it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief, SceneBelief, Surface
from spotheight.campaign import streams
from spotheight.campaign.fitting import fitted
from spotheight.campaign.label_check import Telling
from spotheight.campaign.picking import Picker
from spotheight.campaign.spec import Spec
from spotheight.campaign.warm_starts import Starts
from spotheight.errors import InputError
from spotheight.evidence import ItemEvidence
from spotheight.evidence.cache import Book
from spotheight.evidence.gather import Records
from spotheight.evidence.objects import SceneEvidence
from spotheight.guesses import Levels, new_levels
from spotheight.history.events import Asked, Attributed, Corrected, Event, Query, Skipped, Told
from spotheight.history.ledger import Ledger
from spotheight.history.receipt import Receipt
from spotheight.numerics.threads import one_thread
from spotheight.policies import Choice, View
from spotheight.pool import coding
from spotheight.pool import names as c
from spotheight.pool.cells import Cells, Reach
from spotheight.pool.protocol import Pool
from spotheight.questions import Answer, Belief, Calibrated, Estimate, Task, is_about_items
from spotheight.questions.quantities import HitRate
from spotheight.questions.unit import unit_of

MOST_THOUGHTS = 4
"""Beliefs that are kept, for questions that come one after another on the same labels."""


@dataclass(eq=False)
class Campaign:
    """An assessment in progress: a pool, the decisions, and the log, which alone grows.

    Args:
        pool: The items.
        spec: All decisions.
        log: What has happened.
        book: What was counted in the pool before.
    """

    pool: Pool
    spec: Spec = field(default_factory=Spec)
    log: list[Event] = field(default_factory=list)
    book: Book = field(default_factory=Book, repr=False)

    def __post_init__(self) -> None:
        if not self.spec.service:
            self.spec = replace(self.spec, service=self.pool.roles.services[0].name)
        self.pool.roles.service(self.spec.service)
        self._ledger = Ledger.of(self.log)
        self._placed: dict[str, int] = {}
        self._thoughts: list[tuple[object, Belief]] = []
        self._thought_at = -1
        self._starts = Starts()

    def __repr__(self) -> str:
        spec = self.spec
        return (
            f"<Campaign on {type(self.pool).__name__} {self.pool.fingerprint[:12]}: "
            f"{spec.metric} of {spec.service}, {len(self._ledger.told):,} items labelled in "
            f"{len(self.log):,} events>"
        )

    @property
    def ledger(self) -> Ledger:
        """Where the campaign stands."""
        return self._ledger

    # Verbs. Each plans an event from what is known, then records it; a store records in between.

    def ask(
        self, n: int = 1, *, annotator: str = "", until: str | None = None, now: str | None = None
    ) -> tuple[Query, ...]:
        """Choose the next ``n`` items to label, and log that they are out.

        Args:
            n: How many; fewer come back when the pool or the budget ends.
            annotator: Who gets them.
            until: When they are free again if no label has come, as ISO text.
            now: The time, as ISO text; without it nothing that is out has expired.
        """
        asked = self.plan_ask(n, annotator=annotator, until=until, now=now)
        self.record(asked)
        return asked.queries

    def tell(
        self,
        labels: Mapping[str, object],
        *,
        levels: Levels | None = None,
        annotator: str = "",
        at: str = "",
    ) -> Receipt:
        """Take labels in; the same label again changes nothing, another one is refused.

        Args:
            labels: The truth, by item.
            levels: True levels of attributes that are only guessed, by item and attribute.
            annotator: Who says so.
            at: When, as ISO text.
        """
        told, receipt = self.plan_tell(labels, annotator=annotator, at=at)
        attributed = self.plan_levels(levels or {}, annotator=annotator, at=at)
        for event in (told, attributed):
            if event is not None:
                self.record(event)
        return replace(receipt, attributed=len(attributed.levels) if attributed else 0)

    def correct(
        self, labels: Mapping[str, object], *, annotator: str = "", at: str = ""
    ) -> Receipt:
        """Replace labels that this annotator gave before; the log keeps the old ones."""
        corrected, receipt = self.plan_correct(labels, annotator=annotator, at=at)
        if corrected is not None:
            self.record(corrected)
        return receipt

    def skip(self, items: Iterable[str], *, annotator: str = "", at: str = "") -> None:
        """Say that items cannot be labelled; they stay in the pool and are asked no more."""
        self.record(self.plan_skip(items, annotator=annotator, at=at))

    def record(self, event: Event) -> None:
        """Append an event that was planned, or that a store has kept."""
        self.log.append(event)
        self._ledger.add(event)

    # Answers.

    def surface(self, estimand: str = "pool", *, service: str | None = None) -> Surface:
        """The campaign's metric over its arms."""
        surface = self.believe(Estimate(service=service or ""))
        assert isinstance(surface, Surface)
        return surface.of(estimand)

    @one_thread()
    def answer(self, task: Task, estimand: str = "pool") -> Any:
        """The answer to a question, from the labels so far."""
        belief = self.believe(task)
        if not isinstance(belief, (ItemBelief, SceneBelief)):
            belief = belief.of(estimand)
        found = self.completed(task.answer(belief, self.answers))
        if not isinstance(found, Calibrated) or len(found.accuracy) > 1:
            return found
        # What is said of all items comes from the one surface that says it everywhere else.
        surface = self.surface(estimand, service=task.cut.service)
        return found.told_by(surface.overall(found.accuracy.level))

    def completed(self, found: Any) -> Any:
        """An answer with all it rests on; what is no answer of that kind stays as it is."""
        if not isinstance(found, Answer):
            return found
        spec, basis = self.spec, found.basis
        whole = replace(
            basis,
            unit=unit_of(basis.question, spec.metric),
            metric=str(spec.metric),
            service=basis.service or basis.question.cut.service or spec.service,
            labels=len(self._ledger.told),
            used=(spec.estimator, spec.class_estimator, spec.item_estimator),
        )
        return replace(found, basis=whole)  # type: ignore[type-var]

    @property
    def answers(self) -> Generator:
        """The draws that every answer of this moment is read from."""
        return streams.for_answers(self.spec.seed, len(self.log))

    def using(self, **changes: Any) -> "Campaign":
        """The same labels, read with other decisions: ``campaign.using(estimator=Beta())``."""
        return Campaign(self.pool, replace(self.spec, **changes), self.log, self.book)

    @one_thread()
    def believe(self, task: Task, seen: int | None = None) -> Belief:
        """What is believed about a task after the first ``seen`` events; all of them by default."""
        seen = len(self.log) if seen is None else seen
        if self._thought_at != seen:
            self._thoughts.clear()
            self._thought_at = seen
        key = _same_evidence(task)
        for known, belief in self._thoughts:
            if known == key:
                return belief
        ledger = self._ledger if seen == len(self.log) else Ledger.of(self.log[:seen])
        start = self._start(task, ledger)
        belief = fitted(task, self.records(ledger), self.spec, start)
        self._thoughts = [*self._thoughts[1 - MOST_THOUGHTS :], (key, belief)]
        return belief

    def records(self, ledger: Ledger | None = None) -> Records:
        """The evidence of this moment."""
        spec = self.spec
        return Records(
            self.pool,
            ledger or self._ledger,
            spec.metric,
            spec.service,
            spec.calibration,
            self.book,
        )

    def _start(self, task: Task, ledger: Ledger) -> Surface | None:
        """An earlier belief, where the estimator gains by it."""
        by = self.spec.estimator
        if not getattr(by, "is_slow", False):
            return None

        def fit(before: Ledger) -> Surface:
            return by.fit(task.evidence(self.records(before)))  # type: ignore[arg-type]

        return self._starts.of(self.log, len(ledger.told), _same_evidence(task), fit)

    # Planning.

    @one_thread()
    def plan_ask(
        self,
        n: int,
        *,
        annotator: str = "",
        until: str | None = None,
        now: str | None = None,
        seen: int | None = None,
    ) -> Asked:
        """The ask that would come next, not yet recorded."""
        if n < 1:
            raise InputError(f"At least 1 item must be asked for, got {n}.")
        rng = streams.for_asking(self.spec.seed, len(self.log))
        seen = len(self.log) if seen is None else seen
        view = self._view(self._ledger.taken(now), seen)
        wanted = min(n, self._affordable(now))
        choices = self.spec.policy.choose(view, wanted, rng) if wanted else ()
        queries = self._resolve(choices, view, rng)
        return Asked(queries, seen, annotator, until, now or "", n)

    def _view(self, taken: set[str], seen: int) -> View:
        """What a policy gets to see: cells, or items each on its own where the task lists them."""
        task = self.spec.task

        def think() -> Belief:
            return self.believe(task, seen)

        if is_about_items(task):
            places = task.evidence(self.records())
            assert isinstance(places, (ItemEvidence, SceneEvidence))
            free = np.array([item not in taken for item in places.ids], dtype=np.int64)
            return View(places.cells(), free, task, think, taken, places)
        _, cells = self._drawn_from()
        left = cells.count - self._taken_cells(taken, cells)
        return View(cells, left, task, think, taken, find_reach=self._reach)

    def _reach(self) -> Reach | None:
        return self.records().cells(*self.spec.task.cut)[1].reach

    def _drawn_from(self) -> tuple[Pool, Cells]:
        """The cells that a policy chooses from: its task may cut arms of its own."""
        return self.records().strata(*self.spec.task.cut)

    def _affordable(self, now: str | None) -> int:
        """How many labels the budget still allows, counting those that are out."""
        if self.spec.budget is None:
            return int(1e12)
        done = self._ledger.told.keys() | self._ledger.skipped
        out = sum(self._ledger.is_out(item, now) for item in self._ledger.out.keys() - done)
        return max(0, self.spec.budget - len(self._ledger.told) - out)

    def _taken_cells(self, taken: Iterable[str], cells: Cells) -> Any:
        """How many taken items lie in each cell; items are placed once and remembered."""
        fresh = [item for item in taken if item not in self._placed]
        if fresh:
            columns = self.pool.rows(fresh)
            place = coding.place_in_cells(columns, cells)
            only = (self.spec.task.cut.metric or self.spec.metric).only_predicted
            if only is not None:
                place[columns[c.prediction_of(cells.service)] != only] = -1
            self._placed.update(zip(fresh, map(int, place), strict=True))
        place = np.array([self._placed[item] for item in taken], dtype=np.int64)
        return np.bincount(place[place >= 0], minlength=len(cells))

    def _resolve(self, choices: Sequence[Choice], view: View, rng: Generator) -> tuple[Query, ...]:
        """From places to items: inside a cell the pool's order and a uniform rank decide."""
        items = self._items_of(choices, view, rng)
        name, arm = view.cells.partition.name, view.cells.arm
        return tuple(
            Query(item, choice.why, choice.chance, name(int(arm[cell])))
            for (item, cell), choice in zip(items, choices, strict=True)
        )

    def _items_of(
        self, choices: Sequence[Choice], view: View, rng: Generator
    ) -> list[tuple[str, int]]:
        """An item for each choice, and the cell it lies in."""
        if view.places is not None:
            return [(str(view.places.ids[choice.cell]), choice.cell) for choice in choices]
        picker = Picker(*self._drawn_from(), self.records)
        chosen = {choice.cell for choice in choices}
        without = [item for item in view.taken if self._placed[item] in chosen]
        return picker.items(choices, view, without, rng)

    def plan_tell(
        self, labels: Mapping[str, object], *, annotator: str = "", at: str = ""
    ) -> tuple[Told | None, Receipt]:
        """What telling would record; ``None`` when everything was told before."""
        telling = self._telling(annotator)
        read = telling.read(labels)
        fresh = telling.new(read)
        receipt = Receipt(new=len(fresh), repeated=len(read) - len(fresh))
        return (Told(fresh, annotator, at) if fresh else None), receipt

    def plan_levels(
        self, levels: Levels, *, annotator: str = "", at: str = "", is_correction: bool = False
    ) -> Attributed | None:
        """What telling true levels of guessed attributes would record."""
        attributes = self.pool.layout.attributes
        fresh = new_levels(levels, attributes, self._ledger, annotator, is_correction=is_correction)
        self._telling(annotator).require_items(fresh)
        return Attributed(fresh, annotator, at) if fresh else None

    def plan_correct(
        self, labels: Mapping[str, object], *, annotator: str = "", at: str = ""
    ) -> tuple[Corrected | None, Receipt]:
        """What correcting would record."""
        telling = self._telling(annotator)
        read = telling.read(labels)
        changed = telling.corrected(read)
        receipt = Receipt(corrected=len(changed), repeated=len(read) - len(changed))
        return (Corrected(changed, annotator, at) if changed else None), receipt

    def _telling(self, annotator: str) -> Telling:
        return Telling(self.pool, self.spec, self._ledger, annotator)

    def plan_skip(self, items: Iterable[str], *, annotator: str = "", at: str = "") -> Skipped:
        """What skipping would record."""
        items = tuple(items)
        self.pool.rows(items)
        return Skipped(items, annotator, at)


def _same_evidence(task: Task) -> object:
    """What tasks have in common that are answered from one and the same belief."""
    quantity = getattr(task, "of", None)
    if isinstance(task, Estimate) or isinstance(quantity, HitRate):
        return task.cut
    return task
