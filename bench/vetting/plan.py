"""What is run, and in which order: breadth first, so that it can be stopped at any time."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil

from bench.plan import Method, Study
from bench.vetting.cases import Case

METHODS = tuple(
    Method(*pair)
    for pair in (
        ("vetted-only", "uniform"),
        ("vetted-only", "random-images"),
        ("naive", "uniform"),
        ("naive", "confident-mistake"),
        ("counted", "expected-change"),
        ("kernel", "expected-change"),
        ("learned", "uniform"),
        ("learned", "expected-change"),
        ("learned", "confident-mistake"),
        ("learned", "gain"),
    )
)
"""A fifth of what ``gain`` asks for is random; ``uniform`` draws the category first."""

NOT_OF_TAGS = (Method("vetted-only", "random-images"), Method("kernel", "expected-change"))
NOT_OF_OBJECTS = (
    Method("vetted-only", "uniform"),
    Method("counted", "expected-change"),
    Method("learned", "confident-mistake"),
)
"""What cannot be run on tags, or on objects in images, or would say nothing there."""

BINARY = ("naive", "counted")
"""Estimators that know only yes and no."""

DETERMINISTIC = ("expected-change", "confident-mistake")

READ_AT = (0.05, 0.1, 0.25, 0.5)
WHOLE = (*READ_AT, 0.75, 1.0)
"""Where nothing is fitted between readings, so that a whole curve costs little."""

BATCH = 0.02
"""The share of the items that is vetted before the next fit."""

PASSIVE = ("uniform", "random-images")
"""Policies that look at no fit: their items come in one batch from reading to reading."""

MOST = 40


NAMED = (
    Method("learned", "expected-change"),
    Method("vetted-only", "uniform"),
    Method("vetted-only", "random-images"),
    Method("learned", "gain"),
    Method("naive", "uniform"),
    Method("naive", "confident-mistake"),
)
"""Methods that the figures to reach speak of: they get their runs before the others."""


@dataclass(frozen=True)
class Wave:
    """Bring every study up to so many runs, or only those of named methods, or of key cases."""

    runs: int
    only_named: bool = False
    only_key: bool = False


WAVES = (
    Wave(1),
    Wave(3, only_named=True),
    Wave(10, only_named=True, only_key=True),
    Wave(3),
    Wave(10, only_named=True),
    Wave(MOST, only_named=True, only_key=True),
    Wave(10),
    Wave(MOST, only_named=True),
    Wave(MOST),
)


def is_always_same(case: Case, method: Method) -> bool:
    """Whether every run would repeat the first: the same noise, and no random draws."""
    return not case.world.varies and method.policy in DETERMINISTIC


def fits(case: Case, method: Method) -> bool:
    """Whether a method is for such a case."""
    strange = NOT_OF_OBJECTS if case.measured == "detection" else NOT_OF_TAGS
    return method not in strange


def shares(method: Method) -> tuple[float, ...]:
    """The shares vetted at which a method is read."""
    is_cheap = method.policy == "uniform" or method.estimator in ("naive", "vetted-only")
    return WHOLE if is_cheap else READ_AT


def budgets(method: Method, items: int) -> dict[int, float]:
    """The number of vetted items, and the share that it stands for."""
    return {ceil(share * items): share for share in shares(method)}


@dataclass(frozen=True)
class Plan:
    """Cases, methods and runs, the most important first."""

    cases: tuple[Case, ...]
    methods: tuple[Method, ...] = METHODS
    runs: int = MOST

    def missing(
        self, done: Callable[[Study], Collection[int]]
    ) -> Iterator[tuple[Case, Method, int]]:
        """What is left to run; a run of a case at a time, for all methods meet the same noise."""
        for wave in (*WAVES, Wave(self.runs)):
            cases = [case for case in self.cases if case.is_key or not wave.only_key]
            methods = [one for one in self.methods if one in NAMED or not wave.only_named]
            runs = range(min(wave.runs, self.runs))
            for case, seed, method in product(cases, runs, methods):
                is_told = bool(seed) and is_always_same(case, method)
                if (
                    fits(case, method)
                    and not is_told
                    and seed not in done(Study(case.name, method))
                ):
                    yield case, method, seed

    def size(self, done: Callable[[Study], Collection[int]]) -> int:
        """How many campaigns are left to run."""
        return len({(case.name, method, seed) for case, method, seed in self.missing(done)})
