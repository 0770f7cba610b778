"""What the answer to a question is when every label is known."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.beliefs import ItemBelief
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.guesses import CalRaw
from spotheight.models.beta import Beta
from spotheight.numerics.ranking.ranks import mid_ranks
from spotheight.pool import names as c
from spotheight.pool.cells import SMALL
from spotheight.questions import Task
from spotheight.questions.calibration import Calibration
from spotheight.questions.compare import Compare, CompareServices
from spotheight.questions.confusion import Confusion
from spotheight.questions.cost import Cost
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.questions.quantities import Quantity
from spotheight.questions.rank import Rank
from spotheight.simulate.scores import UNKNOWN, Score, gap_scores, reciprocal_rank
from spotheight.simulate.truth import Truth
from spotheight.types import FloatArray

QUESTIONS = (Identify, Rank, Compare, CompareServices, Calibration, Confusion, Cost)
"""Tasks that have scores of their own, beside those of the surface."""


@dataclass(frozen=True, eq=False)
class Ideal:
    """A campaign that was told everything, to hold others against.

    Args:
        campaign: All its items are labelled, so that its numbers for the pool are exact.
        task: The question.
    """

    campaign: Campaign = field(repr=False)
    task: Task

    @classmethod
    def of(cls, truth: Truth, task: Task, spec: Spec) -> "Ideal":
        """The items that give the truth, all labelled."""
        pool = truth.judges
        ideal = replace(spec, estimator=Beta(), task=Estimate(), calibration=CalRaw())
        campaign = Campaign(pool, ideal)
        labels = {str(item): truth.label(str(item)) for item in pool.columns[c.ID]}
        campaign.tell(labels, levels=truth.levels(labels))
        return cls(campaign, task)

    def scores(self, campaign: Campaign, estimand: str, rng: Generator) -> dict[str, Score]:
        """How far a campaign's answer is from this one."""
        task = self.task
        if isinstance(task, (Identify, Rank)):
            return self._ranking(campaign, task, estimand, rng)
        if isinstance(task, (Compare, CompareServices)):
            return self._gap(campaign, task, estimand)
        ours, truth = (one.answer(task, kind) for one, kind in self._sides(campaign, estimand))
        if isinstance(task, Calibration):
            return {"ece_error": _relative_error(ours, truth)}
        if isinstance(task, Confusion):
            return {"confusion_rmse": _matrix_error(ours, truth)}
        return {"cost_rmse": _value_error(ours.values, truth.values)}

    def _sides(self, campaign: Campaign, estimand: str) -> tuple[tuple[Campaign, str], ...]:
        return (campaign, estimand), (self.campaign, "pool")

    def _ranking(
        self, campaign: Campaign, task: Identify | Rank, estimand: str, rng: Generator
    ) -> dict[str, Score]:
        """Groups by what is expected of them, against their true order."""
        ours, truth = (
            _values(one, task.of, task, kind) for one, kind in self._sides(campaign, estimand)
        )
        names = [name for name in truth if name in ours]
        belief: Any = self.campaign.believe(task)
        is_high = task.of.is_bad_high(belief) != bool(isinstance(task, Identify) and task.best)
        sign = -1.0 if is_high else 1.0
        guess, true = (sign * np.array([side[n] for n in names]) for side in (ours, truth))
        if isinstance(task, Rank):
            return {"rank_correlation": _rank_correlation(guess, true)}
        return {"mrr": reciprocal_rank(guess, true, task.plays, rng)}

    def _gap(
        self, campaign: Campaign, task: Compare | CompareServices, estimand: str
    ) -> dict[str, Score]:
        ours, truth = (one.answer(task, kind) for one, kind in self._sides(campaign, estimand))
        return gap_scores(ours.difference.mean, truth.difference.mean)


def _values(campaign: Campaign, of: Quantity, task: Task, estimand: str) -> dict[str, float]:
    """The quantity of each group by its name."""
    belief: Any = campaign.believe(task)
    assert not isinstance(belief, ItemBelief)
    belief = belief.of(estimand)
    groups = of.groups(belief)
    size = groups.total(belief.cells.mass)
    mean = of.mean(belief, groups, default_rng(0))
    mean = np.where(np.isnan(mean), UNKNOWN, mean)
    fit = np.flatnonzero(size >= min(SMALL, size.max()))
    return {groups.name(int(group)): float(mean[group]) for group in fit}


def _rank_correlation(guess: FloatArray, true: FloatArray) -> Score:
    """Spearman's: the correlation of ranks, ties in the middle of their places."""
    if len(guess) < 2 or np.ptp(guess) == 0 or np.ptp(true) == 0:
        return None
    return float(np.corrcoef(mid_ranks(guess), mid_ranks(true))[0, 1])


def _relative_error(ours: Any, truth: Any) -> Score:
    """|ECE - true ECE| relative to the true one, groups by their items."""
    true = {truth.errors.groups.name(g): truth.errors.mean[g] for g in range(len(truth.errors))}
    weight, error = 0.0, 0.0
    for group in range(len(ours.errors)):
        known = true.get(ours.errors.groups.name(group), 0.0)
        if known > 0:
            weight += ours.errors.n_pool[group]
            error += ours.errors.n_pool[group] * abs(ours.errors.mean[group] - known) / known
    return error / weight if weight else None


def _matrix_error(ours: Any, truth: Any) -> Score:
    """100 times the root of the squared errors of all rows, by their items (Ji et al. 2021)."""
    classes = sorted({*ours.classes, *truth.classes})
    sides = [_by_class(one, classes) for one in (ours, truth)]
    common = [name for name in truth.answers if name in ours.answers]
    items = dict(zip(truth.answers, truth.n_pool, strict=True))
    total = sum(items[name] for name in common)
    squared = sum(
        items[name] * float(((sides[0][name] - sides[1][name]) ** 2).sum()) for name in common
    )
    return 100 * float(np.sqrt(squared / total)) if total else None


def _by_class(matrix: Any, classes: list[str]) -> dict[str, FloatArray]:
    rows = {}
    for name, row in zip(matrix.answers, matrix.mean, strict=True):
        rates = dict(zip(matrix.classes, row, strict=True))
        rows[name] = np.array([rates.get(cls, 0.0) for cls in classes])
    return rows


def _value_error(ours: Any, truth: Any) -> Score:
    """The root of the squared errors of all groups, by their items."""
    true = {truth.groups.name(g): truth.mean[g] for g in range(len(truth))}
    pairs = [
        (g, true[ours.groups.name(g)]) for g in range(len(ours)) if ours.groups.name(g) in true
    ]
    weight = np.array([ours.n_pool[g] for g, _ in pairs])
    squared = np.array([(ours.mean[g] - value) ** 2 for g, value in pairs])
    return float(np.sqrt(weight @ squared / weight.sum())) if weight.sum() > 0 else None
