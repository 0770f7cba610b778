"""What a fully labelled table says: every item's label, and the accuracy of every arm."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from spotheight.arms import Attribute, Partition, Recipe, row_keys
from spotheight.errors import InputError
from spotheight.evidence import Counts
from spotheight.guesses import read_level
from spotheight.history.events import Label
from spotheight.history.labels import read_label
from spotheight.metrics import Metric
from spotheight.pool import Cells, ColumnPool, coding
from spotheight.pool import names as c
from spotheight.pool.chances import ArmChances
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

Said = NDArray[Any]
"""What the table says of each item: a class, a number, or a verdict on one service's answer."""

ALL = ""
"""The key of labels that serve all services."""


@dataclass(frozen=True, eq=False)
class ReplayPool(ColumnPool):
    """A pool that remembers the levels it once looked up.

    Looking them up opens an engine, which a forked process must not do.
    """

    resolved: dict[tuple[str, str], Attribute] = field(default_factory=dict, repr=False)

    def resolve(self, recipe: Recipe, service: str) -> Attribute:
        key = (str(recipe), service)
        if key not in self.resolved:
            self.resolved[key] = super().resolve(recipe, service)
        return self.resolved[key]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Per item: how much it counts for the metric, and how much of a hit it is."""

    counted: FloatArray
    hit: FloatArray


@dataclass(frozen=True, eq=False)
class Truth:
    """A campaign's pool, what people would say of its items, and what is true of the arms.

    Args:
        pool: The items that a campaign may ask for.
        source: These and the items that are held out.
        rows: The rows of ``source`` that give the truth.
        said: What the table says of each row of ``source``, by service or for all.
        hits: What the metric makes of it, by service.
    """

    pool: ReplayPool
    source: ReplayPool = field(repr=False)
    rows: IntArray = field(repr=False)
    said: Mapping[str, Said] = field(repr=False)
    hits: Mapping[str, Hits] = field(repr=False)

    @classmethod
    def of(cls, pool: ColumnPool, metric: Metric, services: Sequence[str]) -> "Truth":
        """The truth about all items; raise where the table does not say it."""
        source = ReplayPool(
            pool.roles, pool.layout, pool.fingerprint, pool.columns, scenes=pool.scenes
        )
        said = _said(source, metric, services)
        hits = {name: _hits(source, metric, name, said[_key(said, name)]) for name in services}
        return cls(source, source, np.arange(len(source)), said, hits)

    def holding_out(self, share: float, service: str, rng: Generator) -> "Truth":
        """The truth of a random ``share`` of every arm's items; a campaign gets to see the rest."""
        is_held = _held_out(self.source, share, service, rng)
        if is_held.all() or not is_held.any():
            raise InputError(
                f"A holdout of {share:g} leaves {len(is_held)} items all on one side; "
                f"choose another, or a larger table."
            )
        seen = {name: values[~is_held] for name, values in self.source.columns.items()}
        pool = replace(self.source, columns=seen)
        return replace(self, pool=pool, rows=np.flatnonzero(is_held))

    @property
    def is_held_out(self) -> bool:
        """Whether the truth comes from items that no campaign sees."""
        return self.pool is not self.source

    @property
    def seen(self) -> IntArray:
        """The rows of ``source`` that a campaign may ask for."""
        every = np.arange(len(self.source))
        return np.setdiff1d(every, self.rows) if self.is_held_out else every

    @property
    def judges(self) -> ReplayPool:
        """The items that give the truth, as a pool."""
        if not self.is_held_out:
            return self.source
        held = {name: values[self.rows] for name, values in self.source.columns.items()}
        return replace(self.source, columns=held)

    @cached_property
    def _row(self) -> dict[str, int]:
        return {item: row for row, item in enumerate(self.source.columns[c.ID])}

    def label(self, item: str) -> Label:
        """What a person would say of an item."""
        row = self._row[item]
        if ALL in self.said:
            return self.said[ALL][row]
        return {name: float(v[row]) for name, v in self.said.items() if not np.isnan(v[row])}

    def levels(self, items: Iterable[str]) -> dict[str, dict[str, str]]:
        """What a person would say of the attributes that are only guessed."""
        return {
            item: {name: str(values[self._row[item]]) for name, values in self._gold.items()}
            for item in items
            if self._gold
        }

    @cached_property
    def _gold(self) -> dict[str, TextArray]:
        """The true level of every item, by guessed attribute."""
        guessed = {a.name: a for a in self.source.layout.attributes if a.is_guessed}
        gold = {}
        for name in self.source.roles.gold:
            column = self.source.columns[c.gold_of(name)]
            told = _require(self.source, column, f"the true level of {name!r}", "--gold")
            levels = {value: read_level(value, guessed[name]) for value in set(told)}
            gold[name] = np.array([levels[value] for value in told], dtype=object)
        return gold

    @cached_property
    def _true_codes(self) -> dict[str, IntArray]:
        """The number of every item's true level, by guessed attribute."""
        guessed = {a.name: a for a in self.source.layout.attributes if a.is_guessed}
        found = {}
        for name, gold in self._gold.items():
            code = {level: number for number, level in enumerate(guessed[name].levels)}
            found[name] = np.array([code[level] for level in gold], dtype=np.int64)
        return found

    @property
    def is_guessed(self) -> bool:
        """Whether true levels of guessed attributes are known."""
        return bool(self.source.roles.gold)

    def counts(self, cells: Cells, service: str) -> tuple[Counts, Counts]:
        """True hits and items of each arm that the cells have, and of true arms they lack."""
        columns = {name: values[self.rows] for name, values in self.source.columns.items()}
        attributes = cells.partition.attributes
        known = {
            a.name: self._true_codes[a.name][self.rows] for a in attributes if a.name in self._gold
        }
        spread = ArmChances().spread(columns, attributes, service, known)
        hits, row = self.hits[service], self.rows[spread.row]
        weight, hit = spread.weight * hits.counted[row], hits.hit[row]
        arm = cells.partition.find(spread.codes)
        has, lost = np.flatnonzero(arm >= 0), np.flatnonzero(arm < 0)
        others = Partition.of(attributes, spread.codes[lost])
        return (
            Counts.of(arm[has], weight[has], hit[has], cells.arms),
            Counts.of(others.find(spread.codes[lost]), weight[lost], hit[lost], len(others)),
        )

    def overall(self, service: str) -> float:
        """One number over the items that give the truth, by their weights."""
        hits = self.hits[service]
        weight = (self.source.columns[c.WEIGHT] * hits.counted)[self.rows]
        return float(weight @ hits.hit[self.rows] / weight.sum()) if weight.any() else float("nan")


