"""Means and standard errors over seeds: what is kept in git."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from bench.facts import Facts
from bench.files import short, write_lines
from bench.moments import Moments, joined_by_name
from bench.plan import Method, Study
from bench.store import Row, Store

MEASURES = {
    "macro": "macro_mse",
    "micro": "micro_mse",
    "worst50": "worst50_mse",
    "infrequent50": "infrequent50_mse",
    "coverage90": "coverage90",
    "width90": "width90",
    "overall_error": "overall_error",
    "overall90": "coverage_overall90",
    "fit_seconds": "fit_seconds",
    "ask_seconds": "ask_seconds",
}
"""What a measure is called here, and in the rows of a simulation."""


@dataclass(frozen=True)
class Average:
    """A mean over seeds; its standard error is unknown after a single one."""

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Average":
        """Of at least one value."""
        error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
        return cls(short(mean(values)), None if error is None else short(error))

    def joined(self, count: int, other: "Average", others: int) -> "Average":
        """Over the seeds of both, ``count`` here and ``others`` there."""
        both = self._moments(count) + other._moments(others)
        assert both.deviation is not None
        return Average(short(both.mean), short(both.deviation / both.count**0.5))

    def _moments(self, count: int) -> Moments:
        return Moments(count, self.mean, None if self.error is None else self.error * count**0.5)


@dataclass(frozen=True)
class Entry:
    """What a study came to with so many labels.

    Args:
        seeds: How many there are.
        averages: Over them, by measure.
        first: The lowest of them.
    """

    seeds: int
    averages: Mapping[str, Average]
    first: int = 0

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Entry":
        """Of the rows of all seeds at one budget; a measure that none of them has is left out."""
        values = {
            name: [float(row[column]) for row in rows if row.get(column) is not None]
            for name, column in MEASURES.items()
        }
        averages = {name: Average.of(some) for name, some in values.items() if some}
        return cls(len(rows), averages, min(row.get("seed", 0) for row in rows))

    def joined(self, later: "Entry") -> "Entry":
        """With later seeds."""
        averages = joined_by_name(self.averages, self.seeds, later.averages, later.seeds)
        return Entry(self.seeds + later.seeds, averages, self.first)


Key = tuple[Study, int]
"""A study and a budget."""


@dataclass(frozen=True)
class Summary:
    """All cases and all entries."""

    cases: Mapping[str, Facts] = field(default_factory=dict)
    entries: Mapping[Key, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store) -> "Summary":
        """What the raw rows say."""
        entries: dict[Key, Entry] = {}
        for study in store.studies():
            by_budget = defaultdict(list)
            for campaign in store.campaigns(study):
                for row in campaign.rows:
                    by_budget[row["budget"]].append(row)
            entries |= {(study, budget): Entry.of(rows) for budget, rows in by_budget.items()}
        return cls(store.facts(), entries)

    def on_top_of(self, earlier: "Summary") -> "Summary":
        """The same, joined with what an earlier one had before, where no seed was run again."""
        entries = {
            key: before.joined(entry)
            if (before := earlier.entries.get(key)) and before.seeds <= entry.first
            else entry
            for key, entry in self.entries.items()
        }
        return Summary(self.cases, entries)

    def studies(self) -> set[Study]:
        """All that have an entry."""
        return {study for study, _ in self.entries}

    def without(self, studies: Collection[Study]) -> "Summary":
        """Without some of them."""
        kept = {key: entry for key, entry in self.entries.items() if key[0] not in studies}
        return Summary(self.cases, kept)

    def seeds(self, study: Study, budgets: Sequence[int]) -> int:
        """How many seeds a study has at each of these budgets."""
        entries = [self.entries.get((study, budget)) for budget in budgets]
        return min((entry.seeds if entry else 0 for entry in entries), default=0)

    def updated(self, newer: "Summary", order: Iterable[str] = ()) -> "Summary":
        """With what is newer in the place of what is older; cases in the given order, then others.

        What the newer one does not have stays.
        """
        cases = {**self.cases, **newer.cases}
        ranked = dict.fromkeys([*(name for name in order if name in cases), *cases])
        entries = {**self.entries, **newer.entries}
        place = {name: rank for rank, name in enumerate(ranked)}
        known = [key for key in entries if key[0].case in place]
        known.sort(key=lambda key: (place[key[0].case], key))
        return Summary({name: cases[name] for name in ranked}, {key: entries[key] for key in known})

    @classmethod
    def read(cls, path: Path) -> "Summary":
        """From a file that ``write`` wrote; empty where there is none yet."""
        if not path.exists():
            return cls()
        data = json.loads(path.read_text(encoding="utf-8"))
        cases = {name: Facts.decoded(facts) for name, facts in data["cases"].items()}
        return cls(cases, dict(_decoded(entry) for entry in data["entries"]))

    def write(self, path: Path) -> None:
        """As JSON."""
        cases = {name: facts.encoded() for name, facts in self.cases.items()}
        write_lines(path, cases, [_encoded(*pair) for pair in self.entries.items()])


def _encoded(key: Key, entry: Entry) -> dict[str, Any]:
    (study, budget), method = key, key[0].method
    return {
        "case": study.case,
        "estimator": method.estimator,
        "policy": method.policy,
        "holdout": method.holdout,
        "budget": budget,
        "seeds": entry.seeds,
        **{name: [one.mean, one.error] for name, one in entry.averages.items()},
    }


def _decoded(data: Mapping[str, Any]) -> tuple[Key, Entry]:
    method = Method(data["estimator"], data["policy"], data["holdout"])
    averages = {name: Average(*data[name]) for name in MEASURES if name in data}
    return (Study(data["case"], method), data["budget"]), Entry(data["seeds"], averages)
