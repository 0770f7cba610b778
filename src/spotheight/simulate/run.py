"""All campaigns of a simulation, on several cores."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from multiprocessing import get_all_start_methods, get_context, parent_process
from threading import Thread

from numpy.random import default_rng

from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec, require_answers
from spotheight.errors import InputError
from spotheight.evidence.cache import PoolCache
from spotheight.guesses import CalFull, CalRaw
from spotheight.numerics.threads import one_thread
from spotheight.pool import ColumnPool
from spotheight.pool.roles import require_guesses
from spotheight.questions.identify import Identify
from spotheight.simulate.plan import Simulation
from spotheight.simulate.replay import Job, Replay, Row
from spotheight.simulate.truth import Truth

Progress = Callable[[int, int], None]

TOGETHER, SHARING = 20, 200
"""Seeds that are run at once, where they can be, and where they share random numbers; fixed, for
rows may not hang on the number of workers."""

SPLITTING = 2
"""Ends the seed of a stream of its own; those of a campaign end with its log's length, or 1."""


@dataclass(frozen=True, eq=False)
class Work:
    """The campaigns of a simulation, by number.

    Args:
        simulation: What is to be replayed, its service named.
        truth: What the table says of all items.
        cache: What was counted in the pool that all campaigns share.
    """

    simulation: Simulation
    truth: Truth = field(repr=False)
    cache: PoolCache = field(repr=False)

    @classmethod
    def of(cls, pool: ColumnPool, simulation: Simulation) -> "Work":
        """Look at the table once; raise where it cannot be replayed."""
        service = pool.roles.service(simulation.service or None).name
        simulation = replace(simulation, service=service)
        for name in simulation.judged:
            pool.roles.service(name)
        _require_levels(pool, simulation)
        require_answers(pool.roles, simulation.judged, simulation.metric, simulation.task)
        truth = Truth.of(pool, simulation.metric, simulation.judged)
        spec = Spec(metric=simulation.metric, service=service)
        # Looks up the levels that the task asks for, which no worker process could.
        first = Campaign(truth.pool, spec)
        simulation.task.evidence(first.records())
        if isinstance(simulation.task, Identify):
            first.answer(simulation.task)  # raises where there are too few groups
        return cls(simulation, truth, first.cache)

    @cached_property
    def jobs(self) -> list[Job]:
        """The campaigns in the order of their results."""
        plan = self.simulation
        return [
            Job(estimator, policy, seed)
            for estimator in plan.estimators
            for policy in plan.policies
            for seed in plan.seeds
        ]

    @one_thread()
    def try_policies(self) -> None:
        """Raise where a policy cannot serve the task, before others have run in vain."""
        plan = self.simulation
        for policy in plan.policies[1:]:
            self._replay(Job(plan.estimators[0], policy, plan.seeds[0]), lambda: False).ask_once()

    @cached_property
    def lots(self) -> list[list[Job]]:
        """Campaigns that are run together, in the order of their results."""
        seeds = len(self.simulation.seeds)
        methods = [self.jobs[first : first + seeds] for first in range(0, len(self.jobs), seeds)]
        return [lot for method in methods for lot in self._lots_of(method)]

    def _lots_of(self, method: list[Job]) -> Iterator[list[Job]]:
        plan = self.simulation
        size = 1
        # Where items are held out every campaign has a pool of its own.
        if plan.holdout is None and self._replay(method[0], lambda: False).batch() is not None:
            size = TOGETHER if plan.is_exact else SHARING
        return (method[first : first + size] for first in range(0, len(method), size))

    @one_thread()
    def results(self, number: int, is_stopped: Callable[[], bool]) -> list[list[Row]]:
        """The results of each campaign of one lot."""
        replays = [self._replay(job, is_stopped) for job in self.lots[number]]
        batch = replays[0].batch()
        if batch is not None:
            seeds = [one.job.seed for one in replays]
            picked = batch.picked(seeds, self.simulation.is_exact, is_stopped)
            replays = [replace(one, picked=p) for one, p in zip(replays, picked, strict=True)]
        return [one.rows() for one in replays]

    def _replay(self, job: Job, is_stopped: Callable[[], bool]) -> Replay:
        return Replay(self.simulation, job, *self._seen(job.seed), is_stopped)

    def _seen(self, seed: int) -> tuple[Truth, PoolCache]:
        """What a seed's campaigns see: the same for every estimator and policy."""
        share = self.simulation.holdout
        if share is None:
            return self.truth, self.cache.for_other_labels()
        rng = default_rng([seed, 0, SPLITTING])
        return self.truth.holding_out(share, self.simulation.service, rng), PoolCache()


