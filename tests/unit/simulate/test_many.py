"""Many runs at once: one run is the loop, and leaving out what cannot win changes no law."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng
from scipy.special import betainc, betaincinv
from scipy.stats import chi2_contingency, kstest

import spotheight as sh
from spotheight.errors import InputError
from spotheight.models.beta import Beta
from spotheight.numerics.ranking.verdicts import expected_sureness, verdicts
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Random
from spotheight.policies.sureness import ExpectedLambda
from spotheight.policies.thompson import MultiplePlay, Thompson, TopTwo
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.simulate.many import (
    EstimateConfusion,
    EstimateRate,
    FindCalibration,
    FindCost,
    FindRate,
    Luck,
    Runs,
    Trace,
    World,
    run_many,
)
from spotheight.simulate.many.chances import LAST_BASE, PARTS, RUNGS, Chances
from spotheight.simulate.many.duels import Duels, surest_group, verdict_chances
from spotheight.simulate.many.ladder import Ladder
from spotheight.simulate.many.pick import PickDrawn
from spotheight.simulate.many.race import Race, racer_of
from spotheight.simulate.many.tails import draw_below, draw_between

FALSE_ALARM = 1e-6

ITEMS = np.array([[9, 3], [5, 6], [12, 1], [2, 7], [4, 4]])
"""Hits and misses of five groups."""


def labelled_pool():
    """The same as a table; inside a group ids lie ordered by outcome, hits first."""
    rows = [
        (f"{group}-{outcome}-{number:03d}", f"g{group}", "yes", "yes" if outcome == 0 else "no")
        for group, counts in enumerate(ITEMS)
        for outcome, count in enumerate(counts)
        for number in range(count)
    ]
    table = pd.DataFrame(rows, columns=["id", "group", "said", "truth"])
    pool = sh.read_pool(table, id="id", prediction="said", attributes=["group"])
    return pool, dict(zip(table["id"], table["truth"], strict=True))


def labels_of_loop(policy, task, seed, together):
    """(group, outcome) of every label, while so many groups are open as get a label at once."""
    pool, truth = labelled_pool()
    spec = sh.Spec(estimator=Beta("uninformed"), policy=policy, task=task, seed=seed)
    campaign, found, left = sh.Campaign(pool, spec), [], ITEMS.sum(axis=1)
    while (left > 0).sum() >= together:
        queries = campaign.ask(together)
        campaign.tell({query.item: truth[query.item] for query in queries})
        found += [tuple(int(part) for part in query.item.split("-")[:2]) for query in queries]
        for group, _ in found[-together:]:
            left[group] -= 1
    return found


def labels_of_batch(policy, goal, seed):
    found, before = [], [np.zeros_like(ITEMS)]

    def look(runs):
        seen = ITEMS - runs.left[0]
        found.append(tuple(map(int, np.argwhere(seen > before[0])[0])))
        before[0] = seen

    runs = Runs.begin(World(ITEMS, np.ones(ITEMS.shape)), 1)
    run_many(runs, goal, policy, luck=Luck.of_campaigns([seed]), watch=[look])
    return found


SHARE = World(ITEMS, np.ones(ITEMS.shape)).share
PAIRS = [
    (Random(), Estimate(), EstimateRate(SHARE), 1),
    (Thompson(draws=1), Estimate(), EstimateRate(SHARE), 1),
    (Thompson(draws=1), Identify(), FindRate(), 1),
    (Thompson(draws=1), Identify(best=1), FindRate(is_best=True), 1),
    (MultiplePlay(), Identify(2), FindRate(2), 2),
    (MultiplePlay(), Identify(3), FindRate(3), 3),
    (EpsilonGreedy(0.3), Estimate(), EstimateRate(SHARE), 1),
    (EpsilonGreedy(0.3), Identify(), FindRate(), 1),
    (EpsilonGreedy(0.3), Identify(3), FindRate(3), 3),
    (BayesUCB(), Identify(), FindRate(), 1),
    (BayesUCB(), Identify(2), FindRate(2), 2),
]


@pytest.mark.parametrize(("policy", "task", "goal", "together"), PAIRS)
@pytest.mark.parametrize("seed", [0, 3])
def test_one_run_is_the_loop_label_by_label(policy, task, goal, together, seed):
    loop = labels_of_loop(policy, task, seed, together)
    assert len(loop) > 30
    assert labels_of_batch(policy, goal, seed)[: len(loop)] == loop


def test_top_two_is_the_loop_while_there_is_a_rival():
    loop = labels_of_loop(TopTwo(draws=1), Identify(), 5, 1)
    batch = labels_of_batch(TopTwo(draws=1), FindRate(), 5)
    left, open_turns = ITEMS.sum(axis=1), 0
    while (left > 0).sum() > 1:
        left[loop[open_turns][0]] -= 1
        open_turns += 1
    assert open_turns > 30
    assert batch[:open_turns] == loop[:open_turns]


@pytest.mark.parametrize(
    ("policy", "goal"),
    [
        (Random(), FindRate()),
        (Thompson(draws=1), EstimateRate(SHARE)),
        (TopTwo(draws=1), FindRate()),
        (MultiplePlay(), FindRate(3)),
        (EpsilonGreedy(), EstimateRate(SHARE)),
        (EpsilonGreedy(0.5), FindRate(3)),
        (BayesUCB(), FindRate()),
        (BayesUCB(), FindRate(2)),
    ],
)
def test_runs_end_with_everything_labelled(policy, goal):
    world = World(ITEMS, np.full(ITEMS.shape, 0.5))
    runs = run_many(Runs.begin(world, 7), goal, policy, luck=Luck.of(default_rng(1)))
    assert (runs.labels == world.total).all() and not runs.left.any() and not runs.held.any()
    np.testing.assert_allclose(runs.alpha, np.broadcast_to(ITEMS + 0.5, runs.alpha.shape))


def test_other_outcomes_end_with_everything_labelled():
    items = default_rng(2).integers(1, 4, (3, 4))
    share = items.sum(axis=1) / items.sum()
    goals = [
        (FindCalibration(np.full((3, 2), 0.7), np.full((3, 2), 0.5), 2), MultiplePlay()),
        (FindCost(np.arange(12.0).reshape(3, 4)), Thompson(draws=1)),
        (EstimateConfusion(share), Thompson(draws=1)),
    ]
    for goal, policy in goals:
        begun = Runs.begin(World(items, np.ones(items.shape)), 5)
        runs = run_many(begun, goal, policy, luck=Luck.of(default_rng(3)))
        np.testing.assert_array_equal(runs.alpha[0], items + 1.0)


def test_an_item_of_a_group_is_drawn_from_all_that_are_left_alike():
    """Null: hits of 5 draws out of 9 hits and 3 misses are hypergeometric."""
    runs = Runs.begin(World(ITEMS[:1], np.ones((1, 2))), 20_000)
    rng, rows = default_rng(4), np.arange(20_000)
    for _ in range(5):
        runs.take(rows, np.zeros_like(rows), rng.random(20_000))
    plain = default_rng(5).hypergeometric(9, 3, 5, 20_000)
    table = [np.bincount(x, minlength=6)[2:] for x in (9 - runs.left[:, 0, 0], plain)]
    assert chi2_contingency(table).pvalue > FALSE_ALARM


def test_a_curve_reads_each_run_at_its_own_labels():
    world = World(ITEMS, np.ones(ITEMS.shape))
    curve = Trace([3, 10], lambda alpha: alpha.sum(axis=(1, 2)) - 10, 4)
    run_many(
        Runs.begin(world, 4), FindRate(3), MultiplePlay(), luck=Luck.of(default_rng(6)),
        until=10, watch=[curve],
    )  # fmt: skip
    np.testing.assert_allclose(curve.values, [[3.0] * 4, [10.0] * 4])


@pytest.mark.parametrize(
    ("a", "b", "limit"),
    [(3, 100, 0.015), (0.3, 1.7, 0.001), (1.01, 30, 0.01), (100, 100, 0.47), (50, 20, 0.6),
     (1, 1, 0.2), (20, 0.5, 0.8), (0.06, 2.9, 1e-6), (30, 10, 0.9), (5, 1.3, 0.4)],
)  # fmt: skip
def test_tails_are_drawn_from_their_law(a, b, limit):
    """Null: F(x) / F(limit) is uniform."""
    shapes = [np.full(20_000, float(value)) for value in (a, b, limit)]
    chance = betainc(*shapes)
    drawn = draw_below(*shapes, chance, default_rng(7))
    assert kstest(betainc(*shapes[:2], drawn) / chance, "uniform").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [(70, 30, 0.5, 0.53), (70, 30, 0, 0.55), (1.8, 0.2, 0.3, 0.4), (1.8, 0.2, 0.95, 1),
     (0.3, 1.7, 0, 0.05), (0.3, 1.7, 0.01, 0.1), (30, 0.6, 0.97, 1), (40, 60, 0.38, 0.42),
     (1, 1, 0.2, 0.4), (3, 0.2, 0, 0.2)],
)  # fmt: skip
def test_slices_are_drawn_from_their_law(a, b, low, high):
    """Null: (F(x) - F(low)) / (F(high) - F(low)) is uniform."""
    shapes = [np.full(20_000, float(value)) for value in (a, b, low, high)]
    below, above = betainc(*shapes[:3]), betainc(*shapes[:2], shapes[3])
    drawn = draw_between(*shapes, default_rng(7))
    share = (betainc(*shapes[:2], drawn) - below) / (above - below)
    assert kstest(share, "uniform").pvalue > FALSE_ALARM


def test_chances_of_all_states_are_what_lies_below():
    prior = np.array([[1.8, 0.2], [0.3, 1.7], [5e-7, 5e-7]])
    items = np.array([[40, 9], [3, 60], [10, 10]])
    chances = Chances.of(items, prior)
    for group, seen in ((0, (40, 8)), (0, (0, 9)), (1, (2, 31)), (2, (9, 3)), (2, (0, 0))):
        state = chances.begin[group] + seen @ chances.stride[:, group]
        below = betainc(*(prior[group] + seen), chances.rungs)
        whole = np.minimum(np.floor(PARTS * below), PARTS - 1)
        np.testing.assert_array_equal(chances.table[state], whole)
    last = chances.begin + (items * chances.stride.T).sum(axis=1)
    assert not chances.table[last].any()
    np.testing.assert_array_equal(last, [*chances.begin[1:] - 1, len(chances.table) - 1])


def test_a_cell_holds_the_rate_whose_chance_was_drawn():
    """By inverting the Beta itself; where a part more may lie beyond, both ends of the part do."""
    rng, prior, items = default_rng(16), np.array([[1.8, 0.2], [0.3, 1.7]]), np.array([[40, 9]] * 2)
    chances = Chances.of(items, prior)
    group, seen = rng.integers(0, 2, 5000), rng.integers(0, [40, 9], (5000, 2))
    state = chances.begin[group] + (seen * chances.stride.T[group]).sum(axis=1)
    base = rng.integers(0, LAST_BASE + 1, 5000)
    luck = rng.integers(0, PARTS, 5000, dtype=np.uint16)
    luck[:100] = chances.table[state[:100], base[:100] + 1]
    cell, is_close = chances.cells(state, base, luck)
    ends = [betaincinv(*(prior[group] + seen).T, (luck + part) / PARTS) for part in (0.0, 1.0)]
    first, last = (chances.cells_of(rate, base) for rate in ends)
    sure = ~is_close
    np.testing.assert_array_equal(first[sure], cell[sure])
    np.testing.assert_array_equal(last[sure], cell[sure])
    assert 90 < is_close.sum() < 300
    low, high = chances.limits(base, cell)
    assert (np.searchsorted(chances.rungs, high) - np.searchsorted(chances.rungs, low) == 1).any()
    assert chances.is_open(state).all() and not chances.is_open(chances.begin[1:] - 1).any()


@pytest.mark.parametrize("plays", [1, 4])
def test_wherever_the_roof_is_the_choice_is_that_of_plain_draws(plays):
    """Null: with roofs anywhere, groups are chosen as often as by drawing all of them."""
    rng, goal, found = default_rng(17), FindRate(plays), []
    items, prior = rng.integers(0, 30, (40, 2)) + 1, rng.uniform(0.05, 3, (40, 2))
    for is_plain in (True, False):
        runs = Runs.begin(World(items, prior), 20_000)
        runs.held[:, 0] = 0  # exhausted, though not known to the ladder before its state says so
        picker = PickDrawn(goal, plays) if is_plain else Ladder.of(runs, plays, False)
        if isinstance(picker, Ladder):
            picker.state[:, 0] = picker.chances.begin[1] - 1
            picker.top = rng.integers(1, RUNGS + 1, len(runs))
            picker.roof = picker.chances.first_bytes(picker.state, picker.top[:, None])
        labels = [one for one, _ in picker.pick(runs, rng, False)]
        rows, group = (np.concatenate(part) for part in zip(*labels, strict=True))
        np.testing.assert_array_equal(np.bincount(rows), plays)
        found.append(np.bincount(group, minlength=40))
    table = np.array(found)[:, np.sum(found, axis=0) > 10]
    assert chi2_contingency(table).pvalue > FALSE_ALARM


CLIMB = {
    "lowest": FindRate(),
    "highest": FindRate(is_best=True),
    "several": FindRate(4),
    "several highest": FindRate(3, is_best=True),
}


def choices(picker, runs, rng, plays, is_seen):
    """What every run chooses in each step, as one number below 40: its groups, in order if seen."""
    while runs.held.any():
        total, most = np.zeros(len(runs), dtype=int), (runs.held > 0).sum(axis=1)
        labels = [one for one, _ in picker.pick(runs, rng, is_seen)]
        for turn, (rows, group) in enumerate(labels):
            assert (runs.held[rows, group] > 0).all()
            outcome = runs.take(rows, group, rng.random(len(rows)))
            picker.told(runs, (rows, group), outcome)
            np.add.at(total, rows, group**2 + 3 * group + 7 * turn * group * is_seen)
        rows = np.concatenate([rows for rows, _ in labels])
        np.testing.assert_array_equal(np.bincount(rows, minlength=len(runs)), most.clip(max=plays))
        yield total % 40 if plays > 1 else np.concatenate([group for _, group in labels])


@pytest.mark.parametrize(
    ("side", "is_seen"), [*((side, False) for side in CLIMB), ("several", True)]
)
def test_a_ladder_changes_no_choice(side, is_seen):
    """Null: both ways choose alike often, from the first label to the last ones."""
    rng, goal = default_rng(13), CLIMB[side]
    plays, found = goal.plays, []
    world = World(rng.integers(1, 3, (40, 2)), rng.uniform(0.05, 3, (40, 2)))
    end = world.total // plays
    begun = [Runs.begin(world, 600) for _ in range(2)]
    ways = (PickDrawn(goal, plays), Ladder.of(begun[1], plays, goal.is_best))
    for picker, runs in zip(ways, begun, strict=True):
        steps = list(choices(picker, runs, rng, plays, is_seen))
        assert not runs.left.any() and (runs.labels == world.total).all()
        found.append(
            [np.bincount(steps[at], minlength=40) for at in (0, end // 4, 2 * end // 3, end - 3)]
        )
    for one, other in zip(*found, strict=True):
        table = np.array([one, other])[:, one + other > 10]
        assert chi2_contingency(table).pvalue > FALSE_ALARM


def test_a_curve_reads_inside_a_step_what_a_slow_run_would():
    """Null: the tenth label, first of its step, is from the same groups with and without a look."""
    world = World(np.full((40, 2), 5), default_rng(14).uniform(0.3, 3, (40, 2)))
    found = []
    for watch in ([], [lambda runs: None]):
        curve = Trace([9, 10], lambda alpha: alpha[..., 0].argmax(axis=1), 2000)
        luck = Luck.of(default_rng(15))
        run_many(
            Runs.begin(world, 2000), FindRate(3), MultiplePlay(), luck=luck, until=10,
            watch=[curve, *watch],
        )  # fmt: skip
        assert np.isfinite(curve.values).all()
        found.append(np.bincount(curve.values[1].astype(int), minlength=40))
    table = np.array(found)[:, np.sum(found, axis=0) > 10]
    assert chi2_contingency(table).pvalue > FALSE_ALARM


def test_a_ladder_is_for_runs_that_stand_alike():
    world = World(np.full((40, 2), 9), np.ones((40, 2)))
    runs = Runs.begin(world, 3)
    assert isinstance(racer_of(Thompson(draws=1), FindRate(), runs), Ladder)
    runs.take(np.array([1]), np.array([5]), np.array([0.5]))
    assert isinstance(racer_of(Thompson(draws=1), FindRate(), runs), Race)


@pytest.mark.parametrize(
    ("goal", "plays"),
    [(lambda w: EstimateRate(w.share), 1), (lambda w: FindRate(), 1), (lambda w: FindRate(3), 3)],
)
def test_leaving_out_what_cannot_win_changes_no_choice(goal, plays):
    """Null: both ways choose each group alike often, at first and after some labels."""
    rng = default_rng(8)
    items = rng.integers(3, 60, (40, 2))
    world = World(items, rng.uniform(0.05, 3, (40, 2)))
    counts = []
    for make in (lambda g, runs: PickDrawn(g, plays), lambda g, runs: Race.of(g, plays, runs)):
        runs = Runs.begin(world, 6000)
        picker, found = make(goal(world), runs), []
        for _ in range(6):
            turns = [one for one, _ in picker.pick(runs, rng, is_seen=True)]
            for rows, group in turns:
                picker.told(runs, (rows, group), runs.take(rows, group, rng.random(6000)))
            found.append(np.bincount(turns[-1][1], minlength=40))
        counts.append(found)
    for step in (0, 2, 5):
        table = np.array([counts[0][step], counts[1][step]])
        table = table[:, table.sum(axis=0) > 10]
        assert chi2_contingency(table).pvalue > FALSE_ALARM


def test_verdicts_of_a_pair_are_those_of_draws():
    alpha = np.array([[[280, 203], [351, 162]], [[0.06, 1.94], [1.9, 0.1]], [[50, 50], [1.9, 0.1]]])
    chances, rng, draws = verdict_chances(alpha, 0.05), default_rng(9), 400_000
    for pair, found in zip(alpha, chances, strict=True):
        first, second = (rng.beta(*shapes, draws) for shapes in pair)
        drawn = verdicts(first - second, 0.05).mean(axis=0)
        np.testing.assert_allclose(found, drawn, atol=5 * 0.5 / draws**0.5)


def test_the_surest_group_is_that_of_draws():
    """Where expected surenesses from draws are clearly apart, the grid finds the same group."""
    rng, draws, checked = default_rng(10), 200_000, 0
    for a, b in product((2.0, 6.0), (3.0, 5.0)):
        pair = np.array([[[a, 3.0], [b, 2.0]]])
        parts = rng.beta(pair[0, :, 0], pair[0, :, 1], (draws, 2))
        outcomes = np.stack([parts, 1 - parts], axis=2) / draws
        sure = expected_sureness(verdicts(parts[:, 0] - parts[:, 1], 0.05), outcomes)
        if abs(sure[0] - sure[1]) > 5 / draws**0.5:
            checked += 1
            assert surest_group(pair, np.ones((1, 2), dtype=bool), 0.05)[0] == np.argmax(sure)
    assert checked


def test_duels_end_at_the_verdict_of_all_labels_or_with_the_pool():
    items = np.array([[[30, 20], [20, 30]], [[10, 0], [0, 10]], [[25, 25], [26, 24]]])
    for policy in (Random(), ExpectedLambda()):
        labels, is_early = Duels(items, np.ones(items.shape)).run(policy, default_rng(11))
        assert (labels >= 1).all() and (labels <= items.sum(axis=(1, 2))).all()
        np.testing.assert_array_equal(is_early, labels < items.sum(axis=(1, 2)))
        assert is_early[1]  # nothing but hits against nothing but misses


def test_what_cannot_be_batched_is_refused_in_a_sentence():
    world = World(ITEMS, np.ones(ITEMS.shape))
    luck = Luck.of(default_rng(12))
    with pytest.raises(InputError, match="draws=1"):
        run_many(Runs.begin(world, 2), FindRate(), Thompson(draws=8), luck=luck)
    with pytest.raises(InputError, match="no batched form"):
        run_many(Runs.begin(world, 2), EstimateConfusion(SHARE), BayesUCB(), luck=luck)
    with pytest.raises(InputError, match="same groups"):
        World(ITEMS, np.ones((2, 2)))
    with pytest.raises(InputError, match="without items"):
        World(np.array([[1, 1], [0, 0]]), np.ones((2, 2)))
    with pytest.raises(InputError, match=r"multiple of 0\.002"):
        Duels(ITEMS[None, :2], np.ones((1, 2, 2)), rope=0.0305)
