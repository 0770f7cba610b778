"""A thousand runs at once against a plain loop, step by step: ``make bench`` prints the ratios.

CIFAR-100 in size: a hundred groups of a hundred items. The peer does what the authors' public code
does in every run: shuffle the items, put them into a queue for each group; then for every step draw
a rate for each group, reckon what a label is worth, rank the groups, pass over exhausted ones, take
an item from a queue, find out by its hundred scores whether the answer was right, update, note the
item, and note all means after every tenth label. What that code reads again from disk in every run
is left out. Ours notes the means too. One thread; processor time, for others may be at work.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy import stats

from spotheight.policies.thompson import MultiplePlay, Thompson
from spotheight.simulate.many import EstimateRate, FindRate, Luck, Runs, Trace, World, run_many
from spotheight.types import FloatArray, IntArray

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


class Answers(NamedTuple):
    """All items: the answer's class, which is the group, the true class, scores of all classes."""

    group: IntArray
    truth: IntArray
    scores: FloatArray

    @classmethod
    def of(cls, pool: World) -> "Answers":
        group = np.repeat(np.arange(GROUPS), pool.size)
        is_hit = np.concatenate([np.repeat([True, False], counts) for counts in pool.items])
        scores = default_rng(3).random((len(group), GROUPS)) / GROUPS
        scores[np.arange(len(group)), group] = 0.9
        return cls(group, np.where(is_hit, group, (group + 1) % GROUPS), scores)

    def queues(self, rng: Generator) -> list[deque[dict[str, Any]]]:
        """The items of each group in random order."""
        order, queues = rng.permutation(len(self.group)), [deque() for _ in range(GROUPS)]
        columns = (order, *(column[order] for column in self))
        for item, group, truth, scores in zip(*columns, strict=True):
            queues[group].append({"id": item, "truth": truth, "scores": scores})
        return queues


def plain_run(
    pool: World, answers: Answers, worth: Worth, plays: int, rng: Generator
) -> FloatArray:
    """A run to the last item; the means after every tenth label."""
    queues = answers.queues(rng)
    shapes, labels = pool.prior.copy(), 0
    noted, means = np.zeros(pool.total, dtype=int), np.zeros((pool.total // 10, GROUPS))
    while labels < pool.total:
        theta = rng.beta(shapes[:, 0], shapes[:, 1], size=(1, GROUPS)).T.squeeze()
        for group in best_open(worth(shapes[:, 0], shapes[:, 1], theta), queues, plays):
            item = queues[group].pop()
            is_hit = np.argmax(item["scores"]) == item["truth"]
            shapes[group, 0 if is_hit else 1] += 1
            noted[labels] = item["id"]
            if (labels + 1) % 10 == 0:
                means[labels // 10] = shapes[:, 0] / (shapes[:, 0] + shapes[:, 1])
            labels += 1
    return means


def best_open(worth: FloatArray, queues: Sequence[Sized], plays: int) -> list[int]:
    """The groups worth most that have items left."""
    chosen: list[int] = []
    for group in np.argsort(worth)[::-1]:
        if len(queues[group]):
            chosen.append(group)
        if len(chosen) == plays:
            break
    return chosen


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peer_seconds(worth: Worth, plays: int = 1) -> float:
    """Of a complete run, on average over four."""
    pool = world()
    answers = Answers.of(pool)
    times = [
        seconds(lambda: plain_run(pool, answers, worth, plays, default_rng(1))) for _ in range(4)
    ]
    return sum(times) / len(times)


def our_seconds(goal: EstimateRate | FindRate) -> float:
    """Of a complete run among a thousand, to the last item."""
    policy = Thompson(draws=1) if goal.plays == 1 else MultiplePlay()
    runs, means = Runs.begin(world(), RUNS), np.empty((RUNS, GROUPS))

    def note(alpha: FloatArray) -> FloatArray:
        noted = means[: len(alpha)]
        np.add(alpha[..., 0], alpha[..., 1], out=noted)
        np.divide(alpha[..., 0], noted, out=noted)
        return noted[:, 0]

    curve = Trace(range(10, world().total + 1, 10), note, RUNS)
    luck = Luck.of(default_rng(2))
    return seconds(lambda: run_many(runs, goal, policy, luck=luck, watch=[curve])) / RUNS


def test_estimation_is_25_times_as_fast_as_the_loop_of_public_code():
    library, hand = peer_seconds(by_library), peer_seconds(by_hand)
    ours = our_seconds(EstimateRate(world().share))
    print(f"\nestimation, a run: {ours:.3f} s; plain loop {library:.2f} s ({library / ours:.0f}x), "
          f"in bare formulas {hand:.2f} s ({hand / ours:.0f}x)")  # fmt: skip
    assert library / ours >= 25


@pytest.mark.parametrize(("plays", "times"), [(1, 20), (10, 18)])
def test_identification_is_faster_than_a_plain_loop(plays, times):
    """The loop runs before and after, for a machine at work may change its pace meanwhile."""
    before, ours = peer_seconds(lowest, plays), our_seconds(FindRate(plays))
    peer = (before + peer_seconds(lowest, plays)) / 2
    print(f"\nworst {plays}, a run: {ours:.4f} s; plain loop {peer:.3f} s ({peer / ours:.0f}x)")
    assert peer / ours >= times
