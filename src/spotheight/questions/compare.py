"""Comparison of two slices or services: which is better, and how surely?"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng
from scipy import sparse

from spotheight.beliefs import DirichletBelief, Reading, Surface
from spotheight.errors import InputError
from spotheight.evidence import Cut, PairedEvidence, Source
from spotheight.metrics import Metric
from spotheight.numerics.distributions import beta
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.about import AboutQuantity
from spotheight.questions.basis import Basis
from spotheight.questions.certainty import CERTAINTY, NOT_DECIDED, require_certainty
from spotheight.questions.density import Density
from spotheight.questions.protocol import Worth
from spotheight.questions.quantities import ArmBelief, Groups, HitRate, Quantity
from spotheight.questions.quantities.groups import Slice, arms_of, parts_of, slice_name
from spotheight.questions.unit import Unit
from spotheight.questions.values import FEWEST_DRAWS, draw_blocks, require_level
from spotheight.questions.words import chance, costs_like, points
from spotheight.types import FloatArray

DRAWS = 4000

MOST_DRAWN = 4_000_000
"""So many numbers are drawn of two services, some three seconds; above 1000 arms fewer draws."""

VERDICTS = ("the first is better", "practically equivalent", "the second is better")

SPREAD_DRAWS = 256
"""They tell a variance within a tenth, for policies."""


@dataclass(frozen=True)
class Compared:
    """Answer to a comparison: the difference first minus second, and the chance of each verdict.

    Args:
        basis: What it rests on.
        names: What the two are called.
        sides: What is believed of each.
        difference: First minus second, in the quantity's own units.
        first_better: The probability that the first is better by more than ``rope``.
        equivalent: The probability that they differ by no more than that.
        second_better: The probability that the second is better by more than that.
        rope: The region of practical equivalence, to both sides of zero.
        certainty: How probable a verdict has to be; below that nothing is decided.
        draws: Of the difference.
        outcomes: Of services: who was right on how many labelled items.
    """

    basis: Basis = field(repr=False, compare=False)
    names: tuple[str, str]
    sides: tuple[Reading, Reading] = field(repr=False)
    difference: Reading
    first_better: float
    equivalent: float
    second_better: float
    rope: float
    certainty: float = CERTAINTY
    draws: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)
    outcomes: Mapping[str, float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        draws: FloatArray,
        task: "Compare | CompareServices",
        belief: ArmBelief,
        sides: tuple[Reading, Reading],
    ) -> "Compared":
        """Summarise draws of the difference."""
        rope, reading = task.rope, Reading.of(draws, task.level, belief.estimand)
        above, below = float(np.mean(draws > rope)), float(np.mean(draws < -rope))
        is_bad_high = isinstance(task, Compare) and task.of.is_bad_high(belief)
        return cls(
            Basis.of(task, belief),
            (slice_name(task.first), slice_name(task.second)),
            sides,
            reading,
            below if is_bad_high else above,
            float(np.mean(np.abs(draws) <= rope)),
            above if is_bad_high else below,
            rope,
            task.certainty,
            draws,
        )

    @property
    def decision(self) -> str:
        """The most probable verdict in words, or that it is not decided."""
        return self.likeliest if self.sureness >= self.certainty else NOT_DECIDED

    @property
    def likeliest(self) -> str:
        """The most probable verdict in words, however sure."""
        return max(self._verdicts, key=lambda verdict: self._verdicts[verdict])

    @property
    def sureness(self) -> float:
        """The probability of the most probable verdict."""
        return max(self._verdicts.values())

    @property
    def _verdicts(self) -> dict[str, float]:
        chances = (self.first_better, self.equivalent, self.second_better)
        return dict(zip(VERDICTS, chances, strict=True))

    @cached_property
    def density(self) -> Density:
        """Where the difference lies."""
        most = 1.0 if self.basis.unit.is_share else np.inf
        return Density.of(self.draws, -most, most)

    def content(self) -> dict[str, Any]:
        """Both sides, the difference, the verdicts."""
        shown = ("mean", "low", "high", "n_pool", "n_labelled")
        first, second = (
            {"name": name, **{key: getattr(side, key) for key in shown}}
            for name, side in zip(self.names, self.sides, strict=True)
        )
        return {
            "first": first,
            "second": second,
            "difference": {key: getattr(self.difference, key) for key in shown[:3]},
            "rope": self.rope,
            **self._chances,
            "decision": self.decision,
            "likeliest": self.likeliest,
            "sureness": self.sureness,
            **({"outcomes": dict(self.outcomes)} if self.outcomes else {}),
        }

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds."""
        return {
            "measure": self.basis.unit,
            "first": self.names[0],
            "second": self.names[1],
            "difference": self.difference,
            "rope": self.rope,
            **self._chances,
            "decision": self.decision,
            "sureness": self.sureness,
            "density": self.density,
        }

    @property
    def _chances(self) -> dict[str, float]:
        names = ("first_better", "equivalent", "second_better")
        return {name: getattr(self, name) for name in names}

    def frame(self) -> pa.Table:
        """One row: both sides, the difference, the verdicts."""
        row: dict[str, Any] = {}
        for key, value in self.content().items():
            if key != "outcomes":
                pairs = value.items() if isinstance(value, dict) else [("", value)]
                row |= {f"{key}_{part}" if part else key: number for part, number in pairs}
        return pa.Table.from_pylist([row])

    def plain(self) -> str:
        """The verdict, how sure it is, and the difference."""
        first, second = self.names
        said = (
            f"{first} is better",
            "The two are practically equivalent",
            f"{second} is better",
        )
        verdict = said[VERDICTS.index(self.likeliest)]
        sure = f"with probability {chance(self.sureness)}"
        if self.decision == NOT_DECIDED:
            start = f"Not decided: the likeliest verdict, “{verdict}”, holds {sure} only."
        else:
            start = f"{verdict}, {sure}."
        gap = self.difference
        numbers = (gap.mean, gap.low, gap.high)
        is_share = self.basis.unit.is_share
        write, unit = (points, " points") if is_share else (costs_like(numbers), "")
        mean, low, high = map(write, numbers)
        return f"{start} The difference, first minus second, is {mean}{unit} ({low} to {high})."


