"""One campaign, replayed: ask, tell what the table says, read at every budget."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs import Surface
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.evidence.cache import PoolCache
from spotheight.models import Estimator, ItemEstimator
from spotheight.policies import Policy
from spotheight.policies.passive import Random
from spotheight.pool import names as c
from spotheight.questions import is_about_items
from spotheight.registry import describe
from spotheight.simulate.batched import Batch, Picked
from spotheight.simulate.coverage import honesty
from spotheight.simulate.ideal import QUESTIONS, Ideal
from spotheight.simulate.listing import ListTarget
from spotheight.simulate.plan import Simulation
from spotheight.simulate.scores import Score, Target, errors, mean_of
from spotheight.simulate.truth import Truth

Row = dict[str, object]

IDENTIFIED = 0.99
"""The mean reciprocal rank from which on groups count as identified (Ji et al. 2021)."""

SCORING = 3
"""Ends the seed of a stream of its own; those of a campaign end with its log's length, or 1."""


@dataclass(frozen=True)
class Job:
    """What one campaign tries."""

    estimator: Estimator | ItemEstimator
    policy: Policy
    seed: int


@dataclass(frozen=True, eq=False)
class Replay:
    """One campaign of a simulation.

    Args:
        simulation: What is to be replayed, its service named.
        job: The part of it that is this campaign.
        truth: What the table says, with this seed's items held out.
        cache: What was counted in its pool before.
        is_stopped: Whether nobody waits for the result any more.
        picked: The items that it labels, where that is known already.
    """

    simulation: Simulation
    job: Job
    truth: Truth = field(repr=False)
    cache: PoolCache = field(repr=False)
    is_stopped: Callable[[], bool] = field(repr=False)
    picked: Picked | None = field(default=None, repr=False)

    def ask_once(self) -> None:
        """Raise where the policy cannot serve the task."""
        Campaign(self.truth.pool, self._spec(), cache=self.cache).ask(1)

    def rows(self) -> list[Row]:
        """A row for each budget, lowest first."""
        if is_about_items(self.simulation.task):
            return self._list_rows()
        rows: list[Row] = []
        target: Target | None = None
        for budget, campaign, waits in self._readings():
            start = perf_counter()
            surface = campaign.believe(self.simulation.surface_task)
            seconds = perf_counter() - start
            assert isinstance(surface, Surface)
            surface = surface.of(self.simulation.estimand)
            if target is None or self.truth.is_guessed:  # true levels that are told move arms
                target = self._target(surface)
            scores = self._scores(campaign, surface, target)
            times = {"fit_seconds": seconds, "ask_seconds": mean_of(np.array(waits))}
            rows.append(self._named(budget, campaign) | scores | times)
        return _identified(rows)

    def _list_rows(self) -> list[Row]:
        """A row for each budget of a task about ranked lists."""
        task = self.simulation.task
        target = ListTarget(Ideal.of(self.truth, task, self._spec()).campaign.answer(task))
        rows = []
        for budget, campaign, waits in self._readings():
            start = perf_counter()
            answer = campaign.answer(task)
            seconds = perf_counter() - start
            scores = target.scores(answer)
            times = {"fit_seconds": seconds, "ask_seconds": mean_of(np.array(waits))}
            rows.append(self._named(budget, campaign) | scores | times)
        return rows

    def _readings(self) -> Iterator[tuple[int, Campaign, list[float]]]:
        """The campaign at every budget, with the seconds that each ask of its policy took."""
        simulation, spec, pool = self.simulation, self._spec(), self.truth.pool
        if self.picked is not None:
            yield from self._told_at_once(self.picked)
            return
        budgets = sorted(set(simulation.budgets))
        campaign = Campaign(pool, replace(spec, policy=Random()), cache=self.cache)
        for budget in (b for b in budgets if b <= simulation.warm):
            self._label(campaign, budget)
            yield budget, campaign, []
        late, waits = [b for b in budgets if b > simulation.warm], []
        if late:
            self._label(campaign, simulation.warm)
            campaign = Campaign(pool, spec, campaign.log, self.cache)
        for budget in late:
            waits += self._label(campaign, budget)
            yield budget, campaign, waits

    def _told_at_once(self, picked: Picked) -> Iterator[tuple[int, Campaign, list[float]]]:
        """The same, where the items of every budget are known."""
        ids = self.truth.pool.columns[c.ID]
        for budget, rows in picked.items.items():
            campaign = Campaign(self.truth.pool, self._spec(), cache=self.cache)
            campaign.tell({ids[row]: self.truth.label(ids[row]) for row in rows})
            yield budget, campaign, [picked.seconds]

    def batch(self) -> Batch | None:
        """What of this campaign can be run together with those of other seeds, if anything."""
        if is_about_items(self.simulation.task):
            return None
        start = Campaign(self.truth.pool, self._spec(), cache=self.cache)
        return Batch.of(self.simulation, start, self.job.policy, self.truth)

    def _spec(self) -> Spec:
        simulation, job = self.simulation, self.job
        is_list = is_about_items(simulation.task)
        return Spec(
            **({"item_estimator" if is_list else "estimator": job.estimator}),  # type: ignore[arg-type]
            policy=job.policy,
            task=simulation.task,
            metric=simulation.metric,
            service=simulation.service,
            seed=job.seed,
            level=simulation.level,
            calibration=simulation.calibration,
        )

    def _label(self, campaign: Campaign, budget: int) -> list[float]:
        """Ask and tell up to a budget, or to the end of the pool."""
        waits = []
        while (told := len(campaign.ledger.told)) < budget:
            if self.is_stopped():
                raise InterruptedError
            start = perf_counter()
            queries = campaign.ask(min(self.simulation.batch, budget - told))
            waits.append(perf_counter() - start)
            if not queries:
                break
            labels = {query.item: self.truth.label(query.item) for query in queries}
            campaign.tell(labels, levels=self.truth.levels(self._told(labels, told)))
        return waits

    def _told(self, items: Iterable[str], before: int) -> list[str]:
        """Those whose true levels people tell too."""
        told = self.simulation.told
        return list(items) if told is None else list(items)[: max(told - before, 0)]

    def _target(self, surface: Surface) -> Target:
        service, truth = self.simulation.judged[0], self.truth
        counts, missed = truth.counts(surface.cells, service)
        return Target(counts, truth.overall(service), truth.is_held_out, missed)

    def _named(self, budget: int, campaign: Campaign) -> Row:
        return {
            "estimator": describe(self.job.estimator),
            "policy": describe(self.job.policy),
            "budget": budget,
            "seed": self.job.seed,
            "labels": len(campaign.ledger.told),
            "estimand": self.simulation.estimand,
        }

    def _scores(self, campaign: Campaign, surface: Surface, target: Target) -> dict[str, Score]:
        rng = default_rng([self.job.seed, len(campaign.ledger.told), SCORING])
        return (
            errors(surface, target)
            | honesty(surface, target, self.simulation.level, rng)
            | self._task_scores(campaign, rng)
        )

    @cached_property
    def _ideal(self) -> Ideal | None:
        task = self.simulation.task
        return Ideal.of(self.truth, task, self._spec()) if isinstance(task, QUESTIONS) else None

    def _task_scores(self, campaign: Campaign, rng: Generator) -> dict[str, Score]:
        """What only some tasks have."""
        if self._ideal is None:
            return {}
        return self._ideal.scores(campaign, self.simulation.estimand, rng)


def _identified(rows: list[Row]) -> list[Row]:
    """With the number of labels from which on the right groups came first, at every reading."""
    if not any("mrr" in row for row in rows):
        return rows
    at = None
    for row in reversed(rows):
        score = row["mrr"]
        if not isinstance(score, float) or score < IDENTIFIED:
            break
        at = row["labels"]
    return [row | {"identified_at": at} for row in rows]
