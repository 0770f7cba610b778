"""Multilevel logistic regression: the default estimator, informed by the score."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spotheight.arms import row_keys
from spotheight.beliefs import Surface
from spotheight.errors import InputError, require_at_most
from spotheight.evidence import DIGITS, Evidence
from spotheight.models.additive.bank import DRAWS, AdditivePosterior, Bank
from spotheight.models.additive.gains import AdditiveForesight
from spotheight.models.additive.guessed import Guessed
from spotheight.models.additive.model import AdditiveModel
from spotheight.models.additive.resting import fit_guessed
from spotheight.models.additive.terms import Terms
from spotheight.models.protocol import Estimator
from spotheight.numerics.regression.multilevel import Problem, fit_scales
from spotheight.numerics.sums import sum_by
from spotheight.numerics.threads import one_thread
from spotheight.types import FloatArray, IntArray

FEWEST = 50
"""Draws that tell an interval's end within a fifth of the interval's half."""

MOST = 100_000
"""More tell nothing more, and take all memory there is."""


@dataclass(frozen=True)
class Additive(Estimator):
    """Multilevel logistic surface: overall, attributes, pairs, arms, and the service's score.

    Every family of terms has a scale that the labels teach, with its uncertainty. An arm's number
    is the mean over its own items of their predicted chances of a hit, so the score of every
    unlabelled item counts. Rare arms lean on what they share with others.

    Args:
        draws: How many joint draws of all arms its numbers are read from; fewer are kept where arms
            are very many.
    """

    draws: int = DRAWS

    joins_arms: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.draws < FEWEST:
            raise InputError(f"At least {FEWEST} draws are needed, got {self.draws}.")
        require_at_most("The number of draws", self.draws, MOST)

    @one_thread()
    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        cells = evidence.cells
        terms = Terms.of(cells)
        model = _fitted(evidence, terms, start)
        left, has_rival = _left(evidence), not evidence.is_part
        bank = Bank(model, evidence.settled.counts, evidence.rest, left, self.draws, has_rival)
        return Surface(
            cells,
            evidence.labelled,
            AdditivePosterior(bank, "rate"),
            AdditivePosterior(bank, "pool"),
            counting=None if evidence.always_counts else evidence.counting,
            foresight=AdditiveForesight(model, left),
            warm_start={_named(model.terms): model.mode.log_scale},
        )


def _fitted(evidence: Evidence, terms: Terms, start: Surface | None) -> AdditiveModel:
    """The model behind the surface; labelled items may lie in one arm, or in one of several."""
    cells = evidence.cells
    if not evidence.is_guessed:
        problem, seen_arms, touched = _problem(evidence, terms)
        mode, information = fit_scales(problem, _scales_of(start, terms))
        return AdditiveModel(cells, terms, problem, seen_arms, touched, mode, information)
    guessed = Guessed.of(evidence, terms)
    found = fit_guessed(guessed, _scales_of(start, guessed.terms))
    return AdditiveModel(
        cells, guessed.terms, found[0], guessed.seen_arms, guessed.touched, *found[1:]
    )


def _scales_of(start: Surface | None, terms: Terms) -> FloatArray | None:
    """The log scales of an earlier surface, if it has the same families of terms."""
    return None if start is None else start.warm_start.get(_named(terms))


def _named(terms: Terms) -> str:
    return f"log scales of {terms.names}"


def _problem(evidence: Evidence, terms: Terms) -> tuple[Problem, IntArray, IntArray]:
    """Labels added up by arm and score cell, the arms seen, and the columns that they have."""
    rows = evidence.rows
    bins = evidence.cells.bin[rows.cell]
    weight = rows.weight * evidence.counted
    kept = weight > 0
    pairs = np.column_stack([rows.arm, bins])[kept]
    _, first, group = np.unique(row_keys(pairs), return_index=True, return_inverse=True)
    arm, bin_ = pairs[first].T
    trials = sum_by(group, weight[kept], len(first))
    hits = sum_by(group, (weight * evidence.hit)[kept], len(first))
    seen_arms, arm_group = np.unique(arm, return_inverse=True)
    design, touched = terms.design(seen_arms, bin_, arm_group)
    spread = terms.spread[seen_arms]
    problem = Problem(design, hits, trials, terms.family[touched], terms.prior_scale, spread)
    return problem, seen_arms, touched


def _left(evidence: Evidence) -> FloatArray:
    """Unlabelled items of each cell; expected ones where attributes are only guessed."""
    placed = evidence.rows.cell >= 0
    weight = evidence.rows.weight[placed]
    labelled = sum_by(evidence.rows.cell[placed], weight, len(evidence.cells))
    return np.maximum(np.round(evidence.cells.count - labelled, DIGITS), 0)
