"""The overall number is honest where `gain` labels small arms and large ones are another matter."""

import numpy as np
import pyarrow as pa
from numpy.random import default_rng
from scipy.special import expit

import worlds

WORLDS, LABELS = 12, 200


def world(seed: int) -> pa.Table:
    """Arms of 6 to 400 items; the score tells little in small ones and much in large ones."""
    rng = default_rng(seed)
    size = np.rint(np.exp(rng.uniform(np.log(6), np.log(400), 120))).astype(int)
    arm = np.repeat(np.arange(len(size)), size)
    largeness = (np.log(size / 49) / np.log(400 / 49))[arm]
    sureness = rng.normal(1, 1.3, len(arm))
    hit = rng.random(len(arm)) < expit(0.2 + (0.9 + 0.7 * largeness) * sureness)
    return pa.table(
        {
            "id": np.arange(len(arm)).astype(str),
            "prediction": np.repeat("yes", len(arm)),
            "truth": np.where(hit, "yes", "no"),
            "score": expit(sureness),
            "a": (arm % 12).astype(str),
            "b": (arm // 12).astype(str),
        }
    )


def surface_of(table: pa.Table, seed: int):
    """What a campaign of default choices believes in the end."""
    roles = {"id": "id", "prediction": "prediction", "score": "score", "attributes": ["a", "b"]}
    campaign = worlds.campaign(worlds.pool(table, **roles), seed=seed)
    worlds.play(campaign, worlds.labels(table, "truth"), turns=LABELS // 25, n=25)
    return campaign.surface()


def test_the_overall_number_is_covered_where_scores_tell_more_in_large_arms():
    """Null: 9 in 10 intervals hold the truth, so that fewer than 8 of 12 have a chance of .004.

    With slopes of the score by attribute alone 6 in 10 do, and errors are twice as large.
    """
    errors, covered = [], 0
    for seed in range(WORLDS):
        table = world(seed)
        true = float(np.mean(np.array(table["truth"].to_pylist()) == "yes"))
        overall = surface_of(table, seed).overall()
        errors.append(100 * (overall.mean - true))
        covered += overall.low <= true <= overall.high
    assert covered >= 8
    assert np.sqrt(np.mean(np.square(errors))) < 4
