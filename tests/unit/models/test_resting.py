"""The additive surface on guessed attributes: against the mixture's own likelihood."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

import spotheight as sh
from spotheight.evidence import Evidence
from spotheight.guesses import CalRaw
from spotheight.models.additive.guessed import Guessed
from spotheight.models.additive.resting import STILL, fit_guessed
from spotheight.models.additive.terms import Terms

NAMES = "abc"

NEAR = 4 * STILL
"""From the mode, where the last of steps that shrink by a fifth each was shorter than ``STILL``."""


def evidence(rows: int, gold: int, doubt: float) -> Evidence:
    """Labels of items of which models know little; one combination of levels is nearly lost."""
    rng = np.random.default_rng(0)
    truth = {name: rng.random(rows) < 0.5 for name in NAMES}
    table = {"id": [f"{i:05d}" for i in range(rows)]}
    for name, holds in truth.items():
        sign = doubt * np.where(holds, 1, -1) + rng.normal(size=rows).round(1)
        table[f"p_{name}"] = expit(2 * doubt * sign)
    hit = rng.random(rows) < np.where(truth["a"] & truth["b"], 0.03, 0.97)
    table["answer"] = np.where(hit, "m", "f").tolist()
    pool = sh.read_pool(
        pa.table(table), id="id", prediction="answer", guessed={n: f"p_{n}" for n in NAMES}
    )
    levels = {
        item: {name: "yes" if truth[name][place] else "no" for name in NAMES}
        for place, item in enumerate(table["id"][:gold])
    }
    campaign = sh.Campaign(pool, sh.Spec(calibration=CalRaw()))
    campaign.tell(dict.fromkeys(table["id"], "m"), levels=levels)
    return campaign.records().evidence()


def log_likelihood(guessed: Guessed, eta: np.ndarray) -> np.ndarray:
    """Of each kind, straight from the definition of a mixture."""
    rows = np.repeat(np.arange(len(guessed.bin)), np.diff(guessed.belongs.indptr))
    chance = np.bincount(rows, guessed.belongs.data * expit(eta))
    return guessed.hits * np.log(chance) + (guessed.trials - guessed.hits) * np.log1p(-chance)


@pytest.fixture(scope="module", params=[(600, 40, 0.5), (300, 100, 0.7)])
def fitted(request):
    found = evidence(*request.param)
    guessed = Guessed.of(found, Terms.of(found.cells))
    problem, mode, _ = fit_guessed(guessed, None)
    weight, term = np.zeros(len(guessed.terms.family)), np.zeros(found.cells.arms)
    weight[guessed.touched], term[guessed.seen_arms] = mode.weight, mode.term
    return guessed, problem, mode, weight, term


def test_weights_end_at_the_mode_of_the_mixture(fitted):
    """With the first of these labels, following linear models swings about it for ever."""
    guessed, problem, mode, weight, term = fitted
    variance = problem.variances(mode.log_scale)

    def minus_log_posterior(own: np.ndarray) -> float:
        full = weight.copy()
        full[guessed.touched] = own
        eta = guessed.eta(full, term)
        return float(own**2 @ (0.5 / variance) - log_likelihood(guessed, eta).sum())

    best = weight.copy()
    best[guessed.touched] = minimize(minus_log_posterior, np.zeros(len(variance)), tol=1e-6).x
    apart = guessed.eta(best, term) - guessed.eta(weight, term)
    assert np.abs(apart).max() < NEAR


def test_terms_of_arms_end_where_their_own_items_want_them(fitted):
    guessed, problem, mode, weight, term = fitted
    eta, precision = guessed.eta(weight, term), problem.group_precision(mode.log_scale)
    rows = np.repeat(np.arange(len(guessed.bin)), np.diff(guessed.belongs.indptr))
    for arm, firm, held in zip(guessed.seen_arms, precision, mode.term, strict=True):
        mine = (guessed.belongs.indices == arm) & (guessed.likeliest[rows] == arm)

        def minus_log_posterior(more: float, mine=mine, firm=firm, held=held) -> float:
            moved = log_likelihood(guessed, eta + more * mine).sum()
            return float(firm * (held + more) ** 2 / 2 - moved)

        assert abs(minimize_scalar(minus_log_posterior).x) < NEAR
