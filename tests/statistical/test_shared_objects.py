"""Rows of one object are no evidence apart from each other: what intervals make of that."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit

from spotheight.models.objects.steps import StepFit, StepRows

VETTED, OPEN, PAIRS, CATEGORIES = 60, 300, 6, 3
WORLDS, DRAWS = 40, 200
SPREAD = 1.5
"""Of objects' terms: what COCO boxes with jittered edges have."""


def world(seed):
    """Objects with pairs of one step each, and whether each was taken."""
    rng = default_rng([71, seed])
    size = VETTED + OPEN
    category = rng.integers(CATEGORIES, size=size)
    item = np.repeat(np.arange(size), PAIRS)
    margin = rng.standard_normal(len(item))
    columns = np.column_stack([np.ones(len(item)), margin])
    level = rng.normal(0.4, 0.3, CATEGORIES)[category] + rng.normal(0, SPREAD, size)
    hits = rng.random(len(item)) < expit(level[item] + margin)
    return StepRows(columns, margin, category[item], item, hits.astype(float), np.ones(len(item)))


def part(rows, chosen):
    names = ("columns", "margin", "category", "item", "hits", "trials")
    return StepRows(*(getattr(rows, name)[chosen] for name in names))


def is_covered(seed, objects):
    """Whether a 90% interval holds how many steps of open objects were taken."""
    rows = world(seed)
    taught, asked = part(rows, rows.item < VETTED), part(rows, rows.item >= VETTED)
    fit = StepFit.of(taught, CATEGORIES, np.array([0.5, 0.5, objects]))
    rng = default_rng([72, seed])
    drawn = fit.draw(DRAWS, rng)
    term = drawn.terms(VETTED + OPEN, rng)[:, asked.item]
    chance = drawn.passing([asked.columns], asked.category, term)[:, :, 0]
    taken = (rng.random(chance.shape) < chance).mean(axis=1)
    low, high = np.quantile(taken, [0.05, 0.95])
    return low <= asked.hits.mean() <= high


@pytest.mark.slow
def test_a_term_for_each_object_makes_intervals_honest():
    """With objects' terms 90% of 40 worlds, give or take 3 deviations of .047: 85%.

    Without them, each row counting apart, the evidence looks three times what it is: 68%.
    """
    ours = np.mean([is_covered(seed, 1.0) for seed in range(WORLDS)])
    apart = np.mean([is_covered(seed, 1e-3) for seed in range(WORLDS)])
    assert ours >= 0.9 - 3 * np.sqrt(0.09 / WORLDS)
    assert apart <= ours - 0.1


def test_what_objects_differ_by_is_learned():
    """The spread of the terms comes out within a third, from 360 objects with six rows each."""
    fit = StepFit.of(world(0), CATEGORIES, np.array([0.5, 0.5, 1.0]))
    learned = np.exp(fit.fits[0].log_scale[-1])
    assert learned == pytest.approx(SPREAD, rel=0.33)
