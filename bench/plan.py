"""What is run, and in which order: breadth first, so that it can be stopped at any time."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from bench.cases import Case
from spotheight import registry as codec
from spotheight.errors import InputError
from spotheight.policies.passive import Proportional, Random, Uniform

HOLDOUT = 0.5

LEADING = ("additive", "eb-beta")
"""Estimators that every policy is tried with."""

CORE_POLICIES = ("random", "gain")

VARIANTS = ("beta:prior=jeffreys", "beta:prior=informed", "beta:prior=overall")
"""Settings of an estimator that are methods of their own."""

PAIRS = (("beta", "thompson"),)
"""Further pairs that someone published (Ji et al. 2021)."""

PASSIVE = (Random, Uniform, Proportional)
"""Policies that look at no belief: nothing is fitted between budgets, so many labels are cheap."""


SMOOTH = ("berngp", "betagp-ab", "betagp", "betagp-sl", "betagp-slp")
"""Estimators that ``bench.deep`` looks after."""

ELSEWHERE = ("expected-change", "confident-mistake", "random-images", "expected-lambda")
"""Policies for ranked lists and for comparisons."""


@dataclass(frozen=True, order=True)
class Method:
    """An estimator and a policy by name, and the share of items held out, 0 for none."""

    estimator: str
    policy: str
    holdout: float = 0.0

    def __str__(self) -> str:
        """As people read it.

        >>> print(Method("additive", "gain", 0.5))
        additive + gain, 50% held out
        """
        held = f", {100 * self.holdout:g}% held out" if self.holdout else ""
        return f"{self.estimator} + {self.policy}{held}"


@dataclass(frozen=True, order=True)
class Study:
    """A method on a case: the seeds of one study can be averaged."""

    case: str
    method: Method


@dataclass(frozen=True)
class Wave:
    """Bring every study up to so many seeds; or only those of the key cases or the core methods."""

    seeds: int
    only_key: bool = False
    only_core: bool = False


WAVES = (
    Wave(2, only_key=True, only_core=True),
    Wave(2, only_core=True),
    Wave(20, only_key=True, only_core=True),
    Wave(2),
    Wave(5, only_core=True),
    Wave(5),
    Wave(10, only_core=True),
    Wave(10),
    Wave(20, only_core=True),
    Wave(20),
)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Cases, methods, budgets and seeds.

    Args:
        cases: The most important first.
        methods: Likewise.
        waves: Each goes over cases and methods once.
        passive_budgets: For policies that look at no belief.
        active_budgets: For the others, which fit after every batch.
    """

    cases: tuple[Case, ...]
    methods: tuple[Method, ...]
    waves: tuple[Wave, ...] = WAVES
    passive_budgets: tuple[int, ...] = (100, 200, 500, 1000, 2000)
    active_budgets: tuple[int, ...] = (100, 200, 500)

    def budgets(self, method: Method) -> tuple[int, ...]:
        """After how many labels the surface is read."""
        is_passive = isinstance(codec.parse(method.policy, codec.POLICIES), PASSIVE)
        return self.passive_budgets if is_passive else self.active_budgets

    def missing(
        self, done: Callable[[Study], Collection[int]], most: int
    ) -> Iterator[tuple[Case, Method, tuple[int, ...]]]:
        """What is left to run, at most so many seeds at a time; looks at ``done`` on the way."""
        for wave in self.waves:
            for case, method in self._studies(wave):
                finished = done(Study(case.name, method))
                seeds = [seed for seed in range(wave.seeds) if seed not in finished]
                for start in range(0, len(seeds), most):
                    yield case, method, tuple(seeds[start : start + most])

    def size(self, done: Callable[[Study], Collection[int]]) -> int:
        """How many campaigns are left to run."""
        pairs = {
            (case.name, method, seed)
            for case, method, seeds in self.missing(done, most=1)
            for seed in seeds
        }
        return len(pairs)

    def _studies(self, wave: Wave) -> Iterator[tuple[Case, Method]]:
        """A case at a time, so that its table is read once."""
        core = set(core_methods())
        cases = [case for case in self.cases if case.is_key or not wave.only_key]
        methods = [method for method in self.methods if method in core or not wave.only_core]
        return product(cases, methods)


def waves_up_to(seeds: int) -> tuple[Wave, ...]:
    """The usual waves, none beyond so many seeds, the last up to them."""
    cut = (Wave(min(w.seeds, seeds), w.only_key, w.only_core) for w in (*WAVES, Wave(seeds)))
    return tuple(dict.fromkeys(cut))


def core_methods() -> tuple[Method, ...]:
    """What matters most: leading estimators at random and by gain, and the same held out."""
    pairs = [Method(*pair) for pair in product(LEADING, CORE_POLICIES)]
    return (*pairs, *(Method(one.estimator, one.policy, HOLDOUT) for one in pairs))


def all_methods() -> tuple[Method, ...]:
    """Every estimator with random labels, every policy with the leading estimators."""
    wide = [(name, "random") for name in estimators()]
    wide += [(leader, policy) for leader in LEADING for policy in policies()]
    return tuple(dict.fromkeys([*core_methods(), *(Method(*pair) for pair in (*wide, *PAIRS))]))


def estimators() -> tuple[str, ...]:
    """All that need no settings and no benchmark of their own, and the variants."""
    return (*(name for name in _ready(codec.ESTIMATORS) if name not in SMOOTH), *VARIANTS)


def policies() -> tuple[str, ...]:
    """All that need no settings and serve a surface."""
    return tuple(name for name in _ready(codec.POLICIES) if name not in ELSEWHERE)


def _ready(family: codec.Family) -> list[str]:
    names = []
    for name in family.members:
        try:
            codec.parse(name, family)
        except InputError:
            continue  # it needs a setting that nobody chose
        names.append(name)
    return names


def chosen_methods(estimators: Sequence[str], policies: Sequence[str]) -> tuple[Method, ...]:
    """The methods of these names; both named, each with each, even where the plan has it not."""
    left = [_named(text, codec.ESTIMATORS) for text in estimators]
    right = [_named(text, codec.POLICIES) for text in policies]
    chosen = [
        method
        for method in all_methods()
        if (not left or method.estimator in left) and (not right or method.policy in right)
    ]
    chosen += [Method(*pair) for pair in product(left, right)]
    if not chosen:
        raise InputError(
            f"The plan has no method with {', '.join(left + right)}; "
            f"name an estimator and a policy to run it all the same."
        )
    return tuple(dict.fromkeys(chosen))


def _named(text: str, family: codec.Family) -> str:
    """The short form under which results are kept."""
    return codec.describe(codec.parse(text, family))
