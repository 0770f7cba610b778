"""Verdicts by a region of practical equivalence, and the value of one more label; from draws."""

import numpy as np

from spotheight.types import FloatArray


def verdicts(difference: FloatArray, rope: float) -> FloatArray:
    """One column each for below, inside and above the region of practical equivalence; 0 or 1."""
    below, above = difference < -rope, difference > rope
    return np.stack([below, ~(below | above), above], axis=-1).astype(float)


def expected_sureness(verdict: FloatArray, outcomes: FloatArray) -> FloatArray:
    """The expected probability of the likeliest verdict after one more label in each arm.

    After an outcome every draw counts as much as it had made that outcome likely, so the sum over
    outcomes of P(outcome) max_v P(v | outcome) is a sum of maxima of joint probabilities: no new
    draw is needed, and any belief that can draw will do.

    Args:
        verdict: (draws, verdicts), 0 or 1.
        outcomes: (draws, arms, outcomes): each draw's weight times its chance of the outcome.
    """
    joint = np.einsum("dv,dao->vao", verdict, outcomes, optimize=True)
    return joint.max(axis=0).sum(axis=-1)


def expected_variance(difference: FloatArray, outcomes: FloatArray) -> FloatArray:
    """The expected variance of the difference after one more label in each arm."""
    chance = outcomes.sum(axis=0)
    first, second = (np.einsum("d,dao->ao", difference**k, outcomes) for k in (1, 2))
    squared = np.divide(first**2, chance, out=np.zeros_like(chance), where=chance > 0)
    return (second - squared).sum(axis=-1)
