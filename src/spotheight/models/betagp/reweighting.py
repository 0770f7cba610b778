"""EM for labels in doubt, and what such labels are worth to estimators that see counts per arm.

A label of item x is a hit with the chance M = sum_a P_a theta_a. At its most likely rates, arm a
has the share P_a theta_a / M of a hit and P_a (1 - theta_a) / (1 - M) of a miss (Dempster et al.
1977). Such shares find the rates, but taken for trials they would be too sure: what the label tells
of the logit of theta_a is only P_a^2 v_a / (M (1 - M)) of what a label of the arm's own would tell,
v_a = theta_a (1 - theta_a), for nobody knows where the item lies. So the last fit sees as many
trials as labels are worth, with hits that pull as hard at these rates.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from spotheight.beliefs import BetaRate
from spotheight.evidence import Counts, Evidence
from spotheight.models.mixture import Doubtful
from spotheight.numerics.sums import sum_by
from spotheight.types import FloatArray

Rate = TypeVar("Rate", bound=BetaRate)

ROUNDS = 12
"""Of shares and fits; four to eight are usual."""

STILL = 0.01
"""Rates that move by less have settled."""

SUREST = 1e-3
"""No rate is taken for nearer to 0 or 1 where a label's worth is reckoned."""


def reweighted(evidence: Evidence, fit: Callable[[Counts, Rate | None], Rate]) -> Rate:
    """EM: what ``fit`` finds once labels are shared out by what it finds."""
    doubtful = Doubtful.of(evidence)
    found = fit(doubtful.known, None)
    for _ in range(ROUNDS):
        before, found = found.mean, fit(shared(doubtful, found.mean), found)
        if np.abs(found.mean - before).max() < STILL:
            break
    return fit(worth(doubtful, found.mean), found)


def shared(doubtful: Doubtful, rate: FloatArray) -> Counts:
    """E-step: hits and trials expected of each arm, given these rates and the labels."""
    chance = doubtful.likelihood(rate)
    share = doubtful.counted * chance / _by_item(doubtful, chance)
    found = Counts.of(doubtful.arm, share, doubtful.hit, len(rate))
    return doubtful.beside(found.hits, found.trials)


def worth(doubtful: Doubtful, rate: FloatArray) -> Counts:
    """As many trials as the labels tell of each arm, with the pull that they have at these rates.

    A pull of more than all trials have is cut.
    """
    arm, weight = doubtful.arm, doubtful.weight
    own = np.clip(rate, SUREST, 1 - SUREST)[arm]
    mixed = _by_item(doubtful, weight * own)
    slope = weight * own * (1 - own) / (mixed * (1 - mixed))
    trials = sum_by(arm, doubtful.counted * weight * slope, len(rate))
    pull = doubtful.counted * slope * (weight * own + doubtful.hit - mixed)
    return doubtful.beside(np.clip(sum_by(arm, pull, len(rate)), 0, trials), trials)


def _by_item(doubtful: Doubtful, values: FloatArray) -> FloatArray:
    """The sum over each row's item."""
    rows = np.diff(doubtful.ends)
    item = np.repeat(np.arange(len(rows)), rows)
    return sum_by(item, values, len(rows))[item]
