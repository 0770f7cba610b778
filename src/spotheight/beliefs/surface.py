"""Surface: a belief about a metric at every arm, with everything that can be read off it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng

from spotheight.arms import Partition, slice_words
from spotheight.beliefs.contrasts import Pair
from spotheight.beliefs.population import Population
from spotheight.beliefs.posterior import Posterior
from spotheight.beliefs.protocols import Foresight
from spotheight.beliefs.reading import Estimand, Reading, read_estimand
from spotheight.errors import InputError
from spotheight.evidence import Counts
from spotheight.numerics.portions import portions
from spotheight.numerics.threads import one_thread
from spotheight.pool.cells import Cells
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

Levels = Mapping[str, str | Iterable[str]]
Slice = Levels | Sequence[Levels]
"""The arms with these levels; several mappings mean their union, an empty one all arms."""

DRAWS = 2000
"""The 5% point of 2000 draws lies between the 4.2% and the 5.8% point, nine times in ten."""

KEPT_DRAWS = 20_000_000
"""So many numbers are kept, so that all slices share their draws; larger surfaces draw anew."""

FEWEST_DRAWS = 200
"""Enough for a number that averages over thousands of arms and is close to normal."""

TOO_WIDE = 0.5
"""An interval over half of all possible values says no more than a guess would."""

SURE = 1e-6
"""Expected items are sums of rounded chances; less than this is no item, and no doubt."""

ESTIMATED, COMPLETE, INSUFFICIENT = "estimated", "complete", "insufficient evidence"
INFERRED = "inferred"


@dataclass(frozen=True, eq=False)
class Surface:
    """What we believe a metric is at every arm, for these items or for such inputs at large.

    Args:
        cells: What the pool holds.
        labelled: Labelled items of each arm.
        rate: Belief about the service on such inputs.
        pool: Belief about these items; what was labelled is known.
        estimand: Which of the two is read.
        seed: Of the draws behind slices, so that reading twice gives the same.
        shares: Plain frequencies, where they are the best guess instead of what is expected; NaN
            where nothing was tried.
        counting: Items of each arm that count, as far as is known; all of them by default.
        seen: Hits and trials among the labelled.
        estimator: What it was estimated by, in words of the API.
        is_error: Whether a high number is bad news.
        foresight: What labels to come would tell; none where arms teach nothing about each other.
        warm_start: Numbers of the fit by name, where a later fit of the same model may begin.
    """

    cells: Cells
    labelled: FloatArray = field(repr=False)
    rate: Posterior = field(repr=False)
    pool: Posterior = field(repr=False)
    estimand: Estimand = "pool"
    seed: int = 0
    shares: FloatArray | None = field(default=None, repr=False)
    counting: FloatArray | None = field(default=None, repr=False)
    seen: Counts | None = field(default=None, repr=False)
    estimator: str = ""
    is_error: bool = False
    foresight: Foresight | None = field(default=None, repr=False)
    warm_start: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        by = f", estimated by {self.estimator}" if self.estimator else ""
        return (
            f"<Surface of the {self.estimand}: {self.cells.arms:,} arms, "
            f"{self.labelled.sum():,.0f} of {self.cells.size:,} items labelled{by}\n"
            f" overall {self._overall_words()}>"
        )

    def _overall_words(self) -> str:
        """The overall number; by its mean alone where its interval needs many draws anew."""
        try:
            if self.cells.arms * DRAWS <= KEPT_DRAWS:
                return str(self.overall())
        except InputError as error:  # nothing counts; a representation never fails
            return str(error)
        return f"{np.average(self.mean, weights=self.weight):.3f}"

    @property
    def partition(self) -> Partition:
        """The arms."""
        return self.cells.partition

    @property
    def belief(self) -> Posterior:
        """The belief that is read."""
        return self.pool if self.estimand == "pool" else self.rate

    @property
    def mean(self) -> FloatArray:
        """The best single guess per arm; NaN where there is none."""
        return self.belief.mean if self.shares is None else self.shares

    @cached_property
    def weight(self) -> FloatArray:
        """How much each arm counts in a slice: its items that count, times their mean weight."""
        return self.cells.arm_weight * self._counting_share

    @property
    def _counting_share(self) -> FloatArray:
        """How much of each arm counts."""
        mass = self.cells.mass
        return np.ones(len(mass)) if self.counting is None else self.counting / mass

    def of(self, estimand: str) -> "Surface":
        """The same surface, read for the other estimand."""
        return replace(self, estimand=read_estimand(estimand))

    @one_thread()
    def interval(self, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Central intervals per arm, stretched where they must be to hold a plain frequency."""
        low, high = self.belief.interval(level)
        if self.shares is None:
            return low, high
        # As is usual for Jeffreys: 0 where nothing hit, 1 where nothing missed (Brown et al. 2001).
        return np.fmin(low, self.shares), np.fmax(high, self.shares)

    @one_thread()
    def draw(self, n: int, rng: Generator, where: IntArray | None = None) -> FloatArray:
        """Joint draws, (draws, arms)."""
        return self.belief.draw(n, rng, where)

    def status(self, level: float = 0.9) -> TextArray:
        """Per arm: estimated, inferred from others, complete, or insufficient evidence."""
        low, high = self.interval(level)
        return standing(self, (self.cells.mass, self.labelled), (self.mean, low, high))

    def frame(self, level: float = 0.9) -> pa.Table:
        """A row an arm: its levels, items in the pool, labelled, mean, low, high, status.

        An attribute with one of those names stands as ``attribute:NAME``.
        """
        low, high = self.interval(level)
        codes = self.partition.codes
        numbers: dict[str, object] = {
            "n_pool": self.cells.mass,
            "n_labelled": self.labelled,
            "mean": self.mean,
            "low": low,
            "high": high,
            "status": pa.array(self.status(level)),
        }
        levels: dict[str, object] = {}
        for place, attribute in enumerate(self.partition.attributes):
            name = (
                attribute.name if attribute.name not in numbers else f"attribute:{attribute.name}"
            )
            levels[name] = pa.array(np.array(attribute.levels, dtype=object)[codes[:, place]])
        return pa.table({**levels, **numbers})

    def slice(self, *unions: Levels, level: float = 0.9, **levels: str | Iterable[str]) -> Reading:
        """One number for the arms with these levels; several mappings mean their union.

        ``surface.slice(gender="f")``, ``surface.slice(accent=["german", "english"])``,
        ``surface.slice({"gender": "f"}, {"accent": "german"})``.
        """
        return self.over(self._arms(unions or levels), level=level)

    def _arms(self, chosen: Slice) -> BoolArray:
        """The arms of a slice, refused where there are none."""
        parts = _parts(chosen)
        arms = self.partition.union(parts)
        if not arms.any():
            raise InputError(f"No item of the pool lies in the slice {slice_words(parts)!r}.")
        return arms

    def over(self, arms: BoolArray, level: float = 0.9) -> Reading:
        """One number for a set of arms, weighted by their items that count."""
        weight = self._weight_in(arms)
        sizes = (float(self.cells.mass[arms].sum()), float(self.labelled[arms].sum()))
        return self._reading(weight, level, sizes)

    def _weight_in(self, arms: BoolArray) -> FloatArray:
        """How much each arm counts in a slice, refused where nothing does."""
        if not arms.any():
            raise InputError("No item of the pool lies in this slice.")
        weight = np.where(arms, self.weight, 0.0)
        if not weight.any():
            raise InputError("No item of this slice counts for the metric.")
        return weight

    def overall(self, level: float = 0.9) -> Reading:
        """One number for the whole pool."""
        return self.over(np.ones(self.cells.arms, dtype=bool), level=level)

    def under(self, mix: object, level: float = 0.9) -> Reading:
        """One number for another population's mix of attributes; always the rate, by its nature.

        Args:
            mix: A table or file with the attributes' columns, a row an item, or with a column
                ``share``; or a ``Population`` that was read from one.
            level: Of the interval.
        """
        attributes = self.partition.attributes
        population = mix if isinstance(mix, Population) else Population.read(mix, attributes)
        weight, covered = population.arm_weights(self.partition)
        reading = self.of("rate")._reading(weight * self._counting_share, level)
        return replace(reading, covered=covered)

    def difference(self, first: Slice, second: Slice, *, level: float = 0.9) -> Reading:
        """How much higher the number is in one slice than in another.

        ``surface.difference({"accent": "german"}, {"accent": ["english", "french"]})``
        """
        return self._pair(first, second).difference(level)

    def ratio(self, first: Slice, second: Slice, *, level: float = 0.9) -> Reading:
        """How many times as high the number is in one slice as in another.

        The ends are quantiles of the ratio over joint draws; the high end is infinite where the
        second slice may well be 0. The mean is the ratio of the two slices' means, because the mean
        of ratios hangs on the few draws with the smallest denominator and need not exist.
        """
        return self._pair(first, second).ratio(level)

    def factors(self, first: Slice, second: Slice) -> FloatArray:
        """(arms, 2): how much each arm counts in the number of either slice."""
        weights = [self._weight_in(self._arms(chosen)) for chosen in (first, second)]
        return np.column_stack([weight / weight.sum() for weight in weights])

    def _pair(self, first: Slice, second: Slice) -> Pair:
        factors = self.factors(first, second)
        draws = self._joint(factors)
        exact = np.where(factors > 0, factors * self.mean[:, None], 0.0).sum(axis=0)
        means = np.where(np.isnan(exact), draws.mean(axis=0), exact)
        return Pair(means, draws, self.estimand)

    def _reading(
        self, weight: FloatArray, level: float, sizes: tuple[float, float] | None = None
    ) -> Reading:
        """A weighted mean over arms: its interval from draws, itself without their noise."""
        reading = Reading.of(self.weighted(weight), level, self.estimand, sizes)
        used = weight > 0
        mean = float(weight[used] @ self.mean[used] / weight[used].sum())
        return reading if np.isnan(mean) else replace(reading, mean=mean)

    def weighted(self, weight: FloatArray) -> FloatArray:
        """Draws of the weighted mean over arms."""
        return self.combined(weight / weight.sum())

    def combined(self, factor: FloatArray) -> FloatArray:
        """Draws of a sum over arms, each times its factor: a mean, or a difference of two means.

        All numbers of one surface share their draws while these can be kept; beyond that only what
        goes into one sum does, so a difference has to be asked for as one.
        """
        return self._joint(factor[:, None])[:, 0]

    def _joint(self, factors: FloatArray) -> FloatArray:
        """The same for several sums that share their draws at any size, a column each."""
        used = np.flatnonzero(factors.any(axis=1))
        share = factors[used]
        if self.cells.arms * DRAWS <= KEPT_DRAWS:
            return self._draws[:, used] @ share
        # Whole draws at a time: arms of one draw belong together.
        rng = default_rng(self.seed)
        together = KEPT_DRAWS // max(1, len(used))
        turns = max(FEWEST_DRAWS, min(DRAWS, together))
        sizes = portions(turns, together)
        return np.concatenate([self.draw(size, rng, used) @ share for size in sizes])

    @cached_property
    def _draws(self) -> FloatArray:
        return self.draw(DRAWS, default_rng(self.seed))


