"""Fits as users have them, against the same ones by one thread and by several.

A ratio in one run, in turns, so that whoever else is at work disturbs all alike.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter, sleep

import pytest
from test_additive_speed import labelled
from threadpoolctl import threadpool_limits

from spotheight.evidence import Evidence
from spotheight.models.additive.estimator import Additive
from spotheight.numerics import threads

pytestmark = pytest.mark.bench

TURNS, SLACK, SEVERAL = 3, 1.25, 2

REST = 0.3
"""Seconds: threads of BLAS go on spinning for a while when their work is done."""
CASES = {
    "9 arms, 60 labels": {"labels": 60, "attributes": 2, "levels": 3},
    "64 arms, 200 labels": {"labels": 200, "attributes": 6},
    "4096 arms, 2000 labels": {"labels": 2000},
    "40 attributes, 2000 labels": {"labels": 2000, "attributes": 40},
}


def fit(evidence: Evidence) -> None:
    """A fit and all intervals, as a page reads them."""
    Additive().fit(evidence).interval(0.9)


@contextmanager
def forced(count: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """So many threads whatever we think best."""
    with monkeypatch.context() as patch, threadpool_limits(count, user_api="blas"):
        patch.setattr(threads, "_libraries", lambda: Unmoved())
        yield


class Unmoved:
    """Libraries that keep to what they are set to."""

    @contextmanager
    def limit(self, **_: object) -> Iterator[None]:
        yield


def seconds(work: Callable[[], None]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


@pytest.mark.parametrize("case", CASES)
def test_a_fit_is_as_fast_as_by_the_better_of_one_thread_and_several(case, monkeypatch):
    evidence, _ = labelled(**{"rows": 60_000, **CASES[case]})
    ours, one, several = [], [], []
    for _ in range(TURNS):
        ours.append(seconds(lambda: fit(evidence)))
        for count, taken in ((1, one), (SEVERAL, several)):
            with forced(count, monkeypatch):
                taken.append(seconds(lambda: fit(evidence)))
        sleep(REST)
    best = min(*one, *several)
    print(
        f"\n{case}: {min(ours):.2f} s; by one thread {min(one):.2f} s, by {SEVERAL} threads "
        f"{min(several):.2f} s: {min(ours) / best:.2f} times the better"
    )
    assert min(ours) < SLACK * best
