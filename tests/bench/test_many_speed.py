"""A thousand runs at once against a plain loop, step by step: ``make bench`` prints the ratios.

CIFAR-100 in size: a hundred groups of a hundred items. The peers do what public code for this
method does at every step: draw a rate for each group, reckon what a label is worth, rank the
groups, pass over exhausted ones, take an item, update. One thread; processor time, for others may
be at work.
"""

import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy import stats

from spotheight.policies import MultiplePlay, Thompson
from spotheight.simulate.many import EstimateRate, FindRate, Luck, Runs, World, run_many
from spotheight.types import FloatArray

pytestmark = pytest.mark.bench

GROUPS, RUNS = 100, 1000

Worth = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


def world() -> World:
    """Rates and scores as CIFAR-100's are: right in three of four, and too sure of it."""
    rng = default_rng(0)
    rate = rng.beta(9, 3, GROUPS)
    hits = rng.binomial(100, rate)
    score = np.clip(rate + 0.1, 0.6, 0.97)
    return World(np.column_stack([hits, 100 - hits]), 2 * np.column_stack([score, 1 - score]))


def by_library(a: FloatArray, b: FloatArray, theta: FloatArray) -> FloatArray:
    """The drop of variance, as one writes it with a library of distributions."""
    after = theta * stats.beta.var(a + 1, b) + (1 - theta) * stats.beta.var(a, b + 1)
    return (stats.beta.var(a, b) - after) / GROUPS


def by_hand(a: FloatArray, b: FloatArray, theta: FloatArray) -> FloatArray:
    """The same in bare formulas."""

    def variance(a: FloatArray, b: FloatArray) -> FloatArray:
        return a * b / ((a + b) ** 2 * (a + b + 1))

    after = theta * variance(a + 1, b) + (1 - theta) * variance(a, b + 1)
    return (variance(a, b) - after) / GROUPS


def lowest(a: FloatArray, b: FloatArray, theta: FloatArray) -> FloatArray:
    return -theta


def plain_run(pool: World, worth: Worth, plays: int, steps: int, rng: Generator) -> int:
    """So many steps of one run; how many labels it had."""
    decks = [list(rng.permutation(np.repeat([1, 0], counts))) for counts in pool.items]
    shapes, labels = pool.prior.copy(), 0
    for _ in range(steps):
        theta = rng.beta(shapes[:, 0], shapes[:, 1])
        ranked = np.argsort(worth(shapes[:, 0], shapes[:, 1], theta))[::-1]
        chosen = [group for group in ranked if decks[group]][:plays]
        for group in chosen:
            hit = decks[group].pop()
            shapes[group, 1 - hit] += 1
            labels += 1
    return labels


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peer_seconds(worth: Worth, plays: int = 1) -> float:
    """Of a complete run, taken to be five times its first fifth."""
    pool, steps = world(), 2000 // plays
    taken = seconds(lambda: plain_run(pool, worth, plays, steps, default_rng(1)))
    return taken * pool.total / (steps * plays)


def our_seconds(goal: EstimateRate | FindRate) -> float:
    """Of a complete run among a thousand, to the last item."""
    policy = Thompson(draws=1) if goal.plays == 1 else MultiplePlay()
    runs = Runs.begin(world(), RUNS)
    return seconds(lambda: run_many(runs, goal, policy, luck=Luck.of(default_rng(2)))) / RUNS


def test_estimation_is_25_times_as_fast_as_the_loop_of_public_code():
    library, hand = peer_seconds(by_library), peer_seconds(by_hand)
    ours = our_seconds(EstimateRate(world().share))
    print(f"\nestimation, a run: {ours:.3f} s; plain loop {library:.2f} s ({library / ours:.0f}x), "
          f"in bare formulas {hand:.2f} s ({hand / ours:.0f}x)")  # fmt: skip
    assert library / ours >= 25


@pytest.mark.parametrize(("plays", "times"), [(1, 10), (10, 2)])
def test_identification_is_faster_than_a_plain_loop(plays, times):
    peer, ours = peer_seconds(lowest, plays), our_seconds(FindRate(plays))
    print(f"\nworst {plays}, a run: {ours:.3f} s; plain loop {peer:.2f} s ({peer / ours:.0f}x)")
    assert peer / ours >= times
