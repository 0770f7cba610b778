"""The loop: run what is missing, campaign by campaign, and keep each as soon as it is done."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.earlier import Earlier, done
from bench.files import write_whole
from bench.plan import Method, Study
from bench.run import Progress, Say
from bench.store import Row
from bench.vetting.cases import Case, ListMetric, Material, pool_of
from bench.vetting.data import Pairs
from bench.vetting.facts import ABOUT, Facts
from bench.vetting.flips import AT, flip_rates
from bench.vetting.marks import MARK, current, mark_of
from bench.vetting.plan import BATCH, BINARY, PASSIVE, Plan, budgets
from bench.vetting.summary import Summary
from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.pool import ColumnPool
from spotheight.questions.precision import PrecisionAt
from spotheight.simulate import Simulation, simulate

FLIPS = Method("learned", "expected-change")
"""Whose flip rates are looked at, on made-up noise and precision."""


@dataclass(frozen=True, eq=False)
class Scene:
    """One run's table, its question, and the number of items that the question is about."""

    pairs: Material = field(repr=False)
    pool: ColumnPool = field(repr=False)
    task: ListMetric
    items: int

    @classmethod
    def of(cls, case: Case, pairs: Material, *, is_majority: bool) -> "Scene":
        """A case's pairs, set up."""
        pool, task = pool_of(pairs, is_majority=is_majority), case.task(pairs)
        campaign = Campaign(pool, Spec(task=task))
        return cls(pairs, pool, task, len(task.evidence(campaign.records())))

    @property
    def batch(self) -> int:
        """How many items are vetted at a time."""
        return max(1, round(BATCH * self.items))


@dataclass(frozen=True)
class Runner:
    """Runs a plan and keeps its rows.

    Args:
        plan: What is to be run.
        earlier: What was reached before; it knows where rows are kept.
        data: The folder of tables.
        say: Takes a sentence for the user.
        given_up: Studies that do not work, with what they said; filled on the way.
        scenes: Those of the run at hand; likewise.
    """

    plan: Plan
    earlier: Earlier[Summary]
    data: Path
    say: Say = field(default=lambda text: None, repr=False)
    given_up: dict[Study, Exception] = field(default_factory=dict, repr=False)
    scenes: dict[tuple[str, int, bool], Scene] = field(default_factory=dict, repr=False)

    def run(self, is_over: Callable[[], bool], progress: Progress) -> None:
        """Run what is missing until nothing is, or until no more is to be started."""
        total, count = self.plan.size(self._done), 0
        progress(count, total)
        for case, method, seed in self.plan.missing(self._done):
            if is_over():
                return
            if Study(case.name, method) not in self.given_up:
                self._attempt(case, method, seed)
            count += 1
            progress(count, total)

    @property
    def failures(self) -> list[Study]:
        """Studies that met a bug; one that refuses its case is none."""
        return [s for s, error in self.given_up.items() if not isinstance(error, InputError)]

    def _done(self, study: Study) -> set[int]:
        here = {campaign.seed for campaign in current(self.earlier.store, study)}
        return done(here, self.earlier.summary.seeds(study))

    def _attempt(self, case: Case, method: Method, seed: int) -> None:
        study = Study(case.name, method)
        try:
            rows = self._rows(case, method, seed)
            self.earlier.append(study, seed, [{**row, MARK: mark_of(study)} for row in rows])
        except Exception as error:  # noqa: BLE001 - a bug in one method must not cost the night
            self.given_up[study] = error
            said = f"{type(error).__name__}: {error}"
            self.say(f"{case.name}, {method}, is left out: {said}")

    def _rows(self, case: Case, method: Method, seed: int) -> list[Row]:
        """The rows of one campaign, each with the share vetted that it stands for."""
        scene = self._scene(case, seed, is_majority=method.estimator in BINARY)
        wanted = budgets(method, scene.items)
        simulation = Simulation(
            estimators=(codec.parse(method.estimator, codec.ITEM_ESTIMATORS),),
            policies=(codec.parse(method.policy, codec.POLICIES),),
            budgets=tuple(wanted),
            seeds=(seed,),
            task=scene.task,
            batch=scene.items if method.policy in PASSIVE else scene.batch,
        )
        found = simulate(scene.pool, simulation, workers=1)
        rows: list[Row] = [{**row, "share": wanted[int(str(row["budget"]))]} for row in found]
        pairs, task = scene.pairs, scene.task
        is_asked = method == FLIPS and case.world.varies
        if is_asked and isinstance(pairs, Pairs) and isinstance(task, PrecisionAt):
            flips = flip_rates(pairs, scene.pool, task, seed=seed, batch=scene.batch)
            rows = [{**row, **(flips if row["share"] == AT else {})} for row in rows]
        return rows

    def _scene(self, case: Case, seed: int, *, is_majority: bool) -> Scene:
        """Kept until another run's turn; what the case is gets written down."""
        noise = seed if case.world.varies else 0
        key = (case.name, noise, is_majority and not case.world.varies)
        if key not in self.scenes:
            for other in [k for k in self.scenes if k[:2] != key[:2]]:
                del self.scenes[other]
            pairs = case.world.pairs(self.data, noise)
            self.scenes[key] = Scene.of(case, pairs, is_majority=is_majority)
            self._describe(case, self.scenes[key])
        return self.scenes[key]

    def _describe(self, case: Case, scene: Scene) -> None:
        path = self.earlier.store.folder / case.name / ABOUT
        if not path.exists():
            facts = Facts.of(case, scene.pairs, scene.pool, scene.items)
            write_whole(path, json.dumps(facts.encoded()))
