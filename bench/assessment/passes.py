"""One pass: a policy over a case, many runs at once, with all that is read off on the way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from bench.assessment.costs import cost_matrix
from bench.assessment.data import Case, Groups
from bench.assessment.measures import (
    Measure,
    confusion_rmse,
    reciprocal_rank,
    relative_calibration_error,
    weighted_rmse,
    with_prior,
)
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Random
from spotheight.policies.thompson import MultiplePlay, Thompson, TopTwo
from spotheight.simulate.many import (
    EstimateConfusion,
    EstimateRate,
    FindCalibration,
    FindCost,
    FindRate,
    Goal,
    Luck,
    Runs,
    Trace,
    World,
    run_many,
)
from spotheight.simulate.many.pick import CountPolicy
from spotheight.types import FloatArray

EVERY = 10
"""Rankings are read after every tenth label."""

TRUE_BINS = 20
"""The published calibration errors are held against this many bins of equal width."""

NONE = 5e-7
"""Pseudo-counts of the prior that believes next to nothing: the paper's numbers were made so."""

POLICIES: dict[str, CountPolicy] = {
    "random": Random(),
    "ts": Thompson(draws=1),
    "ttts": TopTwo(draws=1),
    "mp": MultiplePlay(),
    "greedy": EpsilonGreedy(),
    "ucb": BayesUCB(),
}


@dataclass(frozen=True, order=True)
class Study:
    """A policy and a prior on one question about one case.

    Args:
        case: Its name.
        question: ``accuracy``, ``bins``, ``calibration``, ``confusion``, ``human`` or ``topic``.
        aim: ``estimate``, or ``find1``, ``find3`` and so on.
        policy: One of ``POLICIES``.
        prior: As ``prior_of`` reads it.
        cost: Of an expensive mistake, for the last two questions.
    """

    case: str
    question: str
    aim: str
    policy: str
    prior: str
    cost: int = 0

    @property
    def name(self) -> str:
        """What its file is called."""
        parts = (self.question, self.aim, self.policy, self.prior, *([self.cost] * bool(self.cost)))
        return "-".join(map(str, parts))

    @property
    def plays(self) -> int:
        """How many groups are looked for."""
        return int(self.aim.removeprefix("find")) if self.aim != "estimate" else 1


@dataclass(frozen=True, eq=False)
class Read:
    """A measure, when it is read, and which priors it is read under."""

    measure: Measure
    at: Sequence[int]
    priors: Sequence[str]


@dataclass(frozen=True, eq=False)
class Setting:
    """What a question makes of a case.

    Args:
        groups: Items by group and outcome.
        goal: By how many groups are looked for; 0 is to estimate all.
        reads: What is read, by name.
        pieces: Parts of each group that have a prior of their own.
    """

    groups: Groups
    goal: Callable[[int], Goal]
    reads: Mapping[str, Read]
    pieces: int = field(default=1)

    def prior(self, name: str) -> FloatArray:
        """``U0`` is next to none, ``U`` even, ``I`` from scores, of the strength that follows."""
        outcomes = self.groups.items.shape[1] // self.pieces
        if name == "U0":
            return np.full(self.groups.items.shape, NONE)
        strength = float(name[1:])
        if name[0] == "U":
            return np.full(self.groups.items.shape, strength / outcomes)
        return strength * np.clip(self.groups.centre, 1e-3 / outcomes, 1.0)


def run_pass(study: Study, case: Case, runs: int, rng: Generator) -> dict[str, FloatArray]:
    """Everything read, by name: (readings, runs)."""
    setting = setting_of(study, case)
    prior = setting.prior(study.prior)
    goal = setting.goal(study.plays if study.aim != "estimate" else 0)
    curves = {
        f"{name}|{other}": Trace(
            read.at, with_prior(read.measure, prior, setting.prior(other)), runs
        )
        for name, read in setting.reads.items()
        for other in (read.priors if study.policy == "random" else [study.prior])
        if _is_wanted(name, study)
    }
    until = max(max(curve.at) for curve in curves.values())
    start, policy = Runs.begin(World(setting.groups.items, prior), runs), POLICIES[study.policy]
    run_many(start, goal, policy, luck=Luck.of(rng), until=until, watch=list(curves.values()))
    return {name: curve.values for name, curve in curves.items()}


