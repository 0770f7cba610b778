"""A small world of ranked lists of tags with noisy labels, and campaigns in it, for tests."""

from functools import cache

import numpy as np
import pyarrow as pa
from numpy.random import default_rng

from spotheight import Campaign, PrecisionAt, Spec, read_pool

TAGS, IMAGES, K = ("bird", "boat", "cat", "dog"), 60, 20
SEEN = {True: 0.6, False: 0.1}
"""How often an item has a noisy yes, by its truth."""


@cache
def table() -> pa.Table:
    rng = default_rng(5)
    size = len(TAGS) * IMAGES
    truth = rng.random(size) < 0.5
    rate = np.where(truth, SEEN[True], SEEN[False])
    return pa.table(
        {
            "image": [f"i{k:02}" for _ in TAGS for k in range(IMAGES)],
            "tag": [tag for tag in TAGS for _ in range(IMAGES)],
            "good": rng.normal(2.0 * truth),
            "poor": rng.normal(0.5 * truth),
            "noisy": (rng.random(size) < rate).astype(float),
            "truth": truth.astype(int),
        }
    )


def truths() -> dict[str, str]:
    return {f"{row['image']}|{row['tag']}": str(row["truth"]) for row in table().to_pylist()}


def campaign(vetted: int = 60, batches: int = 3, **spec) -> Campaign:
    scores = {"good": "good", "poor": "poor"}
    roles = {"id": "image", "category": "tag", "noisy_label": "noisy", "score": scores}
    made = Campaign(read_pool(table(), **roles), Spec(**{"task": PrecisionAt(K), **spec}))
    known = truths()
    for _ in range(batches if vetted else 0):
        made.tell({query.item: known[query.item] for query in made.ask(vetted // batches)})
    return made