@dataclass(frozen=True)
class Compare(AboutQuantity):
    """Compare two slices, calling differences within ``rope`` practically equivalent.

    Args:
        first: A slice: ``{"accent": "german"}``, or as on the command line ``accent=german``.
        second: Another one.
        rope: The region of practical equivalence, to both sides of zero.
        of: What is compared: the campaign's metric by default. Slices by attributes that are none
            of the campaign's need a quantity with these attributes in ``by``.
        level: Of the interval.
        certainty: How probable a verdict has to be; below that nothing is decided.
    """

    first: Slice
    second: Slice
    rope: float = 0.05
    of: Quantity = field(default_factory=HitRate)
    level: float = 0.9
    certainty: float = CERTAINTY
    plays = 1

    def __post_init__(self) -> None:
        _check_rope(self.rope)
        require_level(self.level)
        require_certainty(self.certainty)
        parts_of(self.first), parts_of(self.second)

    def answer(self, belief: ArmBelief, rng: Generator) -> Compared:
        inside = [arms_of(chosen, belief.partition) for chosen in (self.first, self.second)]
        if isinstance(belief, Surface) and isinstance(self.of, HitRate):
            first, second = (belief.over(arms, level=self.level) for arms in inside)
            draws = belief.combined(self._contrast(belief))
            slices = parts_of(self.first), parts_of(self.second)
            exact = belief.difference(*slices, level=self.level)
            return replace(Compared.of(draws, self, belief, (first, second)), difference=exact)
        blocks = [self.values(belief, parts) for parts in draw_blocks(self.of, belief, rng, DRAWS)]
        drawn = np.concatenate(blocks).T
        sizes = [
            (float(belief.cells.mass[arms].sum()), float(belief.labelled[arms].sum()))
            for arms in inside
        ]
        first, second = (
            Reading.of(side, self.level, belief.estimand, size)
            for side, size in zip(drawn, sizes, strict=True)
        )
        return Compared.of(drawn[0] - drawn[1], self, belief, (first, second))

    def values(self, belief: ArmBelief, parts: FloatArray) -> FloatArray:
        """The quantity in both slices, for each draw: (draws, 2)."""
        columns = [self.of.read(belief, parts, one)[:, 0] for one in self._slices(belief)]
        return np.column_stack(columns)

    def _slices(self, belief: ArmBelief) -> tuple[Groups, Groups]:
        first, second = (
            Groups.one(arms_of(chosen, belief.partition), slice_name(chosen))
            for chosen in (self.first, self.second)
        )
        return first, second

    def targets(self, surface: Surface) -> Sparse:
        """The difference, and nothing else."""
        return sparse.csr_matrix(self._contrast(surface)[None, :])

    def _contrast(self, surface: Surface) -> FloatArray:
        """The factor of every arm in the difference."""
        first, second = self._factors(surface).T
        return first - second

    def _factors(self, surface: Surface) -> FloatArray:
        """(arms, 2): how much each arm counts in the number of either slice."""
        return surface.factors(parts_of(self.first), parts_of(self.second))

    # For policies.

    def groups(self, belief: ArmBelief) -> Groups:
        """The two slices; what lies in both belongs to the first."""
        first, second = self._slices(belief)
        group = np.where(first.group == 0, 0, np.where(second.group == 0, 1, -1))
        return Groups(group, labels=(first.name(0), second.name(0)))

    def worth(
        self, belief: ArmBelief, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """The drop of each slice's variance: a Beta's for a rate, else a label's share of it."""
        return self.worth_by(belief)(values, more)

    def worth_by(self, belief: ArmBelief) -> Worth:
        if isinstance(belief, Surface) and isinstance(self.of, HitRate):
            factors = self._factors(belief)
            known = np.column_stack([belief.combined(factor) for factor in factors.T])
            centre, spread = known.mean(axis=0), np.maximum(known.var(axis=0), 1e-12)
            return lambda values, more: beta.foreseen_drop(centre, spread, values @ factors, more)
        known = self.values(belief, self.draw(belief, SPREAD_DRAWS, default_rng(0)))
        return partial(_mean_drop, known.var(axis=0), self.groups(belief).total(belief.labelled))

    def expected(self, belief: ArmBelief, rng: Generator) -> FloatArray:
        return self.worth(belief, self.draw(belief, SPREAD_DRAWS, rng)).mean(axis=0)


@dataclass(frozen=True)
class CompareServices:
    """Compare two services on the same labels: paired, so that what both find hard cancels."""

    first: str
    second: str
    rope: float = 0.0
    level: float = 0.9
    certainty: float = CERTAINTY

    def __post_init__(self) -> None:
        _check_rope(self.rope)
        require_level(self.level)
        require_certainty(self.certainty)

    @property
    def cut(self) -> Cut:
        return Cut()

    def evidence(self, source: Source) -> PairedEvidence:
        if self.first == self.second:
            raise InputError(f"The service {self.first!r} is compared with itself; name another.")
        return source.paired_evidence(self.first, self.second)

    def unit(self, metric: Metric) -> Unit:
        """That of the campaign's metric."""
        return HitRate().unit(metric)

    def answer(self, belief: DirichletBelief, rng: Generator) -> Compared:
        turns = max(FEWEST_DRAWS, min(DRAWS, MOST_DRAWN // belief.cells.arms))
        both, first, second, _ = belief.draw_total(turns, rng).T
        sizes = (float(belief.cells.mass.sum()), float(belief.labelled.sum()))
        # How often each service is right: alone or together with the other.
        one, other = (
            Reading.of(both + alone, self.level, belief.estimand, sizes)
            for alone in (first, second)
        )
        seen = map(float, belief.seen.sum(axis=0))
        return replace(
            Compared.of(first - second, self, belief, (one, other)),
            basis=Basis.of(self, belief, f"{self.first} and {self.second}"),
            outcomes=dict(zip(belief.outcomes, seen, strict=True)),
        )


def _mean_drop(
    spread: FloatArray, labelled: FloatArray, values: FloatArray, more: FloatArray | float
) -> FloatArray:
    """The variance of a mean over n labels is c / n; the prior counts as one of them."""
    labels = labelled + 1
    drop = spread * labels / ((labels + more) * (labels + more + 1))
    return np.broadcast_to(drop, (len(values), 2))


def _check_rope(rope: float) -> None:
    if not 0 <= rope < np.inf:
        raise InputError(f"The region of practical equivalence is from 0 on, got {rope}.")