def _is_wanted(name: str, study: Study) -> bool:
    """At random everything can be read; who looks for something is judged by that."""
    return study.policy == "random" or name.split("-")[0] == study.aim


def setting_of(study: Study, case: Case) -> Setting:
    """What a question makes of a case."""
    if study.question == "accuracy":
        return _accuracy(case)
    if study.question == "bins":
        return _bins(case)
    if study.question == "calibration":
        return _calibration(case)
    return _confusion(case) if study.question == "confusion" else _cost(study, case)


def _budgets(groups: Groups) -> list[int]:
    """Two, five and ten labels a group; read ten labels later, as was published."""
    return [times * len(groups.items) + EVERY for times in (2, 5, 10)]


def _ranks(
    groups: Groups, value: Callable[[FloatArray], FloatArray], most: int, priors: Sequence[str]
) -> dict[str, Read]:
    truth = value(groups.items[None].astype(float) + 1e-12)[0]
    at = range(EVERY, int(groups.size.sum()) + 1, EVERY)
    return {
        f"find{plays}": Read(reciprocal_rank(value, truth, plays), at, priors)
        for plays in sorted({1, most})
    }


def _accuracy(case: Case) -> Setting:
    groups = case.classes
    share = groups.size / groups.size.sum()
    rmse = Read(weighted_rmse(groups.rate, share), _budgets(groups), ("U0", "U2", "I2"))
    ranks = _ranks(groups, FindRate().expected, case.most, ("U0", "U2", "I2", "I10", "I100"))

    def goal(plays: int) -> Goal:
        return FindRate(plays) if plays else EstimateRate(share)

    return Setting(groups, goal, {"estimate": rmse, **ranks})


def _bins(case: Case) -> Setting:
    assert case.items is not None
    groups, priors = case.items.by_score(), ("U0", "U2", "I2")
    share = groups.size / groups.size.sum()
    error = relative_calibration_error(
        case.items.calibration_error(TRUE_BINS), groups.centre[:, 0], share
    )
    reads = {
        "estimate-rmse": Read(weighted_rmse(groups.rate, share), _budgets(groups), priors),
        "estimate-ece": Read(error, _budgets(groups), priors),
    }
    return Setting(groups, lambda plays: EstimateRate(share), reads)


def _calibration(case: Case) -> Setting:
    assert case.items is not None
    groups, score, weight = case.items.by_class_and_score()

    def goal(plays: int) -> FindCalibration:
        return FindCalibration(score, weight, plays)

    reads = _ranks(groups, goal(1).expected, case.most, ("I2", "I5", "I10"))
    return Setting(groups, goal, reads, pieces=score.shape[1])


def _confusion(case: Case) -> Setting:
    assert case.items is not None
    groups = case.items.by_truth()
    share = groups.size / groups.size.sum()
    truth = groups.items / groups.size[:, None]
    rmse = confusion_rmse(truth, share)
    scale = float(rmse(groups.centre[None])[0])
    read = Read(lambda alpha: rmse(alpha) / scale, _budgets(groups), ("U1", "I1"))
    return Setting(groups, lambda plays: EstimateConfusion(share), {"estimate": read})


def _cost(study: Study, case: Case) -> Setting:
    assert case.items is not None
    groups = case.items.by_truth()
    costs = cost_matrix(study.question, study.cost)

    def goal(plays: int) -> FindCost:
        return FindCost(costs, plays)

    return Setting(groups, goal, _ranks(groups, goal(1).expected, case.most, ("U1", "I1")))
