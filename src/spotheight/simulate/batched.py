"""Batched replay: campaigns whose beliefs are Betas, many at once, with the items of the loop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.random import default_rng

from spotheight.beliefs import BetaRate, Surface
from spotheight.campaign import Campaign
from spotheight.models.beta import Beta
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Random
from spotheight.policies.thompson import Thompson, TopTwo
from spotheight.pool import coding
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.questions.quantities import HitRate
from spotheight.simulate.many import EstimateRate, FindRate, Luck, Runs, World, run_many
from spotheight.simulate.many.items import ItemRuns, Shelf
from spotheight.simulate.many.pick import CountPolicy
from spotheight.simulate.many.world import RunState
from spotheight.simulate.plan import Simulation
from spotheight.simulate.truth import Truth
from spotheight.types import FloatArray, IntArray

SHARED = 5
"""Ends the seed of numbers that several campaigns share; those of a campaign end with others."""

Items = Mapping[int, Sequence[int]]
"""By budget: the rows of the items that are labelled by then."""


@dataclass(frozen=True)
class Picked:
    """The items of one campaign, and the seconds that an ask of its policy took."""

    items: Items
    seconds: float


@dataclass(frozen=True, eq=False)
class Batch:
    """Campaigns of one policy over one pool that differ in their luck alone.

    Args:
        shelf: The pool.
        prior: Pseudo-counts before any label, (groups, 2).
        goal: What runs are after.
        policy: Of all of them.
        budgets: When they are read, ascending.
    """

    shelf: Shelf = field(repr=False)
    prior: FloatArray = field(repr=False)
    goal: EstimateRate | FindRate
    policy: CountPolicy
    budgets: Sequence[int]

    @classmethod
    def of(
        cls, simulation: Simulation, campaign: Campaign, policy: object, truth: Truth
    ) -> "Batch | None":
        """What there is to run at once; ``None`` where campaigns must be replayed one by one.

        Args:
            simulation: What is to be replayed.
            campaign: One without a label.
            policy: To be tried.
            truth: What the table says.
        """
        task, by = simulation.task, campaign.spec.estimator
        is_plain = isinstance(task, Estimate) or (
            isinstance(task, Identify) and isinstance(task.of, HitRate)
        )
        if not is_plain or not isinstance(by, Beta) or by.prior == "overall":
            return None
        hits = truth.hits[simulation.service]
        is_coin = bool(hits.counted.all() and np.isin(hits.hit, (0, 1)).all())
        if tuple(task.cut) != (None, None, None) or truth.is_guessed or not is_coin:
            return None
        surface = campaign.surface("rate")
        batch = cls._over(campaign, surface, simulation, policy, truth)
        return batch if batch is not None and batch._fits(simulation) else None

    @classmethod
    def _over(
        cls,
        campaign: Campaign,
        surface: Surface,
        simulation: Simulation,
        policy: object,
        truth: Truth,
    ) -> "Batch | None":
        rate, cells = surface.belief, campaign.records().strata().cells
        is_same = cells.arms == surface.cells.arms
        if not (is_same and isinstance(rate, BetaRate) and isinstance(policy, CountPolicy)):
            return None
        place = coding.place_in_cells(truth.pool.columns, cells)
        hit = truth.hits[simulation.service].hit[truth.seen] > 0
        shelf, prior = Shelf.of(cells, place, hit), np.column_stack([rate.hits, rate.misses])
        budgets = sorted(set(simulation.budgets))
        return cls(shelf, prior, _goal(simulation, surface), policy, budgets)

    def _fits(self, simulation: Simulation) -> bool:
        """Whether a step of the runs is an ask of a campaign, up to the last budget."""
        policy, plays = self.policy, self.goal.plays
        is_single = isinstance(policy, (Thompson, TopTwo))
        is_published = not isinstance(policy, (Thompson, TopTwo)) or policy.draws == 1
        is_served = plays == 1 if is_single or isinstance(policy, EpsilonGreedy) else True
        together = 1 if isinstance(policy, Random) else plays
        is_in_step = simulation.batch == together and not simulation.warm
        is_even = all(budget % together == 0 for budget in self.budgets)
        # While this many groups have items left no run meets the end of the pool.
        largest = np.sort(self.shelf.sizes)[::-1][: max(plays, 2) - 1].sum()
        is_early = self.budgets[-1] < self.shelf.sizes.sum() - largest
        is_rate = isinstance(self.goal, FindRate) or not isinstance(policy, BayesUCB)
        return bool(is_published and is_served and is_in_step and is_even and is_early and is_rate)

    def picked(
        self, seeds: Sequence[int], is_exact: bool, is_stopped: Callable[[], bool]
    ) -> list[Picked]:
        """The items of a campaign for each seed."""

        def look(_: object) -> None:
            if is_stopped():
                raise InterruptedError

        start = perf_counter()
        items = self._as_the_loop(seeds, look) if is_exact else self._by_law(seeds, look)
        asks = len(seeds) * self.budgets[-1] / self.goal.plays
        return [Picked(one, (perf_counter() - start) / asks) for one in items]

    def _as_the_loop(self, seeds: Sequence[int], look: Callable[[object], None]) -> list[Items]:
        """With the random numbers of each seed's campaign."""
        runs = ItemRuns.begin(self.shelf, self.prior, len(seeds))
        luck = Luck.of_campaigns(seeds)
        run_many(runs, self.goal, self.policy, luck=luck, until=self.budgets[-1], watch=[look])
        return [{budget: order[:budget] for budget in self.budgets} for order in runs.order]

    def _by_law(self, seeds: Sequence[int], look: Callable[[object], None]) -> list[Items]:
        """With numbers that all share: the same law of counts, on which alone a Beta rests."""
        found: list[dict[int, list[int]]] = [{} for _ in seeds]

        def read(runs: RunState) -> None:
            for budget in set(self.budgets) & set(runs.labels.tolist()):
                for run in np.flatnonzero(runs.labels == budget):
                    counts = np.rint(runs.alpha[run] - self.prior).astype(int)
                    found[run][budget] = self._first(counts)

        runs = Runs.begin(World(self.shelf.items, self.prior), len(seeds))
        luck, end = Luck.of(default_rng([*seeds, SHARED])), self.budgets[-1]
        run_many(runs, self.goal, self.policy, luck=luck, until=end, watch=[look, read])
        return list(found)

    def _first(self, counts: IntArray) -> list[int]:
        """So many hits and misses of each group, whichever come first."""
        shelf, rows = self.shelf, list[int]()
        for group, wanted in enumerate(counts):
            start, end = shelf.first[shelf.cells[group]], shelf.first[shelf.cells[group + 1]]
            for outcome, number in enumerate(wanted):
                places = start + np.flatnonzero(shelf.outcome[start:end] == outcome)[:number]
                rows += shelf.row[places].tolist()
        return rows


def _goal(simulation: Simulation, surface: Surface) -> EstimateRate | FindRate:
    task = simulation.task
    if isinstance(task, Identify):
        return FindRate(task.plays, is_best=task.of.is_bad_high(surface) != bool(task.best))
    return EstimateRate(surface.cells.mass / surface.cells.mass.sum())