def _require_levels(pool: ColumnPool, simulation: Simulation) -> None:
    """Raise where calibration has nothing to learn from; the default needs nothing."""
    if simulation.calibration in (CalRaw(), CalFull()):
        return
    require_guesses(pool.roles, "Calibration")
    missing = [name for name in pool.roles.guesses if name not in pool.roles.gold]
    if missing:
        raise InputError(
            f"Calibration learns from true levels, and the table says none of {missing[0]!r}; "
            f"name their column with --gold {missing[0]}=COL."
        )


def simulate(
    pool: ColumnPool,
    simulation: Simulation,
    *,
    workers: int = 2,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Replay a table whose labels are all known; a row per (estimator, policy, budget, seed).

    Rows come campaign by campaign, in the order of estimators, policies and seeds, whatever the
    number of workers. A policy that does not look at the belief draws the same items for every
    estimator. Errors are against the pool's accuracy; see ``scores`` for each of them. Fewer
    ``labels`` than the ``budget`` mean that the pool has no more. ``fit_seconds`` is the time of
    one fit at that budget, ``ask_seconds`` the mean time of the policy's asks so far.

    Where beliefs are Betas and a policy asks as published (``Beta`` with random, one draw of
    Thompson or top-two, multiple-play, epsilon-greedy or Bayes-UCB; a batch of 1, or of as many as
    groups are looked for) seeds are run together as arrays, with the same rows.

    Args:
        pool: Items with their labels, or with verdicts where the metric reads these.
        simulation: What is to be replayed.
        workers: Processes; 1 stays in this one, as does a system that cannot fork.
        progress: Called with the campaigns done and all of them, first with none done.
    """
    if workers < 1:
        raise InputError(f"A simulation needs at least 1 worker, got {workers}.")
    work = Work.of(pool, simulation)
    work.try_policies()
    lots = len(work.lots)
    alone = workers == 1 or "fork" not in get_all_start_methods()
    results = _one_by_one(work) if alone else _in_processes(work, min(workers, lots))
    return _reported(results, len(work.jobs), progress or (lambda done, total: None))


def _reported(results: Iterator[list[list[Row]]], total: int, progress: Progress) -> Iterator[Row]:
    progress(0, total)
    for done, rows in enumerate(chain.from_iterable(results), start=1):
        progress(done, total)
        yield from rows


def _one_by_one(work: Work) -> Iterator[list[list[Row]]]:
    return (work.results(number, lambda: False) for number in range(len(work.lots)))


def _in_processes(work: Work, workers: int) -> Iterator[list[list[Row]]]:
    """Results in order; leaving early, by an error or a key, stops the workers."""
    context = get_context("fork")
    stop = context.Event()
    executor = ProcessPoolExecutor(
        workers, context, initializer=_inherit, initargs=(work, stop.is_set)
    )
    try:
        futures = [executor.submit(_results, number) for number in range(len(work.lots))]
        for future in futures:
            yield future.result()
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)


_inherited: tuple[Work, Callable[[], bool]] | None = None
"""Set in a worker process only: a fork hands the pool over as it lies in memory, uncopied."""


def _inherit(work: Work, is_stopped: Callable[[], bool]) -> None:
    global _inherited
    _inherited = (work, is_stopped)
    # The key that stops the parent reaches the workers too; the parent tells them itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """A parent that is killed cannot say so; without this its workers would wait for ever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _results(number: int) -> list[list[Row]]:
    assert _inherited is not None
    work, is_stopped = _inherited
    return work.results(number, is_stopped)