def standing(
    surface: Surface,
    sizes: tuple[FloatArray, FloatArray],
    numbers: tuple[FloatArray, FloatArray, FloatArray],
) -> TextArray:
    """How well numbers of a surface are known: by their intervals first, then by their labels.

    An interval that is too wide is insufficient evidence, whatever was labelled. Where it is not,
    but none of its own items is labelled, the number is inferred: others speak for it.

    Args:
        surface: Where they come from.
        sizes: Items of each, and labelled ones.
        numbers: Mean, low and high of each.
    """
    (mass, labelled), (mean, low, high) = sizes, numbers
    is_known, width = ~np.isnan(mean), high - low
    status = np.where(labelled > SURE, ESTIMATED, INFERRED)
    status = np.where(is_known & ~(width > TOO_WIDE), status, INSUFFICIENT)
    # Where attributes are only guessed, labels of items in doubt leave a number open.
    is_all = (labelled >= mass - SURE) & (surface.estimand == "pool") & (width < SURE)
    return np.where(is_all & is_known, COMPLETE, status).astype(object)


def _parts(chosen: Slice) -> list[dict[str, tuple[str, ...]]]:
    """A slice as slices whose union it is, each level in a row."""
    parts = [chosen] if isinstance(chosen, Mapping) else chosen
    return [
        {name: (level,) if isinstance(level, str) else tuple(level) for name, level in part.items()}
        for part in parts
    ]
