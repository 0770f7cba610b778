"""Means and spreads over runs: what is kept in git."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from bench.files import short, write_lines
from bench.moments import Moments, joined_by_name
from bench.plan import Method, Study
from bench.store import Row, Store
from bench.vetting.cases import CASES
from bench.vetting.facts import ABOUT, Facts
from bench.vetting.marks import MARK, current, mark_of

MEASURES = {
    "list_error": "Error per list, in points",
    "mean_error": "Error of the means, in points",
    "gap_error": "Error of the gaps between services, in points",
    "misranked": "Misranked means, in percent of pairs",
    "misranked_lists": "Misranked lists, in percent of pairs with a true gap above half a point",
    "coverage90": "Coverage of 90% intervals per list, in percent",
    "coverage_mean90": "Coverage of 90% intervals of the means, in percent",
    "coverage_gap90": "Coverage of 90% intervals of the gaps, in percent",
    "width90": "Width of 90% intervals per list, in points",
    "width_gap90": "Width of 90% intervals of the gaps, in points",
}
"""As simulations name them, and as a reader does."""

FLIPS = ("seen_error", "false_error", "seen_counted", "false_counted")

EARLIER = "earlier"
"""Stands in the file where a model has been changed since."""

SHARES = tuple(name for name in MEASURES if not name.endswith("_error"))
"""Measures that rows give as shares of one."""


@dataclass(frozen=True)
class Spread:
    """A mean over runs and their standard deviation, unknown after a single one."""

    mean: float
    deviation: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Of at least one value."""
        deviation = stdev(values) if len(values) > 1 else None
        return cls(short(mean(values)), None if deviation is None else short(deviation))

    def joined(self, count: int, other: "Spread", others: int) -> "Spread":
        """Over the runs of both, ``count`` here and ``others`` there."""
        here = Moments(count, self.mean, self.deviation)
        both = here + Moments(others, other.mean, other.deviation)
        assert both.deviation is not None
        return Spread(short(both.mean), short(both.deviation))


@dataclass(frozen=True)
class Key:
    """A method on a case with a share vetted."""

    case: str
    method: Method
    share: float

    @property
    def study(self) -> Study:
        return Study(self.case, self.method)


@dataclass(frozen=True)
class Entry:
    """What it came to over so many runs.

    Args:
        runs: How many there are.
        spreads: Over them, by measure.
        model: The mark of the model that made them.
        first: The lowest seed of them.
        is_earlier: Whether that model was an earlier one when the summary was written, so that a
            page follows from its summary alone.
    """

    runs: int
    spreads: Mapping[str, Spread]
    model: str = ""
    first: int = 0
    is_earlier: bool = False

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Entry":
        """A measure that no row has is left out."""
        values = {
            name: [float(row[name]) for row in rows if row.get(name) is not None]
            for name in (*MEASURES, *FLIPS)
        }
        spreads = {name: Spread.of(some) for name, some in values.items() if some}
        first = min(row.get("seed", 0) for row in rows)
        return cls(len(rows), spreads, rows[0].get(MARK, ""), first)

    def joined(self, later: "Entry") -> "Entry":
        """With later runs of the same model."""
        spreads = joined_by_name(self.spreads, self.runs, later.spreads, later.runs)
        return Entry(self.runs + later.runs, spreads, self.model, self.first)

    def goes_on_in(self, later: "Entry") -> bool:
        """Whether it is the same model, and no run was made again."""
        return self.model == later.model and self.runs <= later.first


