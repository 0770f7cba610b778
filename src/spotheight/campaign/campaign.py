"""Campaign in memory: every verb plans an event from what is known, then records it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.random import Generator

from spotheight.beliefs import ItemBelief, SceneBelief, Surface
from spotheight.campaign import streams
from spotheight.campaign.fitting import fitted
from spotheight.campaign.label_check import LabelCheck
from spotheight.campaign.planning import AskPlanner
from spotheight.campaign.spec import Spec
from spotheight.campaign.warm_starts import WarmStarts
from spotheight.errors import InputError
from spotheight.evidence.cache import PoolCache
from spotheight.evidence.gather import EvidenceBuilder
from spotheight.guesses import Levels
from spotheight.history.events import Asked, Attributed, Corrected, Event, Query, Skipped, Told
from spotheight.history.ledger import Ledger
from spotheight.history.receipt import Receipt
from spotheight.numerics.threads import one_thread
from spotheight.pool.protocol import Pool
from spotheight.questions import Answer, Belief, Task
from spotheight.questions.calibration import Calibrated
from spotheight.questions.estimate import Estimate
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
        cache: What was counted in the pool before.
    """

    pool: Pool
    spec: Spec = field(default_factory=Spec)
    log: list[Event] = field(default_factory=list)
    cache: PoolCache = field(default_factory=PoolCache, repr=False)

    def __post_init__(self) -> None:
        if not self.spec.service:
            self.spec = replace(self.spec, service=self.pool.roles.services[0].name)
        self.pool.roles.service(self.spec.service)
        self._ledger = Ledger.of(self.log)
        self._placed: dict[str, int] = {}
        self._thoughts: list[tuple[object, Belief]] = []
        self._thought_at = -1
        self._starts = WarmStarts()

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
        return Campaign(self.pool, replace(self.spec, **changes), self.log, self.cache)

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

        def earlier() -> Belief | None:
            return self._starts.of(self.log, len(ledger.told), key, fit)

        def fit(before: Ledger) -> Belief:
            return fitted(task, self.records(before), self.spec)

        belief = fitted(task, self.records(ledger), self.spec, earlier)
        self._thoughts = [*self._thoughts[1 - MOST_THOUGHTS :], (key, belief)]
        return belief

    def records(self, ledger: Ledger | None = None) -> EvidenceBuilder:
        """The evidence of this moment."""
        spec = self.spec
        return EvidenceBuilder(
            self.pool,
            ledger or self._ledger,
            spec.metric,
            spec.service,
            spec.calibration,
            self.cache,
        )

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
        queries = self._planner.queries(n, now, lambda: self.believe(self.spec.task, seen), rng)
        return Asked(queries, seen, annotator, until, now or "", n)

    @property
    def _planner(self) -> AskPlanner:
        return AskPlanner(self.pool, self.spec, self._ledger, self.records, self._placed)

    def plan_tell(
        self, labels: Mapping[str, object], *, annotator: str = "", at: str = ""
    ) -> tuple[Told | None, Receipt]:
        """What telling would record; ``None`` when everything was told before."""
        return self._check(annotator).told(labels, at)

    def plan_levels(
        self, levels: Levels, *, annotator: str = "", at: str = "", is_correction: bool = False
    ) -> Attributed | None:
        """What telling true levels of guessed attributes would record."""
        return self._check(annotator).attributed(levels, at, is_correction=is_correction)

    def plan_correct(
        self, labels: Mapping[str, object], *, annotator: str = "", at: str = ""
    ) -> tuple[Corrected | None, Receipt]:
        """What correcting would record."""
        return self._check(annotator).corrected(labels, at)

    def _check(self, annotator: str) -> LabelCheck:
        return LabelCheck(self.pool, self.spec, self._ledger, annotator)

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
