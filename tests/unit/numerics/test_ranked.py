"""Expectations over ranked lists beside full enumeration, slow quadrature, and draws."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.metrics import average_precision_score

from spotheight.numerics.ranking import lists as ranked
from spotheight.numerics.ranking.change import MOST_NODES, TOLERANCE, Tilted, powers

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)
EXACT = 1e-13  # of sums of 256 terms, each below 1
NONE = np.empty(0)

EIGHT = {
    "listed": ([0.9, 0.2, 0.7, 0.5, 0.05, 0.6, 0.3, 0.4], []),
    "rest": ([0.3, 0.8, 0.1, 0.6, 0.5], [0.4, 0.9, 0.02]),
    "partly known": ([1, 0.7, 0, 0.2, 1, 0.4], [0, 0.3]),
    "known rest": ([0.2, 0, 0.6, 0.1, 0.3], [1, 0, 1]),
    "unlikely": ([1e-4, 0, 1e-3, 1e-5, 0], [1e-4, 0, 1e-6]),
    "nothing listed": ([], [0.5, 0.2, 1, 0, 0.1, 0.3, 0.9, 0.8]),
    "all known": ([1, 0, 1, 0, 0], [1, 0, 0]),
    "all false": ([0, 0, 0, 0], [0, 0, 0, 0]),
}


@pytest.fixture(params=EIGHT.values(), ids=EIGHT.keys())
def eight(request):
    listed, rest = request.param
    return np.array(listed, dtype=float), np.array(rest, dtype=float)


def value_of_one(p, rest, positives=None):
    """The expected average precision of one list."""
    return Tilted.of(np.concatenate([p, rest]), positives).value(np.arange(len(p)))


def slope_of_one(p, rest, positives=None):
    """What a true label adds to it: of each item listed, then of each of the rest."""
    tilted = Tilted.of(np.concatenate([p, rest]), positives)
    return tilted.value_and_slope(np.arange(len(p)))[1]


# Oracles: written from the definitions, and sharing nothing with the code.


def plain_average_precision(listed, positives):
    """As in the definition, item by item."""
    total = sum(sum(listed[: k + 1]) / (k + 1) for k, label in enumerate(listed) if label)
    return total / positives if positives else 0.0


def enumerated(p, rest, positives=None):
    """The expectation over all labels of eight items."""
    both, total = np.concatenate([p, rest]), 0.0
    for labels in product([0, 1], repeat=len(both)):
        chance = np.prod(np.where(labels, both, 1 - both))
        n = sum(labels) if positives is None else positives
        total += chance * plain_average_precision(labels[: len(p)], n)
    return total


def both_ways(expectation, p, rest, *more):
    """The expectation with every item in turn true, and false."""
    both, size = np.concatenate([p, rest]), len(p)
    ends = []
    for label in (1.0, 0.0):
        known = [np.where(np.arange(len(both)) == i, label, both) for i in range(len(both))]
        ends.append(np.array([expectation(q[:size], q[size:], *more) for q in known]))
    return ends


@cache
def legendre(nodes):
    node, size = np.polynomial.legendre.leggauss(nodes)
    return (node + 1) / 2, size / 2


def slow(p, rest, nodes):
    """The integral of the method's page, in logarithms; exact with half as many nodes as items."""
    k, total = np.arange(1, len(p) + 1), 0.0
    for t, weight in zip(*legendre(nodes), strict=True):
        g = 1 - p + p * t
        log_product = np.log(g).sum() + np.log(1 - rest + rest * t).sum()
        before = np.cumsum(p * t / g) - p * t / g
        total += weight * np.sum(p / k * (1 + before) * np.exp(log_product - np.log(g)))
    return total


def second_order(p, rest):
    """Expanding 1/N around its mean, for long lists."""
    k = np.arange(1, len(p) + 1)
    first = (1 + np.cumsum(p) - p) / k
    gain = first + np.sum(p / k) - np.cumsum(p / k)
    both = np.concatenate([p, rest])
    s, m, v = np.sum(p * first), both.sum(), np.sum(both * (1 - both))
    return s / m - np.sum(p * (1 - p) * gain) / m**2 + s * v / m**3


