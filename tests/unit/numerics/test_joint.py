"""Chances of combinations: every sum beside an enumeration, every spread beside a sorted list."""

from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import logsumexp

from spotheight.numerics.joint import spread as jointspread
from spotheight.numerics.joint.chances import EXACT_ARMS, FLOOR, Joint, exact
from spotheight.numerics.joint.levels import Levels
from spotheight.numerics.joint.sample import SampledSum
from spotheight.numerics.joint.sums import ExactSum

EXACTLY = 1e-10


def chances_of(rng, rows, levels, concentration=0.4):
    return tuple(rng.dirichlet(np.full(count, concentration), size=rows) for count in levels)


def joint_of(rng, levels, size=0.8):
    """Temperatures, tilts and pairs, all at random."""
    both = [(k, m) for k in range(len(levels)) for m in range(k + 1, len(levels))]
    return Joint(
        rng.uniform(0.5, 1.5, len(levels)),
        tuple(rng.normal(size=count) * size for count in levels),
        tuple(((k, m), rng.normal(size=(levels[k], levels[m])) * size) for k, m in both),
    )


def log_table(joint, chances, row):
    """The log weight of every combination by the formula, in lexicographic order."""
    table = []
    for codes in product(*(range(count) for count in joint.levels)):
        total = 0.0
        for k, code in enumerate(codes):
            floored = np.maximum(chances[k][row], FLOOR)
            total += joint.temperature[k] * np.log(floored[code] / floored.sum())
            total += joint.tilt[k][code]
        total += sum(pair[codes[k], codes[m]] for (k, m), pair in joint.pairs)
        table.append((codes, total))
    return table


@pytest.fixture(
    scope="module", params=[(2, 3, 4), (3,), (2, 1, 3), (2, 2, 2, 2, 2)], ids=lambda p: f"{p}"
)
def world(request):
    rng = default_rng(7)
    return joint_of(rng, request.param), chances_of(rng, 9, request.param), rng


def test_chances_are_those_of_an_enumeration(world):
    joint, chances, rng = world
    codes = np.stack([rng.integers(count, size=9) for count in joint.levels], axis=1)
    found = joint.log_chance(chances, codes)
    for row in range(9):
        table = dict(log_table(joint, chances, row))
        expected = table[tuple(codes[row])] - logsumexp(list(table.values()))
        assert found[row] == pytest.approx(expected, abs=EXACTLY)


def test_unknown_attributes_are_summed_out(world):
    joint, chances, rng = world
    codes = np.stack([rng.integers(-1, count, size=9) for count in joint.levels], axis=1)
    found = joint.log_chance(chances, codes)
    for row in range(9):
        table = log_table(joint, chances, row)
        fits = [
            t for a, t in table if all(c in (-1, x) for c, x in zip(codes[row], a, strict=True))
        ]
        expected = logsumexp(fits) - logsumexp([total for _, total in table])
        assert found[row] == pytest.approx(expected, abs=EXACTLY)
    nothing = np.full_like(codes, -1)
    np.testing.assert_allclose(joint.log_chance(chances, nothing), 0, atol=EXACTLY)


def test_marginals_are_sums_of_the_spread(world):
    joint, chances, _ = world
    everything = joint.spread(chances, cut=0.0, most=10**6)
    for k, marginal in enumerate(joint.marginals(chances)):
        summed = np.zeros_like(marginal)
        np.add.at(summed, (everything.row, everything.codes[:, k]), everything.weight)
        np.testing.assert_allclose(marginal, summed, atol=EXACTLY)


@pytest.mark.parametrize(("cut", "most"), [(0.0, 10**6), (0.05, 10**6), (0.0, 3), (0.2, 2)])
def test_a_spread_is_the_head_of_a_sorted_list(world, cut, most):
    joint, chances, _ = world
    found = joint.spread(chances, cut, most)
    for row in range(9):
        codes, score = zip(*log_table(joint, chances, row), strict=True)
        weight = np.exp(np.array(score) - max(score))
        kept = np.sort(np.argsort(-weight, kind="stable")[:most])
        kept = kept[weight[kept] >= cut]
        here = found.row == row
        assert found.codes[here].tolist() == [list(codes[arm]) for arm in kept]
        np.testing.assert_allclose(found.weight[here], weight[kept] / weight[kept].sum(), rtol=1e-9)


def test_a_beam_misses_nothing_without_pairs():
    rng = default_rng(1)
    levels = (2, 5, 3, 2, 4)
    chances = chances_of(rng, 200, levels)
    beam = Joint.product(levels).spread(chances, 0.01, 7)
    table = jointspread.Potential(Levels(levels), np.zeros((16, 16)))
    unary = Joint.product(levels).unary(chances)
    row, codes, _ = jointspread.Table.of(table).near(unary, jointspread.Limit(0.01, 7))
    assert beam.row.tolist() == row.tolist()
    assert beam.codes.tolist() == codes.tolist()


