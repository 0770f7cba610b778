"""Numbers are honest where `gain` labels small arms and large ones are another matter."""

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng
from scipy.special import expit

import worlds


def sizes(rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """The arm of every item, 6 to 400 in each, and how large its arm is, from -1 to 1."""
    size = np.rint(np.exp(rng.uniform(np.log(6), np.log(400), 120))).astype(int)
    arm = np.repeat(np.arange(len(size)), size)
    return arm, (np.log(size / 49) / np.log(400 / 49))[arm]


def table_of(hit: np.ndarray, a: np.ndarray, b: np.ndarray, **more: np.ndarray) -> pa.Table:
    """A service that always says yes, and is right or not."""
    columns = {"id": np.arange(len(hit)), "a": a, "b": b, "prediction": np.repeat("yes", len(hit))}
    texts = {name: values.astype(str) for name, values in columns.items()}
    return pa.table({**texts, "truth": np.where(hit, "yes", "no"), **more})


def scored_world(seed: int) -> pa.Table:
    """The score tells little in small arms and much in large ones."""
    rng = default_rng(seed)
    arm, largeness = sizes(rng)
    sureness = rng.normal(1, 1.3, len(arm))
    hit = rng.random(len(arm)) < expit(0.2 + (0.9 + 0.7 * largeness) * sureness)
    return table_of(hit, arm % 12, arm // 12, score=expit(sureness))


def rare_world(seed: int) -> pa.Table:
    """Two levels of b are bad where they are rare and good where they are common."""
    rng = default_rng(seed)
    arm, largeness = sizes(rng)
    a, b = arm % 40, arm // 40
    eta = 2.5 + rng.normal(0, 0.5, 40)[a] + np.array([0, 1.0, 2.5])[b] * largeness
    return table_of(rng.random(len(arm)) < expit(eta), a, b)


def surface_of(table: pa.Table, seed: int, labels: int):
    """What a campaign of default choices believes in the end."""
    roles = {"id": "id", "prediction": "prediction", "attributes": ["a", "b"]}
    roles |= {"score": "score"} if "score" in table.column_names else {}
    campaign = worlds.campaign(worlds.pool(table, **roles), seed=seed)
    worlds.play(campaign, worlds.labels(table, "truth"), turns=labels // 25, n=25)
    return campaign.surface()


def test_the_overall_number_is_covered_where_scores_tell_more_in_large_arms():
    """Null: 9 in 10 intervals hold the truth, so that fewer than 18 of 24 have a chance of .007.

    Errors of 3.6 points, as forty worlds have them, would look like 5 with a chance of .005. With
    slopes of the score by attribute alone 6 in 10 are held, and errors are twice as large.
    """
    errors, covered = [], 0
    for seed in range(24):
        table = scored_world(seed)
        true = float(np.mean(np.array(table["truth"].to_pylist()) == "yes"))
        overall = surface_of(table, seed, labels=200).overall()
        errors.append(100 * (overall.mean - true))
        covered += overall.low <= true <= overall.high
    assert covered >= 18
    assert np.sqrt(np.mean(np.square(errors))) < 5


def large_arms(table: pa.Table, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each arm of a hundred items: whether its interval holds the truth, and the error."""
    surface = surface_of(table, seed, labels=400)
    low, high = surface.interval()
    rows = surface.frame().to_pandas().assign(mean=surface.mean, low=low, high=high)
    true = (
        table.to_pandas()
        .groupby(["a", "b"])["truth"]
        .agg(size="size", accuracy=lambda said: (said == "yes").mean())
    )
    rows = rows.join(true, on=["a", "b"])
    rows = rows[rows["size"] >= 100]
    is_held = rows["accuracy"].between(rows["low"], rows["high"])
    return is_held, 100 * (rows["mean"] - rows["accuracy"])


def test_large_arms_are_covered_where_a_level_is_bad_only_where_it_is_rare():
    """Some 330 arms in 8 worlds; in 9 of 10 the interval holds the truth.

    Shares of a world deviate by .06, so that a mean below .82 has a chance of .0001. With terms
    that are the same in arms of any size .77 are held, and errors are a fifth larger.
    """
    found = [large_arms(rare_world(seed), seed) for seed in range(8)]
    covered, errors = (np.concatenate(part) for part in zip(*found, strict=True))
    assert covered.mean() > 0.82
    assert np.sqrt(np.mean(errors**2)) < 5.2