def chances(n, mean, rng):
    """Chances that fall along n items, with about so many true ones in all; a fifth is known."""
    logit = 2 * rng.normal(size=n) - np.linspace(0, 6, n)
    shift = brentq(lambda shift: expit(logit + shift).sum() - mean, -30, 30)
    p = expit(logit + shift)
    known = rng.random(n) < 0.2
    return np.where(known, rng.random(n) < p, p).astype(float)


# One list.


def test_average_precision_is_the_definition():
    z = default_rng(0).integers(0, 2, size=(50, 8))
    found = ranked.average_precision(z[:, :5], z.sum(axis=1))
    expected = [plain_average_precision(list(one[:5]), sum(one)) for one in z]
    np.testing.assert_allclose(found, expected, atol=EXACT)


def test_average_precision_is_sklearns_where_all_are_listed():
    rng = default_rng(1)
    score = rng.permuted(np.tile(np.arange(200.0), (20, 1)), axis=1)
    z = rng.random((20, 200)) < expit(score / 50 - 3)
    ordered = np.take_along_axis(z, np.argsort(-score, axis=1), axis=1)
    found = ranked.average_precision(ordered, z.sum(axis=1))
    theirs = [average_precision_score(*one) for one in zip(z, score, strict=True)]
    np.testing.assert_allclose(found, theirs, atol=EXACT)


@pytest.mark.parametrize("positives", [None, 0, 3, 5])
def test_expectation_is_that_of_all_labels(eight, positives):
    found = value_of_one(*eight, positives)
    assert found == pytest.approx(enumerated(*eight, positives), abs=EXACT)


@pytest.mark.parametrize("positives", [None, 3])
def test_slopes_and_changes_are_those_of_all_labels(eight, positives):
    p = np.concatenate(eight)
    if_true, if_false = both_ways(enumerated, *eight, positives)
    slope = slope_of_one(*eight, positives)
    np.testing.assert_allclose(slope, if_true - if_false, atol=EXACT)
    now = enumerated(*eight, positives)
    moved = p * np.abs(if_true - now) + (1 - p) * np.abs(if_false - now)
    np.testing.assert_allclose(ranked.change(p, slope), moved, atol=EXACT)
    squared = p * (if_true - now) ** 2 + (1 - p) * (if_false - now) ** 2
    np.testing.assert_allclose(ranked.spread(p, slope) ** 2, squared, atol=EXACT)


@pytest.mark.parametrize("k", [1, 4, 8, 20])
def test_precision_is_that_of_all_labels(k):
    p, size = np.array(EIGHT["listed"][0]), min(k, 8)

    def expected(p, rest=NONE):
        every = np.array(list(product([0, 1], repeat=8)))
        weight = np.prod(np.where(every, p, 1 - p), axis=1)
        return weight @ every[:, :size].mean(axis=1)

    assert ranked.expected_precision(p, k) == pytest.approx(expected(p), abs=EXACT)
    if_true, if_false = both_ways(expected, p, NONE)
    slope = ranked.precision_slope(8, k)
    np.testing.assert_allclose(slope, if_true - if_false, atol=EXACT)
    moved = p * np.abs(if_true - expected(p)) + (1 - p) * np.abs(if_false - expected(p))
    np.testing.assert_allclose(ranked.change(p, slope), moved, atol=EXACT)


def test_an_empty_list_has_no_precision():
    assert ranked.expected_precision(NONE, 5) == 0
    assert ranked.precision_slope(0, 5).shape == (0,)
    assert value_of_one(NONE, NONE) == 0


# Long lists.


@pytest.mark.parametrize("mean", [0.02, 1, 4, 9.9, 10.1, 15, 25, 35, 60, 120, 250, 600])
def test_few_nodes_are_as_good_as_exact_ones(mean):
    """All rules, on both sides of where one gives way to the other; exact with 500 nodes."""
    p = chances(1000, mean, default_rng(5))
    p, rest = p[:850], p[850:]
    found = value_of_one(p, rest)
    assert found == pytest.approx(slow(p, rest, 500), abs=TOLERANCE)
    assert len(powers(np.concatenate([p, rest]))[0]) <= MOST_NODES


