"""All campaigns of a simulation, on several cores."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
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
from spotheight.questions import Identify
from spotheight.simulate.plan import Simulation
from spotheight.simulate.replay import Job, Replay, Row
from spotheight.simulate.truth import Truth

Progress = Callable[[int, int], None]

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

    @one_thread()
    def rows(self, number: int, is_stopped: Callable[[], bool]) -> list[Row]:
        """The results of one campaign."""
        return self._replay(self.jobs[number], is_stopped).rows()

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
    total = len(work.jobs)
    alone = workers == 1 or "fork" not in get_all_start_methods()
    results = _one_by_one(work, total) if alone else _in_processes(work, total, workers)
    return _reported(results, total, progress or (lambda done, total: None))


def _reported(results: Iterator[list[Row]], total: int, progress: Progress) -> Iterator[Row]:
    progress(0, total)
    for done, rows in enumerate(results, start=1):
        progress(done, total)
        yield from rows


def _one_by_one(work: Work, total: int) -> Iterator[list[Row]]:
    return (work.rows(number, lambda: False) for number in range(total))


def _in_processes(work: Work, total: int, workers: int) -> Iterator[list[Row]]:
    """Results in order; leaving early, by an error or a key, stops the workers."""
    context = get_context("fork")
    stop = context.Event()
    executor = ProcessPoolExecutor(
        min(workers, total), context, initializer=_inherit, initargs=(work, stop.is_set)
    )
    try:
        futures = [executor.submit(_rows, number) for number in range(total)]
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


def _rows(number: int) -> list[Row]:
    assert _inherited is not None
    work, is_stopped = _inherited
    return work.rows(number, is_stopped)
