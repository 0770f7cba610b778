"""Cost matrix and expected cost: what mistakes cost."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.arms import MISSING, PREDICTION, Partition, Recipe
from spotheight.beliefs import DirichletBelief
from spotheight.errors import InputError, did_you_mean
from spotheight.evidence import ClassEvidence, Cut, Source
from spotheight.metrics import Accuracy, Metric
from spotheight.questions.quantities.groups import Groups
from spotheight.questions.quantities.protocol import drawn_quantile
from spotheight.questions.unit import Unit
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True)
class Costs:
    """Cost matrix: what each answer costs for each true class.

    Args:
        true: The true classes, a row each.
        answers: The answers, a column each.
        values: The costs, row by row.
    """

    true: tuple[str, ...]
    answers: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.true):
            raise InputError(
                f"The cost matrix has {len(self.values)} rows for {len(self.true)} true classes."
            )
        for name, row in zip(self.true, self.values, strict=True):
            if len(row) != len(self.answers):
                raise InputError(
                    f"The cost matrix has {len(row)} costs for the true class {name!r}, "
                    f"and {len(self.answers)} answers; each row needs one cost for each answer."
                )
            if not np.isfinite(row).all():
                raise InputError(f"Every cost of the true class {name!r} must be a finite number.")
        for kind, names in (("row", self.true), ("column", self.answers)):
            doubled = sorted({name for name in names if names.count(name) > 1})
            if doubled:
                raise InputError(f"The cost matrix has the {kind} {doubled[0]!r} twice.")

    @classmethod
    def plain(cls, classes: Sequence[str]) -> "Costs":
        """1 for every mistake: the expected cost is then the error rate."""
        values = tuple(tuple(float(a != b) for b in classes) for a in classes)
        return cls(tuple(classes), tuple(classes), values)

    def table(self, outcomes: Sequence[str], answers: Sequence[str]) -> FloatArray:
        """(outcomes, answers); raise where a class of the campaign has no cost."""
        rows = [_place(name, self.true, "row") for name in outcomes]
        columns = [_place(name, self.answers, "column") for name in answers]
        return np.array(self.values, dtype=float)[np.ix_(rows, columns)]


def _place(name: str, names: tuple[str, ...], kind: str) -> int:
    if name in names:
        return names.index(name)
    if name == MISSING:
        raise InputError(
            f"Some items have no answer, and the cost matrix has no column {MISSING!r} for them."
        )
    hint = did_you_mean(name, names)
    raise InputError(f"The cost matrix has no {kind} for the class {name!r}; {hint}")


@dataclass(frozen=True)
class ExpectedCost:
    """The expected cost of an answer, in every group.

    Args:
        costs: What each answer costs for each true class.
        by: Attributes as in ``init`` that make the groups; the predicted class by default.
        service: Whose answers; empty means the campaign's service.
    """

    costs: Costs
    by: tuple[str, ...] = (PREDICTION,)
    service: str = ""
    has_exact_mean = True

    @property
    def cut(self) -> Cut:
        recipes = [Recipe.parse(text) for text in self.by]
        if PREDICTION not in [recipe.column for recipe in recipes]:
            recipes.append(Recipe(PREDICTION))
        return Cut(tuple(recipes), Accuracy(), self.service or None)  # all answers count

    def evidence(self, source: Source) -> ClassEvidence:
        evidence = source.class_evidence(self.cut.service, self.cut.partition, self.costs.true)
        self.by_arm(evidence.cells.partition, evidence.outcomes)  # refuses what has no cost
        return evidence

    def by_arm(self, arms: Partition, outcomes: Sequence[str]) -> FloatArray:
        """What each true class costs in each arm, (arms, outcomes)."""
        place, attribute = arms.attribute(PREDICTION)
        said: IntArray = arms.codes[:, place]
        occurring = np.unique(said)
        names = [attribute.levels[code] for code in occurring]
        return self.costs.table(outcomes, names)[:, np.searchsorted(occurring, said)].T

    def unit(self, metric: Metric) -> Unit:
        return Unit("expected cost", is_share=False, is_bad_high=True, short="cost")

    def is_bad_high(self, belief: DirichletBelief) -> bool:
        return True

    def groups(self, belief: DirichletBelief) -> Groups:
        return Groups.first(belief.partition, len(self.by))

    def draw(self, belief: DirichletBelief, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

    def read(self, belief: DirichletBelief, parts: FloatArray, groups: Groups) -> FloatArray:
        costs = self.by_arm(belief.partition, belief.outcomes)
        return groups.mean(np.einsum("dao,ao->da", parts, costs), belief.weight)

    def mean(self, belief: DirichletBelief, groups: Groups, rng: Generator) -> FloatArray:
        return self.read(belief, belief.mean[None], groups)[0]

    def quantile(
        self, belief: DirichletBelief, groups: Groups, share: float, rng: Generator
    ) -> FloatArray:
        return drawn_quantile(self, belief, groups, share, rng)


def read_costs(names: Sequence[str], rows: Sequence[Sequence[object]], source: str) -> Costs:
    """A cost matrix from a table: the first column names the true class, the others answers."""
    if len(names) < 2 or not rows:
        raise InputError(
            f"{source!r} is no cost matrix; it needs a first column with the true classes and a "
            f"column for each answer."
        )
    true = tuple(str(row[0]) for row in rows)
    values = []
    for row in rows:
        try:
            values.append(tuple(float(str(value)) for value in row[1:]))
        except ValueError:
            bad = next(value for value in row[1:] if not _is_number(value))
            raise InputError(
                f"{source!r} has the cost {bad!r} for the true class {row[0]!r}, which is no "
                f"number."
            ) from None
    return Costs(true, tuple(names[1:]), tuple(values))


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