@pytest.mark.parametrize("mean", [0.5, 10.1, 35, 250, 600])
def test_slopes_of_long_lists_are_differences(mean):
    p = chances(1000, mean, default_rng(6))
    slope = slope_of_one(p[:850], p[850:])
    for i in (0, 1, 20, 400, 849, 850, 999):
        true, false = p.copy(), p.copy()
        true[i], false[i] = 1, 0
        ends = [slow(q[:850], q[850:], 500) for q in (true, false)]
        assert slope[i] == pytest.approx(ends[0] - ends[1], abs=2 * TOLERANCE)


def test_expectation_is_the_mean_of_draws():
    """Null: the mean of 2000 draws is normal around it; an alarm once in 1e6, beyond 6e-4."""
    rng = default_rng(7)
    p = chances(10_000, 300, rng)
    p, rest = p[:9000], p[9000:]
    found = value_of_one(p, rest)
    draws = []
    for _ in range(20):
        z = rng.random((100, 10_000)) < np.concatenate([p, rest])
        draws.append(ranked.average_precision(z[:, :9000], z.sum(axis=1)))
    draws = np.concatenate(draws)
    error = draws.std() / np.sqrt(len(draws))
    assert abs(draws.mean() - found) < Z * error
    assert Z * error < 0.001


@pytest.mark.parametrize(("n", "mean", "bound"), [(1000, 100, 5e-6), (10_000, 1000, 5e-8)])
def test_second_order_form_nearly_agrees(n, mean, bound):
    """Its next term is of order 1 / mean^2."""
    p = chances(n, mean, default_rng(8))
    p, rest = p[: n * 9 // 10], p[n * 9 // 10 :]
    found = value_of_one(p, rest)
    assert found == pytest.approx(second_order(p, rest), abs=bound)
    # Among 1000 true ones 128 nodes are as good as exact: their error is 1e-11 or less.
    assert found == pytest.approx(slow(p, rest, 128), abs=TOLERANCE)


def test_a_product_of_100_000_factors_does_not_vanish():
    p = np.full(100_000, 0.5)
    found = value_of_one(p, p)
    assert found == pytest.approx(second_order(p, p), abs=1e-9)
    slope = slope_of_one(p, p)
    # N grows by one, and a label in the rest finds nothing: AP / N is lost.
    assert slope[-1] == pytest.approx(-found / 100_000, rel=1e-3)


# Laws.

LISTS = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0]), min_size=2, max_size=60)


@given(LISTS, st.lists(st.floats(0, 1), max_size=20))
def test_expectation_is_a_share(p, rest):
    value = value_of_one(np.array(p), np.array(rest))
    assert -TOLERANCE <= value <= 1 + TOLERANCE


@given(LISTS, st.data())
def test_moving_a_likelier_item_up_does_not_lower_it(p, data):
    i, j = sorted(data.draw(st.lists(st.integers(0, len(p) - 1), min_size=2, max_size=2)))
    better, worse = np.array(p), np.array(p)
    better[[i, j]] = max(p[i], p[j]), min(p[i], p[j])
    worse[[i, j]] = min(p[i], p[j]), max(p[i], p[j])
    rest = np.array([0.3, 0.0, 1.0])
    ends = [value_of_one(q, rest) for q in (worse, better)]
    assert ends[0] <= ends[1] + 2 * TOLERANCE


@given(LISTS)
def test_a_label_to_come_leaves_the_expected_slopes_of_others(p):
    p, rest = np.array(p), np.array([0.2, 0.7])
    true, false = p.copy(), p.copy()
    true[0], false[0] = 1, 0
    slope, if_true, if_false = (slope_of_one(q, rest) for q in (p, true, false))
    after = p[0] * if_true + (1 - p[0]) * if_false
    np.testing.assert_allclose(after[1:], slope[1:], atol=4 * TOLERANCE)
    grown = p[0] * np.abs(if_true) + (1 - p[0]) * np.abs(if_false)
    assert (grown[1:] >= np.abs(slope[1:]) - 4 * TOLERANCE).all()