@dataclass(frozen=True)
class Summary:
    """All cases and all entries."""

    cases: Mapping[str, Facts] = field(default_factory=dict)
    entries: Mapping[Key, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store) -> "Summary":
        """What the raw rows say, those of earlier models left out."""
        rows = defaultdict(list)
        for study in store.studies():
            for campaign in current(store, study):
                for row in campaign.rows:
                    rows[Key(study.case, study.method, row["share"])].append(row)
        paths = {case.name: store.folder / case.name / ABOUT for case in CASES}
        facts = {name: _facts(path.read_text()) for name, path in paths.items() if path.exists()}
        return cls(facts, {key: Entry.of(some) for key, some in rows.items()})

    @classmethod
    def read(cls, path: Path) -> "Summary":
        """From a file that ``write`` wrote; empty where there is none yet."""
        if not path.exists():
            return cls()
        data = json.loads(path.read_text(encoding="utf-8"))
        cases = {name: Facts(**facts) for name, facts in data["cases"].items()}
        return cls(cases, dict(_decoded(entry) for entry in data["entries"]))

    def on_top_of(self, earlier: "Summary") -> "Summary":
        """The same, joined with what an earlier one had before, where that goes on here."""
        entries = {
            key: before.joined(entry)
            if (before := earlier.entries.get(key)) and before.goes_on_in(entry)
            else entry
            for key, entry in self.entries.items()
        }
        return Summary(self.cases, entries)

    def updated(self, newer: "Summary") -> "Summary":
        """With what is newer in the place of what is older; what it does not have stays."""
        cases = {**self.cases, **newer.cases}
        return Summary(cases, {**self.entries, **newer.entries})

    def write(self, path: Path) -> None:
        """As JSON."""
        cases = {name: facts.encoded() for name, facts in self.cases.items()}
        write_lines(path, cases, [_encoded(*pair) for pair in self.entries.items()])

    def spread(self, case: str, method: Method, share: float, measure: str) -> Spread | None:
        """One number, if it was measured."""
        entry = self.entries.get(Key(case, method, share))
        return None if entry is None else entry.spreads.get(measure)

    def runs(self, case: str, method: Method) -> int:
        """The runs of a method on a case."""
        return max((entry.runs for entry in self.of_study(Study(case, method))), default=0)

    def is_earlier(self, case: str, method: Method) -> bool:
        """Whether an earlier model made some of it."""
        return any(entry.is_earlier for entry in self.of_study(Study(case, method)))

    def studies(self) -> set[Study]:
        """All that have an entry."""
        return {key.study for key in self.entries}

    def without(self, studies: Collection[Study]) -> "Summary":
        """Without some of them."""
        kept = {key: entry for key, entry in self.entries.items() if key.study not in studies}
        return Summary(self.cases, kept)

    def seeds(self, study: Study) -> int:
        """How many runs a study has at every share, by the model as it is now."""
        entries = self.of_study(study)
        is_now = all(entry.model == mark_of(study) for entry in entries)
        return min((entry.runs for entry in entries), default=0) if is_now else 0

    def of_study(self, study: Study) -> list[Entry]:
        """The entries of a study, at whatever share."""
        return self._by_study.get(study, [])

    @cached_property
    def _by_study(self) -> dict[Study, list[Entry]]:
        """A plan asks for studies thousands of times before it runs the first."""
        found = defaultdict(list)
        for key, entry in self.entries.items():
            found[key.study].append(entry)
        return dict(found)

    def shares(self, case: str) -> list[float]:
        """At which shares vetted some method was read."""
        return sorted({key.share for key in self.entries if key.case == case})


def _facts(text: str) -> Facts:
    return Facts(**json.loads(text))


def _encoded(key: Key, entry: Entry) -> dict[str, Any]:
    return {
        "case": key.case,
        "estimator": key.method.estimator,
        "policy": key.method.policy,
        "share": key.share,
        "runs": entry.runs,
        MARK: entry.model,
        **({EARLIER: True} if entry.model != mark_of(key.study) else {}),
        **{name: [one.mean, one.deviation] for name, one in entry.spreads.items()},
    }


def _decoded(data: Mapping[str, Any]) -> tuple[Key, Entry]:
    key = Key(data["case"], Method(data["estimator"], data["policy"]), data["share"])
    names = [name for name in (*MEASURES, *FLIPS) if name in data]
    spreads = {name: Spread(*data[name]) for name in names}
    is_earlier = data.get(EARLIER, False)
    return key, Entry(data["runs"], spreads, data.get(MARK, ""), is_earlier=is_earlier)
