"""The loop: run what is missing, campaign by campaign, and keep each as soon as it is done."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from bench.cases import Case
from bench.earlier import Earlier, done
from bench.plan import Method, Plan, Study
from bench.store import Row
from bench.summary import Summary
from spotheight import registry as codec
from spotheight.errors import InputError
from spotheight.pool import ColumnPool
from spotheight.simulate import Simulation, simulate

Progress = Callable[[int, int], None]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Runner:
    """Runs a plan and keeps its rows.

    Args:
        plan: What is to be run.
        earlier: What was reached before; it knows where rows are kept.
        data: The folder of tables.
        workers: Processes.
        say: Takes a sentence for the user.
        given_up: Studies that do not work, with what they said; filled on the way.
        pools: The table at hand, by the name of its case; likewise.
    """

    plan: Plan
    earlier: Earlier[Summary]
    data: Path
    workers: int = 2
    say: Say = field(default=lambda text: None, repr=False)
    given_up: dict[Study, Exception] = field(default_factory=dict, repr=False)
    pools: dict[str, ColumnPool] = field(default_factory=dict, repr=False)

    def run(self, is_over: Callable[[], bool], progress: Progress) -> None:
        """Run what is missing until nothing is, or until no more is to be started."""
        total, count = self.plan.size(self._done), 0
        progress(count, total)
        for case, method, seeds in self.plan.missing(self._done, most=self.workers):
            if is_over():
                return
            if Study(case.name, method) in self.given_up:
                continue
            self._attempt(case, method, seeds)
            count += len(seeds)
            progress(count, total)

    @property
    def failures(self) -> list[Study]:
        """Studies that met a bug; one that refuses its case is none."""
        return [s for s, error in self.given_up.items() if not isinstance(error, InputError)]

    def _done(self, study: Study) -> Collection[int]:
        budgets = self.plan.budgets(study.method)
        here = self.earlier.store.done(study, budgets)
        return done(here, self.earlier.summary.seeds(study, budgets))

    def _attempt(self, case: Case, method: Method, seeds: tuple[int, ...]) -> None:
        study = Study(case.name, method)
        try:
            for seed, rows in self._campaigns(case, method, seeds):
                self.earlier.append(study, seed, rows)
        except Exception as error:  # noqa: BLE001 - a bug in one method must not cost the night
            self.given_up[study] = error
            said = f"{type(error).__name__}: {error}"
            self.say(f"{case.name}, {method}, is left out: {said}")

    def _campaigns(
        self, case: Case, method: Method, seeds: tuple[int, ...]
    ) -> Iterator[tuple[int, list[Row]]]:
        """Each seed with its rows, as soon as all of them are there."""
        simulation = Simulation(
            estimators=(codec.parse(method.estimator, codec.ESTIMATORS),),
            policies=(codec.parse(method.policy, codec.POLICIES),),
            budgets=self.plan.budgets(method),
            seeds=seeds,
            holdout=method.holdout or None,
        )
        rows = simulate(self._opened(case), simulation, workers=min(self.workers, len(seeds)))
        for seed, group in groupby(rows, key=lambda row: row["seed"]):
            assert isinstance(seed, int)
            yield seed, list(group)

    def _opened(self, case: Case) -> ColumnPool:
        """The pool of a case, kept until another's turn; what it is gets written down."""
        if case.name not in self.pools:
            self.pools.clear()
            self.pools[case.name] = case.pool(self.data)
            self.earlier.store.describe(case.name, case.facts(self.pools[case.name]))
        return self.pools[case.name]
