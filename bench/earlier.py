"""What was reached on other machines: rows stay where they were run, their means travel in git."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from bench.plan import Study
from bench.store import Row, Store
from bench.summary import Summary
from spotheight.errors import InputError, did_you_mean

FILE = "earlier.json"

AGAIN = "Forget what an estimator, a policy or a case had reached, by name or pattern; repeatable."
"""What the option does that calls ``forgetting``."""


@dataclass(frozen=True)
class Earlier:
    """The summary that a store of rows goes on from.

    It is put beside the first rows, so that they are added to it once, however often the sum of
    both is published. Seeds are counted from 0 on: the next one is the number of those it has.

    Args:
        store: Where rows are kept.
        published: The summary in git, which counts until there are rows.
    """

    store: Store
    published: Path

    @cached_property
    def summary(self) -> Summary:
        return Summary.read(self._kept if self._kept.exists() else self.published)

    def append(self, study: Study, seed: int, rows: Sequence[Row]) -> None:
        """Keep a campaign."""
        if not self._kept.exists():
            self.summary.write(self._kept)
        self.store.append(study, seed, rows)

    def studies(self) -> list[Study]:
        """All that were run, here or elsewhere."""
        return sorted({*self.store.studies(), *(study for study, _ in self.summary.entries)})

    def without(self, studies: Collection[Study]) -> "Earlier":
        """Drop what was reached of some studies, so that they are run again."""
        for study in studies:
            self.store.forget(study)
        entries = self.summary.entries
        kept = {key: entry for key, entry in entries.items() if key[0] not in studies}
        Summary(self.summary.cases, kept).write(self._kept)
        return Earlier(self.store, self.published)

    def done(self, study: Study, budgets: Sequence[int]) -> Collection[int]:
        """The seeds that were run for each of these budgets, here or elsewhere.

        A study that was begun anew here does not count elsewhere.
        """
        here = self.store.done(study, budgets)
        entries = [self.summary.entries.get((study, budget)) for budget in budgets]
        elsewhere = min((entry.seeds if entry else 0 for entry in entries), default=0)
        return here if any(seed < elsewhere for seed in here) else here | set(range(elsewhere))

    def grown(self) -> Summary:
        """What the rows say, on top of what was reached elsewhere."""
        return Summary.of(self.store).on_top_of(self.summary)

    @property
    def _kept(self) -> Path:
        return self.store.folder / FILE


def forgetting(earlier: Earlier, name: str, cases: Collection[str]) -> Earlier:
    """Without all studies of these cases whose estimator, policy or case has this name."""
    studies = [study for study in earlier.studies() if study.case in cases]
    found = [study for study in studies if any(fnmatchcase(part, name) for part in _parts(study))]
    if not found:
        known = sorted({part for study in studies for part in _parts(study)})
        raise InputError(f"Nothing was reached by {name!r}; {did_you_mean(name, known)}")
    return earlier.without(found)


def _parts(study: Study) -> tuple[str, str, str]:
    return study.case, study.method.estimator, study.method.policy
