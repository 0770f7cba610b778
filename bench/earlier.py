"""What was reached on other machines: rows stay where they were run, their means travel in git."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from bench.plan import Study
from bench.store import Row, Store
from spotheight.errors import InputError, did_you_mean

FILE = "earlier.json"

AGAIN = (
    "Forget what an estimator, a policy, a case or a method such as 'additive + *, 50% held out' "
    "had reached, by name or pattern; repeatable."
)
"""What the option does that calls ``forgetting``."""


class Joinable(Protocol):
    """A summary of studies that others can be joined with."""

    @classmethod
    def of(cls, store: Store) -> Self:
        """What the raw rows say."""
        ...

    @classmethod
    def read(cls, path: Path) -> Self:
        """From a file; empty where there is none."""
        ...

    def write(self, path: Path) -> None:
        """To a file."""
        ...

    def on_top_of(self, earlier: Self) -> Self:
        """The same, joined with what an earlier one had before, where no seed was run again."""
        ...

    def studies(self) -> set[Study]:
        """All that it has."""
        ...

    def without(self, studies: Collection[Study]) -> Self:
        """Without some of them."""
        ...


SomeSummary = TypeVar("SomeSummary", bound=Joinable)


@dataclass(frozen=True)
class Earlier(Generic[SomeSummary]):
    """The summary that a store of rows goes on from.

    It is put beside the first rows, so that they are added to it once, however often the sum of
    both is published. Seeds are counted from 0 on: the next one is the number of those it has.

    Args:
        store: Where rows are kept.
        published: The summary in git, which counts until there are rows.
        kind: Its class.
    """

    store: Store
    published: Path
    kind: type[SomeSummary]

    @cached_property
    def summary(self) -> SomeSummary:
        return self.kind.read(self._kept if self._kept.exists() else self.published)

    def append(self, study: Study, seed: int, rows: Sequence[Row]) -> None:
        """Keep a campaign."""
        if not self._kept.exists():
            self.summary.write(self._kept)
        self.store.append(study, seed, rows)

    def studies(self) -> list[Study]:
        """All that were run, here or elsewhere."""
        return sorted({*self.store.studies(), *self.summary.studies()})

    def without(self, studies: Collection[Study]) -> "Earlier[SomeSummary]":
        """Drop what was reached of some studies, so that they are run again."""
        for study in studies:
            self.store.forget(study)
        self.summary.without(studies).write(self._kept)
        return replace(self)

    def grown(self) -> SomeSummary:
        """What the rows say, on top of what was reached elsewhere."""
        return self.kind.of(self.store).on_top_of(self.summary)

    @property
    def _kept(self) -> Path:
        return self.store.folder / FILE


def done(here: Collection[int], elsewhere: int) -> set[int]:
    """The seeds that were run; those elsewhere do not count for what was begun anew here.

    >>> done({3, 4}, elsewhere=3), done({0, 1}, elsewhere=3)
    ({0, 1, 2, 3, 4}, {0, 1})
    """
    return {*here} if any(seed < elsewhere for seed in here) else {*here, *range(elsewhere)}


def forgetting(
    earlier: Earlier[SomeSummary], name: str, cases: Collection[str]
) -> Earlier[SomeSummary]:
    """Without all studies of these cases of which some part has this name."""
    studies = [study for study in earlier.studies() if study.case in cases]
    found = [study for study in studies if any(fnmatchcase(part, name) for part in _parts(study))]
    if not found:
        known = sorted({part for study in studies for part in _parts(study)})
        raise InputError(f"Nothing was reached by {name!r}; {did_you_mean(name, known)}")
    return earlier.without(found)


def _parts(study: Study) -> tuple[str, str, str, str]:
    return study.case, study.method.estimator, study.method.policy, str(study.method)
