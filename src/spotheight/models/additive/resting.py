"""Fixed point of the fit where labels are seen through guesses: linear models until they rest."""

from dataclasses import replace

import numpy as np

from spotheight.models.additive.guessed import Guessed
from spotheight.numerics.regression.fixedpoint import next_place
from spotheight.numerics.regression.multilevel import (
    NEARLY,
    ROUGHLY,
    SCALE_TOLERANCE,
    Laplace,
    Problem,
    first_scales,
    height,
    laplace,
    scoring,
    search_scales,
)
from spotheight.types import FloatArray

ROUNDS = 12
"""Linear models, each made where the last ones lead; four to eight are usual."""

STILL = 0.005
"""On the logit scale: what moves less between two rounds moves no accuracy by .2 points."""


def fit_guessed(
    guessed: Guessed, log_scale: FloatArray | None
) -> tuple[Problem, Laplace, FloatArray]:
    """The linear model at the mixture's mode, its fit, and the information of the log scales.

    Scales are searched for where weights have come to rest, and as long as that pays once they rest
    anew: a search sees one linear model, and could run away with scales that the next one refuses.
    """
    nowhere = np.zeros(len(guessed.terms.family)), np.zeros(guessed.belongs.shape[1])
    problem = guessed.problem(*nowhere)
    scales = first_scales(problem) if log_scale is None else log_scale
    mode = laplace(problem, scales, tolerance=NEARLY)
    problem, mode = _rested(guessed, search_scales(problem, mode, SCALE_TOLERANCE))
    for _ in range(ROUNDS):
        found = _rested(guessed, search_scales(problem, mode, SCALE_TOLERANCE))
        if height(*found) < height(problem, mode) + ROUGHLY:
            break
        problem, mode = found
    mode = laplace(problem, mode.log_scale, mode)
    return problem, mode, scoring(problem, mode)[1]


def _rested(guessed: Guessed, mode: Laplace) -> tuple[Problem, Laplace]:
    """Fixed point at these scales: a linear model made where it ends, and its fit."""
    places, moves = list[FloatArray](), list[FloatArray]()
    for _ in range(ROUNDS):
        here = _place(guessed, mode)
        problem = guessed.problem(*here)
        found = laplace(problem, mode.log_scale, mode, ROUGHLY)
        moved = guessed.eta(*_place(guessed, found)) - guessed.eta(*here)
        if np.abs(moved).max(initial=0.0) < STILL:
            break
        # One linear model after the other would swing about the end where many labels are in doubt.
        places.append(np.concatenate([mode.weight, mode.term]))
        moves.append(np.concatenate([found.weight, found.term]) - places[-1])
        weight, term = np.split(next_place(places, moves), [len(mode.weight)])
        mode = replace(found, weight=weight, term=term)
    return problem, found


def _place(guessed: Guessed, mode: Laplace) -> tuple[FloatArray, FloatArray]:
    """All weights and the terms of all arms at a fit; zero where labels say nothing."""
    weight, term = np.zeros(len(guessed.terms.family)), np.zeros(guessed.belongs.shape[1])
    weight[guessed.touched], term[guessed.seen_arms] = mode.weight, mode.term
    return weight, term
