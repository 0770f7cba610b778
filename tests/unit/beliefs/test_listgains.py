"""What a label tells of ranked lists, against all label sets of six items in two worlds."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng

from spotheight.beliefs import ItemBelief
from spotheight.beliefs.listgains import ListGains
from spotheight.evidence import ItemEvidence

CHANCES = np.array([[0.9, 0.8, 0.85, 0.3, 0.6, 0.0], [0.2, 0.3, 0.25, 0.4, 0.6, 0.0]])
SHARE = np.array([0.7, 0.3])
CATEGORY = np.array([0, 0, 0, 0, 1, 1])
TARGETS = np.array([[0.25, 0.25, 0.25, 0.25, 0.0, 0.0], [0.5, -0.1, 0.0, 0.2, 0.5, 0.5]])
LABELS = np.array(list(product([0.0, 1.0], repeat=6)))


@dataclass(frozen=True)
class TwoWorlds:
    """Chances hang together: all of one world, or all of the other."""

    def draw(self, n, rng, where):
        return CHANCES[rng.choice(2, size=n, p=SHARE)][:, where]

    def spread(self, where):
        chances = CHANCES[:, where]
        return (np.sqrt(SHARE)[:, None] * (chances - SHARE @ chances)).astype(np.float32)


@pytest.fixture
def belief():
    evidence = ItemEvidence(
        np.array([f"i{row}" for row in range(6)], dtype=object), CATEGORY, ("a", "b"), ("s",),
        default_rng(0).random((6, 1)), np.zeros((6, 0)), np.full(6, np.nan), np.ones(6),
    )  # fmt: skip
    return ItemBelief(evidence, SHARE @ CHANCES, TwoWorlds())


def mass():
    """The probability of every label set."""
    each = [np.prod(np.where(LABELS > 0, p, 1 - p), axis=1) for p in CHANCES]
    return SHARE @ np.array(each)


def variance(values, weight):
    mean = np.average(values, weights=weight)
    return np.average((values - mean) ** 2, weights=weight)


def covariance(x, y, weight):
    both = (np.average(part, weights=weight) for part in (x * y, x, y))
    together, first, second = both
    return together - first * second


def numbers(category):
    """Targets as far as they are about a category, for every label set."""
    return [LABELS @ np.where(category == CATEGORY, target, 0.0) for target in TARGETS]


def halves(item):
    """Label sets where an item is false, and where it is true, each with its probability."""
    for label in (0.0, 1.0):
        weight = mass() * (LABELS[:, item] == label)
        if weight.sum() > 0:
            yield weight.sum(), weight


def test_drops_of_variance_are_those_by_enumeration(belief):
    drop = ListGains.of(belief, TARGETS).drop()
    for item, category in enumerate(CATEGORY):
        expected = 0.0
        for number in numbers(category):
            left = sum(total * variance(number, weight) for total, weight in halves(item))
            expected += variance(number, mass()) - left
        assert drop[item] == pytest.approx(expected, abs=1e-7)


def test_after_a_label_others_are_worth_what_is_left_on_average(belief):
    """Covariances and variances given the label, averaged over what it may be."""
    gains = ListGains.of(belief, TARGETS)
    gains.took(1)
    drop, weights = gains.drop(), list(halves(1))
    for item in (0, 2, 3):
        pulls = [
            sum(total * covariance(LABELS[:, item], number, weight) for total, weight in weights)
            for number in numbers(0)
        ]
        left = sum(total * variance(LABELS[:, item], weight) for total, weight in weights)
        assert drop[item] == pytest.approx(sum(pull**2 for pull in pulls) / left, abs=1e-7)
    assert drop[1] == 0


def test_several_labels_are_a_regression_on_all_of_them(belief):
    """Against the covariance matrix of all labels, conditioned at once."""
    gains = ListGains.of(belief, TARGETS)
    for item in (2, 0):
        gains.took(item)
    spread = belief.spread(np.arange(4)).astype(float)
    whole = spread.T @ spread
    np.fill_diagonal(whole, belief.chance[:4] * (1 - belief.chance[:4]))
    known, rest = [2, 0], [1, 3]
    explained = whole[:, known] @ np.linalg.inv(whole[np.ix_(known, known)]) @ whole[known]
    left = whole - explained
    pull = TARGETS[:, :4] @ left
    expected = (pull**2).sum(axis=0)[rest] / np.diag(left)[rest]
    np.testing.assert_allclose(gains.drop()[rest], expected, atol=1e-7)
    np.testing.assert_allclose(gains.drop()[known], 0)


def test_a_label_leaves_other_categories_and_certain_items_alone(belief):
    gains = ListGains.of(belief, TARGETS)
    before = gains.drop().copy()
    gains.took(5)
    np.testing.assert_array_equal(gains.drop(), before)
    gains.took(0)
    assert gains.drop()[4] == before[4]
    assert before[5] == 0


def test_nothing_in_doubt_is_worth_nothing(belief):
    gains = ListGains.of(ItemBelief(belief.evidence, np.ones(6)), TARGETS)
    gains.took(0)
    np.testing.assert_array_equal(gains.drop(), 0)


def test_items_that_hang_together_are_worth_more_than_by_themselves(belief):
    """One of three that are true together or false together tells of the others."""
    chance, targets = belief.chance, TARGETS[:1]
    alone = ListGains.of(ItemBelief(belief.evidence, chance), targets).drop()
    np.testing.assert_allclose(alone, chance * (1 - chance) * targets[0] ** 2, atol=1e-7)
    assert (ListGains.of(belief, targets).drop()[:3] > 2 * alone[:3]).all()
