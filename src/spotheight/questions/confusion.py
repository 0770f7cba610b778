"""What is mistaken for what?"""

from dataclasses import dataclass, field

from numpy.random import Generator

from spotheight.arms import PREDICTION, Recipe
from spotheight.beliefs import DirichletBelief
from spotheight.evidence import ClassEvidence, Cut, Source
from spotheight.metrics import Accuracy
from spotheight.numerics.distributions import dirichlet
from spotheight.questions.quantities import Groups
from spotheight.questions.values import require_level
from spotheight.types import FloatArray


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """For each answer (rows) the rates of the true classes (columns), with intervals.

    Args:
        answers: The answers that occur.
        classes: The true classes.
        mean: (answers, classes), as the following two.
        low: The lower ends of the intervals.
        high: The upper ends.
        n_pool: Items with each answer.
        n_labelled: Labelled ones.
    """

    answers: tuple[str, ...] = field(repr=False)
    classes: tuple[str, ...] = field(repr=False)
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    n_pool: FloatArray = field(repr=False)
    n_labelled: FloatArray = field(repr=False)
    level: float = 0.9
    estimand: str = "pool"
    estimator: str = ""


@dataclass(frozen=True)
class Confusion:
    """Estimate how often each answer stands for each true class."""

    service: str = ""
    level: float = 0.9
    plays = 1

    def __post_init__(self) -> None:
        require_level(self.level)

    @property
    def cut(self) -> Cut:
        return Cut((Recipe(PREDICTION),), Accuracy(), self.service or None)  # all answers count

    def evidence(self, source: Source) -> ClassEvidence:
        return source.class_evidence(self.service or None)

    def answer(self, belief: DirichletBelief, rng: Generator) -> ConfusionMatrix:
        low, high = belief.interval(self.level)
        arms = range(belief.cells.arms)
        return ConfusionMatrix(
            tuple(belief.partition.levels(arm)[0] for arm in arms),
            belief.outcomes,
            belief.mean,
            low,
            high,
            belief.cells.mass,
            belief.labelled,
            self.level,
            belief.estimand,
            belief.estimator,
        )

    def groups(self, belief: DirichletBelief) -> Groups:
        return Groups.each(belief.partition)

    def draw(self, belief: DirichletBelief, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

    def worth(
        self, belief: DirichletBelief, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """Share of the items times the drop of all its variances (Ji et al. 2021, Table 1)."""
        alpha = belief.foreseen(more)
        share = belief.cells.mass / belief.cells.mass.sum()
        return share * dirichlet.total_variance_drop(alpha, values)

    def expected(self, belief: DirichletBelief, rng: Generator) -> FloatArray:
        return self.worth(belief, belief.mean[None])[0]
