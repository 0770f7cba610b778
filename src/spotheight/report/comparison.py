"""Which of two is better, as the report shows it."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import Reading
from spotheight.campaign import Campaign
from spotheight.questions import Compare, Compared, CompareServices
from spotheight.questions.compare import VERDICTS
from spotheight.questions.quantities import HitRate
from spotheight.questions.quantities.groups import slice_name
from spotheight.report.basis import Basis, Measure, measure_of
from spotheight.report.density import Density


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two slices or services against each other.

    Args:
        measure: What they are compared by.
        first: The name of the first.
        second: The name of the second.
        difference: First minus second.
        rope: The region of practical equivalence, to both sides of zero.
        first_better: The probability that the first is better by more than that.
        equivalent: The probability that they differ by no more than that.
        second_better: The probability that the second is better by more than that.
        decision: The most probable verdict, or that it is not decided.
        sureness: Its probability.
        density: Where the difference lies.
    """

    basis: Basis
    measure: Measure
    first: str
    second: str
    difference: Reading
    rope: float
    first_better: float
    equivalent: float
    second_better: float
    decision: str
    sureness: float
    density: Density

    @property
    def likeliest(self) -> str:
        """The most probable verdict, however sure."""
        chances = (self.first_better, self.equivalent, self.second_better)
        return VERDICTS[chances.index(max(chances))]


def build_comparison(
    campaign: Campaign, task: Compare | CompareServices, estimand: str
) -> Comparison:
    """The verdict, and what it rests on."""
    answer: Compared = campaign.answer(task, estimand)
    of = task.of if isinstance(task, Compare) else HitRate()
    measure = measure_of(campaign, of)
    most = 1.0 if measure.is_share else np.inf
    return Comparison(
        Basis.of(campaign, task, answer.estimator, answer.difference.estimand),
        measure,
        slice_name(task.first),
        slice_name(task.second),
        answer.difference,
        answer.rope,
        answer.first_better,
        max(answer.equivalent, 0.0),  # a difference of shares, which may end at -1e-17
        answer.second_better,
        answer.decision,
        answer.sureness,
        Density.of(answer.draws, -most, most),
    )
