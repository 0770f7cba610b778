"""Odds foreseen by other labels beside fits without them, and curves that leave their line."""

from dataclasses import replace

import numpy as np
from numpy.random import default_rng
from scipy.special import expit

from spotheight.evidence import ItemEvidence
from spotheight.models.lists.features import FOLDS, LINE, SURE, Features
from spotheight.numerics.regression.blocks import Place, learn_scales, mode_at


def evidence(seed=0, categories=6, size=80, share=0.5):
    """One service; categories differ in level and slope."""
    rng = default_rng(seed)
    category = np.repeat(np.arange(categories), size)
    score = rng.normal(size=len(category))
    slope = rng.normal(2.0, 0.7, categories)[category]
    truth = (rng.random(len(category)) < expit(slope * score)).astype(float)
    noisy = (rng.random(len(category)) < np.where(truth == 1, 0.4, 0.05)).astype(float)
    return ItemEvidence(
        np.array([f"i{row:05d}" for row in range(len(category))], dtype=object),
        category,
        tuple(f"c{c}" for c in range(categories)),
        ("s",),
        score[:, None],
        noisy[:, None],
        np.where(rng.random(len(category)) < share, truth, np.nan),
        np.ones(len(category)),
    )


def without(seen, part):
    """Log odds by a fit from nothing to the labels of the other parts, at the scales of all."""
    features = Features.of(seen)
    scale = learn_scales(features.problem()).log_scale
    hidden = np.where(np.arange(len(seen)) % FOLDS == part, np.nan, seen.truth)
    problem = Features.of(replace(seen, truth=hidden)).problem()
    nowhere = np.zeros((1 + problem.groups, len(problem.prior_scale)))
    weight = mode_at(problem, scale, Place.of(problem, nowhere)).place.weight
    return np.einsum("rf,rf->r", features.columns, weight[seen.category])


def test_odds_are_foreseen_by_the_labels_of_other_parts():
    """A search that ends 1e-4 of log density early is off by .014 deviations; odds have about 1."""
    seen = evidence()
    said = np.array([without(seen, part) for part in range(FOLDS)])
    own = said[np.arange(len(seen)) % FOLDS, np.arange(len(seen))]
    expected = np.where(seen.is_vetted, own, said.mean(axis=0))
    np.testing.assert_allclose(Features.of(seen).foreseen(), expected, atol=0.02)


def test_columns_of_the_ends_are_hats():
    far = SURE[-1]
    odds = np.array([-2 * far, -SURE[0], -LINE, 0.0, LINE, (LINE + SURE[0]) / 2, SURE[0], far])
    features = Features.of(evidence(size=1, categories=len(odds)))
    ends = features.bent(odds).columns[:, features.columns.shape[1] :]
    first, last = [0, 0, 0, 0, 0, 0.5, 1, 0], [0, 0, 0, 0, 0, 0, 0, 1]
    np.testing.assert_array_equal(ends[:, :2].T, [first, last])
    np.testing.assert_array_equal(ends[:, 2:].T, [[0, 1, 0, 0, 0, 0, 0, 0], [1] + [0] * 7])


def test_where_no_odds_are_long_there_are_no_ends():
    features = Features.of(evidence())
    bent = features.bent(np.full(len(features.evidence), LINE))
    np.testing.assert_array_equal(bent.columns, features.columns)
