"""What is run, and in which order: a seed of everything first, so that it can be stopped."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, get_args

from bench.celeba.replica import ARMS, ID, LABEL, SERVICES, guess_of, prediction_of, score_of
from bench.plan import Method, Study
from spotheight.errors import InputError, did_you_mean

Knowledge = Literal["gold", "unscored", "full", "temp", "raw"]
"""How a campaign knows attributes: as annotated, the same without the service's score, or by models
whose chances are calibrated so."""

GUESSED = ("full", "temp", "raw")

READING_SCORES = ("additive",)
"""Estimators that look at the score: without it they know what the others know."""

ESTIMATORS = ("pooled", "beta", "beta:prior=overall", "eb-beta", "berngp", "betagp", "betagp-sl",
              "betagp-slp", "betagp-ab", "betagp:doubt=mixture", "additive")  # fmt: skip
"""All are tried on the same random labels; what the package does not have is left out."""

ABOUT_DOUBT = ("betagp:doubt=mixture",)
"""Estimators that are others where attributes are certain."""

EXPLORING = tuple(
    Method(*pair)
    for pair in (
        ("beta:prior=overall", "variance"),
        ("betagp", "variance"),
        ("betagp-slp", "variance"),
        ("eb-beta", "gain"),
        ("additive", "variance"),
        ("additive", "gain"),
    )
)
"""Policies that look at the belief, after the same warm start."""

METHODS = (*(Method(name, "random") for name in ESTIMATORS), *EXPLORING)

FIRST_TRIED = Method("beta:prior=overall", "random")
"""What calibrations are compared with, as in figure 5: Beta-I with its pseudo-counts."""

WARM = 500
"""Random labels with gold attributes before anything else."""

READ_AT = (500, 750, 1000, 1500, 2000)
RANDOM_READ_AT = (*READ_AT, 3500)
"""Nothing is fitted between readings, so that many labels cost little."""

TABLE_AT = 2000

SEEDS = 5


@dataclass(frozen=True)
class Setting:
    """A service, and how a campaign knows the attributes of items."""

    service: str
    knowledge: Knowledge

    @property
    def name(self) -> str:
        """What files and options call it."""
        return f"{self.service}-{self.knowledge}"


SETTINGS = tuple(
    Setting(service.name, knowledge)
    for knowledge, service in product(get_args(Knowledge), SERVICES)
)
"""All of them, certain attributes first."""


def chosen_methods(estimators: Sequence[str]) -> tuple[Method, ...]:
    """The methods with these estimators; all without any."""
    for name in estimators:
        if name not in ESTIMATORS:
            raise InputError(
                f"The plan has no estimator {name!r}; {did_you_mean(name, ESTIMATORS)}"
            )
    return tuple(one for one in METHODS if one.estimator in (estimators or ESTIMATORS))


def methods_of(setting: Setting, methods: Sequence[Method] = METHODS) -> tuple[Method, ...]:
    """Those that are worth running in a setting."""
    if setting.knowledge == "unscored":
        return tuple(one for one in methods if one.estimator in READING_SCORES)
    is_guessed = setting.knowledge in GUESSED
    return tuple(one for one in methods if is_guessed or one.estimator not in ABOUT_DOUBT)


def budgets(method: Method) -> tuple[int, ...]:
    """After how many labels the surface is read."""
    return RANDOM_READ_AT if method.policy == "random" else READ_AT


def arguments(table: Path, setting: Setting, method: Method, seed: int) -> list[str]:
    """What follows ``spotheight simulate`` to replay one campaign."""
    service = setting.service
    options = [
        ("id", ID),
        ("label", LABEL),
        ("prediction", f"{service}={prediction_of(service)}"),
        *_knowledge(setting),
        ("estimator", method.estimator),
        ("policy", method.policy),
        ("warm", str(WARM)),
        *(("budget", str(budget)) for budget in budgets(method)),
        ("seed", str(seed)),
        ("seeds", "1"),
        ("workers", "1"),
    ]
    return [
        str(table),
        *(word for name, value in options for word in (f"--{name}", value)),
        "--json",
    ]


def _knowledge(setting: Setting) -> Iterator[tuple[str, str]]:
    if setting.knowledge != "unscored":
        yield "score", f"{setting.service}={score_of(setting.service)}"
    if setting.knowledge not in GUESSED:
        yield from (("attribute", name) for name in ARMS)
        return
    for name in ARMS:
        yield "attribute-probabilities", f"{name}={guess_of(name)}"
        yield "gold", f"{name}={name}"
    yield "calibration", setting.knowledge
    yield "told", str(WARM)


@dataclass(frozen=True)
class Plan:
    """Settings, methods and seeds, the most important first."""

    settings: tuple[Setting, ...]
    methods: tuple[Method, ...] = METHODS
    seeds: int = SEEDS

    def missing(
        self, done: Callable[[Study], Collection[int]]
    ) -> Iterator[tuple[Setting, Method, int]]:
        """What is left to run."""
        for seed, (setting, method) in product(range(self.seeds), self.pairs()):
            if seed not in done(Study(setting.name, method)):
                yield setting, method, seed

    def pairs(self) -> list[tuple[Setting, Method]]:
        """Every setting with its methods."""
        return [(one, method) for one in self.settings for method in methods_of(one, self.methods)]