def test_a_beam_with_pairs_finds_nearly_all_weight(monkeypatch):
    rng = default_rng(2)
    joint, chances = joint_of(rng, (2,) * 10, 0.4), chances_of(rng, 300, (2,) * 10)
    full = joint.spread(chances, 0.01, 10)
    monkeypatch.setattr(jointspread, "EXACT_DENSE", 1)
    beam = joint.spread(chances, 0.01, 10)
    seen = {(row, *codes) for row, codes in zip(beam.row, map(tuple, beam.codes), strict=True)}
    found = [
        (row, *codes) in seen for row, codes in zip(full.row, map(tuple, full.codes), strict=True)
    ]
    assert np.average(found, weights=full.weight) > 0.99  # no theorem: a guard against decay


def test_what_an_item_gets_does_not_depend_on_others(world):
    joint, chances, _ = world
    whole = joint.spread(chances, 0.01, 4)
    alone = joint.spread(tuple(part[5:6] for part in chances), 0.01, 4)
    assert whole.codes[whole.row == 5].tolist() == alone.codes.tolist()
    assert whole.weight[whole.row == 5].tolist() == alone.weight.tolist()


def test_equally_likely_combinations_are_taken_in_order():
    chances = (np.full((2, 2), 0.5), np.full((2, 3), 1 / 3))
    found = Joint.product((2, 3)).spread(chances, 0.5, 4)
    assert found.codes[:4].tolist() == [[0, 0], [0, 1], [0, 2], [1, 0]]
    np.testing.assert_allclose(found.weight, 0.25)


def test_no_items_are_spread_over_nothing(world):
    joint, chances, _ = world
    none = tuple(part[:0] for part in chances)
    found = joint.spread(none, 0.01, 4)
    assert found.codes.shape == (0, len(joint.levels)) and found.weight.size == 0
    assert [part.shape for part in joint.marginals(none)] == [part.shape for part in none]


def test_a_sure_model_can_be_tempered():
    """With chances of exactly 0 and 1 a temperature sets the rate of errors."""
    error, sure = 0.2, (np.array([[1.0, 0.0], [0.0, 1.0]]),)
    power = np.log(error / (1 - error)) / np.log(FLOOR / 1.0)
    soft = Joint(np.array([power]), (np.zeros(2),)).marginals(sure)[0]
    np.testing.assert_allclose(soft, [[1 - error, error], [error, 1 - error]], atol=1e-6)


def test_blocks_give_what_one_block_gives():
    rng, levels = default_rng(3), Levels((2, 3, 2, 4))
    unary, weight = rng.normal(size=(50, levels.total)), rng.normal(size=50)
    theta = np.where(levels.above, rng.normal(size=(levels.total, levels.total)), 0)
    whole, parts = (
        ExactSum(levels)(unary, theta, weight),
        ExactSum(levels, 24)(unary, theta, weight),
    )
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=EXACTLY)


def test_sums_stand_steep_potentials():
    """No overflow, no zero, where combinations differ by hundreds of nats."""
    rng, levels = default_rng(4), Levels((2, 2, 2))
    unary = rng.normal(size=(4, levels.total)) * 100
    theta = np.where(levels.above, rng.normal(size=(levels.total, levels.total)) * 60, 0)
    sums = ExactSum(levels)(unary, theta, np.ones(4))
    pairs = jointspread.Potential(levels, theta)
    codes = np.array(list(product(range(2), repeat=3)))
    each = unary[:, levels.starts + codes].sum(axis=2) + pairs.of(codes)
    np.testing.assert_allclose(sums.log, logsumexp(each, axis=1), rtol=1e-9)


def test_a_sampled_sum_is_within_its_error_of_the_exact_one():
    """Draws of 200 rows; the standardised errors of their means are N(0, 1): alarm at 1e-6."""
    rng, levels, draws = default_rng(5), Levels((2, 3, 2, 2)), 4000
    unary = rng.normal(size=(200, levels.total))
    theta = np.where(levels.above, rng.normal(size=(levels.total, levels.total)) * 0.5, 0)
    sampled = SampledSum.of(levels, unary, rng, draws)
    exactly = ExactSum(levels)(unary, theta, np.ones(200))
    ratio = np.exp(sampled.log_weight(unary, theta) - exactly.log[:, None])
    error = (ratio.mean(axis=1) - 1) / (ratio.std(axis=1) / np.sqrt(draws))
    assert abs(error).max() < 5.8  # 200 rows times P(|N(0,1)| > 5.8) is 1e-6
    found = sampled(unary, theta, np.ones(200))
    np.testing.assert_allclose(found.log, np.log(ratio.mean(axis=1)) + exactly.log, atol=EXACTLY)
    assert abs(found.pair - exactly.pair).max() / 200 < 0.01
    assert abs(found.marginal - exactly.marginal).max() < 0.1


def test_a_million_combinations_are_the_last_that_are_exact():
    assert exact([2] * 20) and not exact([2] * 21)
    assert np.prod([2] * 20) == EXACT_ARMS