# Many lists.


@pytest.fixture(scope="module")
def many():
    """Three systems on 300 rows of six categories, mixed; one is empty, one list is empty too."""
    rng = default_rng(9)
    category = rng.choice([0, 1, 2, 4, 5], size=300, p=[0.5, 0.3, 0.1, 0.05, 0.05])
    score = rng.normal(size=(3, 300))
    score[rng.random((3, 300)) < 0.3] = np.nan
    score[1, category == 2] = np.nan
    return chances(300, 60, rng), ranked.Lists.of(score, category, 6), category, score


def single(many, system, c):
    """The rows of one list, the best first, and the rest of its category."""
    _, _, category, score = many
    rows = np.flatnonzero(category == c)
    rows = rows[np.argsort(-score[system, rows])]
    missing = np.isnan(score[system, rows])
    return rows[~missing], rows[missing]


@pytest.mark.parametrize("positives", [None, np.array([40, 20, 5, 0, 3, 2])])
def test_many_lists_are_each_one_by_itself(many, positives):
    p, lists, _, _ = many
    values, slopes = ranked.average_precision_slopes(p, lists, positives)
    np.testing.assert_allclose(
        ranked.expected_average_precisions(p, lists, positives), values, atol=EXACT
    )
    for system, c in product(range(3), range(6)):
        listed, rest = single(many, system, c)
        known = None if positives is None else positives[c]
        one = value_of_one(p[listed], p[rest], known)
        assert values[system, c] == pytest.approx(one, abs=EXACT)
        slope = slope_of_one(p[listed], p[rest], known)
        found = slopes[system, np.concatenate([listed, rest])]
        np.testing.assert_allclose(found, slope, atol=EXACT)


def test_many_precisions_are_each_one_by_itself(many):
    p, lists, _, _ = many
    values, slopes = ranked.expected_precisions(p, lists, 10), ranked.precision_slopes(lists, 10)
    for system, c in product(range(3), range(6)):
        listed, rest = single(many, system, c)
        assert values[system, c] == ranked.expected_precision(p[listed], 10)
        slope = ranked.precision_slope(len(listed), 10)
        np.testing.assert_array_equal(slopes[system, listed], slope)
        assert not slopes[system, rest].any()


def test_draws_of_many_lists_are_each_one_by_itself(many):
    p, lists, category, _ = many
    z = default_rng(10).random((20, 300)) < p
    values = ranked.average_precisions(z, lists)
    assert values.shape == (20, 3, 6)
    for system, c in product(range(3), range(6)):
        listed, _ = single(many, system, c)
        positives = z[:, category == c].sum(axis=1)
        one = ranked.average_precision(z[:, listed], positives)
        np.testing.assert_allclose(values[:, system, c], one, atol=EXACT)


def test_the_change_of_a_gap_is_that_of_all_labels():
    """An item that one system lists and the other does not counts for both."""
    p = np.array(EIGHT["listed"][0])
    score = np.array([np.arange(8.0), [3, np.nan, 1, np.nan, 0, 5, 4, 2]])
    lists = ranked.Lists.of(score, np.zeros(8, dtype=int), 1)

    def gap(p, rest=NONE):
        first, second = ([7, 6, 5, 4, 3, 2, 1, 0], [5, 6, 0, 7, 2, 4])
        return enumerated(p[first], NONE) - enumerated(p[second], p[[1, 3]])

    values, slopes = ranked.average_precision_slopes(p, lists)
    assert values[0, 0] - values[1, 0] == pytest.approx(gap(p), abs=EXACT)
    if_true, if_false = both_ways(gap, p, NONE)
    moved = p * np.abs(if_true - gap(p)) + (1 - p) * np.abs(if_false - gap(p))
    np.testing.assert_allclose(ranked.change(p, slopes[0] - slopes[1]), moved, atol=EXACT)
