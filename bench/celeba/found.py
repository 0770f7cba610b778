"""The figures that docs/celeba.md speaks of in words: each from the summary or the replica."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.celeba.plan import SETTINGS, TABLE_AT, WARM, Setting
from bench.celeba.reading import average_of
from bench.celeba.surface import Statistics
from bench.markdown import filled
from bench.plan import Method
from bench.summary import Summary

FAMILY = ("berngp", "betagp", "betagp-sl", "betagp-slp", "betagp-ab")
ALONE = ("pooled", "beta", "beta:prior=overall", "eb-beta")
"""Estimators that look at arms one by one."""

MIXTURE = "betagp:doubt=mixture"

SERVICES = tuple(dict.fromkeys(setting.service for setting in SETTINGS))


class NotRunError(LookupError):
    """A figure that nobody has run yet."""


def figures(summary: Summary, statistics: Statistics) -> Mapping[str, Any]:
    """What the templates of the words are filled with, a dictionary by service for most names.

    Raises:
        NotRunError: If one is missing, for then there is nothing to be said.
    """
    macro, held = _reader(summary, "macro"), _reader(summary, "coverage90")
    return {
        "warm": WARM,
        "labels": TABLE_AT,
        "own": statistics.chance_of_own,
        "smoothed": _each(
            lambda one: (
                max(macro(one, "gold", names) for names in FAMILY)
                / min(macro(one, "gold", names) for names in ALONE)
            )
        ),
        "explored": _each(
            lambda one: macro(one, "gold", "betagp", "variance") / macro(one, "gold", "betagp")
        ),
        "shared": _each(lambda one: macro(one, "full", "betagp")),
        "mixed": _each(lambda one: macro(one, "full", MIXTURE)),
        "shared_held": _each(lambda one: held(one, "full", "betagp")),
        "mixed_held": _each(lambda one: held(one, "full", MIXTURE)),
        "first": _each(lambda one: macro(one, "full", "additive", "gain", WARM)),
        "gain": _each(lambda one: macro(one, "full", "additive", "gain")),
        "variance": _each(lambda one: macro(one, "full", "additive", "variance")),
    }


def _reader(summary: Summary, measure: str) -> Callable[..., float]:
    """Looks up a mean by service, knowledge, estimator, policy and labels."""

    def read(
        service: str,
        knowledge: Any,
        estimator: str,
        policy: str = "random",
        labels: int = TABLE_AT,
    ) -> float:
        method = Method(estimator, policy)
        average = average_of(summary, Setting(service, knowledge), method, measure, labels)
        if average is None:
            raise NotRunError(f"{service}-{knowledge}, {method}, {labels} labels")
        return average.mean

    return read


def _each(value: Callable[[str], float]) -> dict[str, float]:
    return {service: value(service) for service in SERVICES}


def said(template: str, summary: Summary, statistics: Statistics) -> Iterator[str]:
    """A template with its figures, or nothing where one of them has not been run."""
    try:
        yield filled(template, **figures(summary, statistics))
    except NotRunError:
        return
