"""How often a winner is named where there is none."""

import numpy as np
from numpy.random import default_rng
from scipy.stats import binomtest

import spotheight as sh

FALSE_ALARM = 1e-6
RUNS, LABELS, MOST = 120, 96, 0.10


def winners(certainty: float) -> int:
    """In how many worlds without any difference one of two slices is called better.

    An item in three is right, whatever slice it is in; nothing counts as practically the same.
    """
    named, rng = 0, default_rng(20261119)
    rows = [{"id": f"{i:03}", "pred": "yes", "side": "ab"[i % 2]} for i in range(600)]
    pool = sh.read_pool(rows, id="id", prediction="pred", attributes=["side"])
    for world in range(RUNS):
        right = rng.random(len(rows)) < 1 / 3
        campaign = sh.Campaign(pool, sh.Spec(seed=world, estimator=sh.EmpiricalBeta()))
        told = rng.choice(len(rows), LABELS, replace=False)
        campaign.tell({rows[i]["id"]: "yes" if right[i] else "no" for i in told})
        task = sh.Compare({"side": "a"}, {"side": "b"}, rope=0.0, certainty=certainty)
        named += "is better" in campaign.answer(task, "rate").decision
    return named


def test_a_winner_is_rarely_named_where_there_is_none():
    """Null: at most 10% of worlds. The likeliest of three verdicts would name one in nearly all."""
    assert binomtest(winners(0.95), RUNS, MOST, alternative="greater").pvalue > FALSE_ALARM
    fault = int(np.ceil(0.33 * RUNS))  # what naming the likeliest used to reach
    assert binomtest(fault, RUNS, MOST, alternative="greater").pvalue < FALSE_ALARM
