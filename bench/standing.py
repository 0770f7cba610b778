"""How one method stands beside another, case by case: what the front page says of all cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from bench.changes import is_apart
from bench.plan import Method, Study
from bench.summary import Average, Summary


@dataclass(frozen=True)
class Pair:
    """One measure of two methods on one case.

    Args:
        case: Its title.
        ours: What the first method came to.
        theirs: What the second one did.
    """

    case: str
    ours: Average
    theirs: Average

    @property
    def ratio(self) -> float:
        """The first as a share of the second."""
        return self.ours.mean / self.theirs.mean

    @property
    def is_lower(self) -> bool:
        """Whether the first is lower beyond chance."""
        return self.ratio < 1 and is_apart(self.ours, self.theirs)

    @property
    def is_higher(self) -> bool:
        """Whether the first is higher beyond chance."""
        return self.ratio > 1 and is_apart(self.ours, self.theirs)


@dataclass(frozen=True)
class Standing:
    """Two methods over all cases that have both."""

    pairs: tuple[Pair, ...]

    @classmethod
    def of(
        cls, summary: Summary, ours: Method, theirs: Method, *, labels: int, measure: str
    ) -> "Standing":
        """After so many labels."""
        pairs = []
        for name, facts in summary.cases.items():
            both = [average(summary, name, one, labels, measure) for one in (ours, theirs)]
            if both[0] is not None and both[1] is not None:
                pairs.append(Pair(facts.title, both[0], both[1]))
        return cls(tuple(pairs))

    def counts(self) -> tuple[int, int, int]:
        """On how many cases the first is lower, level and higher."""
        lower = sum(pair.is_lower for pair in self.pairs)
        higher = sum(pair.is_higher for pair in self.pairs)
        return lower, len(self.pairs) - lower - higher, higher

    def ratios(self) -> tuple[float, float, float]:
        """The median, the lowest and the highest ratio."""
        ratios = [pair.ratio for pair in self.pairs]
        return median(ratios), min(ratios), max(ratios)


def average(
    summary: Summary, case: str, method: Method, labels: int, measure: str
) -> Average | None:
    """One number, if it was measured."""
    entry = summary.entries.get((Study(case, method), labels))
    return None if entry is None else entry.averages.get(measure)


def averages(
    summary: Summary, method: Method, labels: int, measure: str
) -> Iterator[tuple[str, Average]]:
    """Of every case that has it, by title."""
    for name, facts in summary.cases.items():
        found = average(summary, name, method, labels, measure)
        if found is not None:
            yield facts.title, found