def _key(said: Mapping[str, Said], service: str) -> str:
    return ALL if ALL in said else service


def _said(pool: ColumnPool, metric: Metric, services: Sequence[str]) -> dict[str, Said]:
    if metric.reads == "verdict":
        names = [service.name for service in pool.roles.services]
        columns = {name: pool.columns.get(c.verdict_of(name)) for name in names}
        for name in services:
            _require(pool, columns[name], f"a verdict on {name!r}", f"--verdict {name}=COL")
        return {name: column for name, column in columns.items() if column is not None}
    column = pool.columns.get(c.LABEL)
    labels = _require(pool, column, "a label", "--label COL")
    kind = float if metric.reads == "number" else object
    return {ALL: np.array([read_label(v, metric.reads, pool.roles) for v in labels], dtype=kind)}


def _require(pool: ColumnPool, column: Said | None, what: str, option: str) -> Said:
    """The column, with a value for every item."""
    if column is None:
        raise InputError(f"A replay needs {what} for every item; name the column ({option}).")
    missing = np.array([value is None or value != value for value in column])
    if missing.any():
        item = pool.columns[c.ID][np.argmax(missing)]
        raise InputError(
            f"A replay needs {what} for every item, and {missing.sum()} of {len(missing)} "
            f"have none, {item!r} first; leave them out of the table."
        )
    return column


def _hits(pool: ColumnPool, metric: Metric, service: str, said: Said) -> Hits:
    nothing = np.full(len(pool), None, dtype=object)
    answers = pool.columns.get(c.prediction_of(service), nothing)
    only = metric.only_predicted
    counted = metric.counts(answers, said) & (True if only is None else answers == only)
    if not counted.any():
        raise InputError(f"No item of this table counts for the {metric} of {service!r}.")
    return Hits(counted.astype(float), metric.hit(answers, said))


def _held_out(pool: ColumnPool, share: float, service: str, rng: Generator) -> BoolArray:
    """A random part of every arm; where the share is no whole number, chance rounds it."""
    codes = coding.level_codes(pool.columns, pool.layout.attributes, service)
    _, arm, size = np.unique(row_keys(codes), return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(arm))
    by_arm = shuffled[np.argsort(arm[shuffled], kind="stable")]
    turn = np.arange(len(arm)) - (np.cumsum(size) - size)[arm[by_arm]]
    quota = np.floor(share * size + rng.random(len(size)))
    is_held = np.zeros(len(arm), dtype=bool)
    is_held[by_arm] = turn < quota[arm[by_arm]]
    return is_held
