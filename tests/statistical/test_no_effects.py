"""Where nothing matters, the overall number is no surer than a share of so many labels."""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from spotheight.numerics.distributions import betabinomial
from spotheight.policies.gain import Gain
from spotheight.policies.passive import Random
from spotheight.pool import Pool
from spotheight.types import FloatArray

ITEMS, LABELS, WORLDS = 3000, 20, 16


@cache
def pool_of_noise(seed: int) -> tuple[Pool, dict[str, str]]:
    """Right by the toss of a coin, with two attributes and a score that know nothing of it."""
    rng = default_rng(seed)
    columns = {
        "id": [f"i{place:04}" for place in range(ITEMS)],
        "prediction": ["yes"] * ITEMS,
        "a": rng.integers(0, 3, ITEMS).astype(str),
        "b": rng.integers(0, 4, ITEMS).astype(str),
        "score": rng.random(ITEMS),
        "truth": np.where(rng.random(ITEMS) < 0.5, "yes", "no"),
    }
    table = pa.table(columns)
    roles = {"prediction": "prediction", "score": "score", "attributes": ["a", "b:ordered=0,1,2,3"]}
    return worlds.pool(table, id="id", **roles), worlds.labels(table, "truth")


def widths(seed: int, policy: Gain | Random) -> tuple[float, float]:
    """Of the 90% interval of the overall number, and of Jeffreys' for as many labels."""
    pool, truth = pool_of_noise(seed)
    campaign = worlds.campaign(pool, policy=policy, seed=seed)
    asked = worlds.play(campaign, truth, turns=1, n=LABELS)
    found = campaign.surface().overall()
    hits = sum(truth[query.item] == "yes" for query in asked)
    return found.high - found.low, float(np.diff(jeffreys(hits))[0])


def jeffreys(hits: int) -> FloatArray:
    """The ends of the 90% interval of the pool's accuracy, where labels are a random sample."""
    a, b = (np.full((1, 1), count + 0.5) for count in (hits, LABELS - hits))
    rest = np.array([ITEMS - LABELS])
    ends = betabinomial.mixture_interval(rest, a, b, np.ones(1), 0.9)
    return (hits + np.concatenate(ends)) / ITEMS


@pytest.mark.parametrize("policy", [Random(), Gain()], ids=["random", "gain"])
def test_where_nothing_matters_the_overall_number_is_as_wide_as_a_share(policy):
    """Null: intervals are .975 as wide as Jeffreys' on average, or wider.

    Widths of a world deviate by .053 of that, so that a mean of 16 below .93 has a chance of .0003.
    Power: .998. A surface that is sure that attributes and scores matter before it has seen any of
    them is at .89 with random labels, and at .81 with those that it chooses.
    """
    ours, theirs = np.transpose([widths(seed, policy) for seed in range(WORLDS)])
    assert ours.mean() > 0.93 * theirs.mean()
    assert ours.mean() < 1.1 * theirs.mean()
