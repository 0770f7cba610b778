"""A pool at one moment of a campaign: its strata, and where items belong by what was told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from spotheight.arms import Attribute, Recipe
from spotheight.evidence import Cut
from spotheight.evidence.cache import PoolCache
from spotheight.guesses import Calibrator, CalRaw, Gold, told_codes
from spotheight.history.ledger import Ledger
from spotheight.metrics import Metric
from spotheight.numerics.regression.design import Sparse
from spotheight.pool.cells import Cells
from spotheight.pool.chances import ArmChances
from spotheight.pool.placement import CertainPlacement, GuessedPlacement, Placement, ToldLevels
from spotheight.pool.protocol import Pool
from spotheight.pool.strata import Strata

SAMPLE = 2000
"""Items of the pool that calibration looks at."""

CAMPAIGN = Cut()
"""What the campaign has set."""


@dataclass(frozen=True, eq=False)
class Moment:
    """Where items are drawn from and where they belong, by the labels and levels told so far.

    Args:
        calibration: What is made of attributes that are only guessed.
        cache: What was counted before, to be shared between moments.
    """

    pool: Pool
    ledger: Ledger
    metric: Metric
    service: str
    calibration: Calibrator = field(default_factory=CalRaw)
    cache: PoolCache = field(default_factory=PoolCache, repr=False)

    def cells(self, cut: Cut = CAMPAIGN) -> Cells:
        """What statistics see of a metric's population, counted over a partition."""
        strata = self.strata(cut)
        return self.placement(strata.cells.partition.attributes).cells(strata)

    def strata(self, cut: Cut = CAMPAIGN) -> Strata:
        """What items of it are drawn from: nothing is asked of where guessed ones belong."""
        service, only = cut.service or self.service, (cut.metric or self.metric).only_predicted
        recipes = None if cut.partition is None else tuple(cut.partition)
        key = (recipes, only, service)
        if key not in self.cache.strata:
            pool = self.pool if only is None else self.pool.only(service, only)
            attributes = self._attributes(recipes, service)
            self.cache.strata[key] = Strata(pool, pool.cells(attributes, service), only)
        return self.cache.strata[key]

    def placement(self, attributes: Sequence[Attribute]) -> Placement:
        """Where items belong, by the true levels told so far."""
        return self._guessed if any(a.is_guessed for a in attributes) else CertainPlacement()

    def arms(self, cut: Cut) -> int:
        """How many arms a cut makes."""
        strata = self.strata(cut)
        return self.placement(strata.cells.partition.attributes).arms(strata)

    def landing(self, strata: Strata) -> Callable[[Cells], Sparse | None]:
        """From what a belief is about to where an item of each stratum probably counts in it."""
        attributes = strata.cells.partition.attributes
        return lambda cells: self.placement(attributes).landing(strata, cells)

    @cached_property
    def _guessed(self) -> GuessedPlacement:
        key = (self.calibration, self.ledger.attributions)
        found = self.cache.placed.get(key)
        if found is None:
            found = GuessedPlacement(self._chances(), self._told())
            self.cache.placed.clear()
            self.cache.placed[key] = found
        return found

    def _told(self) -> ToldLevels | None:
        guessed, items = self._guessed_attributes, list(self.ledger.gold)
        if not items:
            return None
        names = tuple(attribute.name for attribute in guessed)
        return ToldLevels(self.pool.rows(items), names, told_codes(items, guessed, self.ledger))

    def _chances(self) -> ArmChances:
        gold = self.gold
        if gold is None:
            return self.cache.chances.setdefault(None, ArmChances())
        key = (self.calibration, tuple(self.ledger.gold)[: len(gold)], gold.codes.tobytes())
        found = self.cache.chances.get(key)
        if found is None:
            self.cache.forget_guesses()
            joint = self.calibration.fit(gold, self.pool.sample(SAMPLE))
            found = self.cache.chances[key] = ArmChances(gold.attributes, joint)
        return found

    @property
    def _guessed_attributes(self) -> tuple[Attribute, ...]:
        return tuple(a for a in self.pool.layout.attributes if a.is_guessed)

    @cached_property
    def gold(self) -> Gold | None:
        """The items with told levels that calibration learns from, if they are enough."""
        used = self.calibration.uses(len(self.ledger.gold))
        return self.told_levels(used) if used else None

    def told_levels(self, most: int | None = None) -> Gold | None:
        """The items whose true levels were told first, beside what models say of them."""
        guessed, items = self._guessed_attributes, list(self.ledger.gold)[:most]
        if not guessed or not items:
            return None
        return Gold.of(self.pool.rows(items), guessed, told_codes(items, guessed, self.ledger))

    def _attributes(
        self, partition: Sequence[Recipe] | None, service: str
    ) -> tuple[Attribute, ...]:
        if partition is None:
            return self.pool.layout.attributes
        named = zip(self.pool.roles.attributes, self.pool.layout.attributes, strict=True)
        known = {str(recipe): attribute for recipe, attribute in named}
        return tuple(known.get(str(r)) or self.pool.resolve(r, service) for r in partition)
