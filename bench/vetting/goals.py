"""The figures to reach, held against what was reached."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.plan import Method
from bench.vetting.cases import CASES
from bench.vetting.flips import AT
from bench.vetting.summary import Summary

GREEDY = Method("learned", "expected-change")
MIXED = Method("learned", "gain")
ORDINARY = Method("vetted-only", "uniform")
NAIVE = Method("naive", "uniform")
COUNTED = Method("counted", "expected-change")
NAIVE_MISTAKES = Method("naive", "confident-mistake")
LEARNED_MISTAKES = Method("learned", "confident-mistake")

HALF = 0.5
COVERED_AT = (0.1, 0.25, 0.5)

CLOSE = {
    "tags-38-precision200": 0.5,
    "tags-38-ap": 0.5,
    "tags-10-precision200": 0.5,
    "tags-10-ap": 0.5,
    "imagenet-yes": 2.5,
    "imagenet-maybe": 2.5,
}
"""How near, in points per list, ``learned`` with expected change is to be at one half vetted."""

STRAIGHT = 0.99
"""The share of its course that a line explains."""

NEAR = 0.3
"""Points per list between ``naive`` with the most confident mistake and ``learned``."""

LINES = tuple(case.name for case in CASES if case.measured.startswith("precision"))

RANKED = ("tags-38-precision48", "tags-10-precision48", "imagenet-yes", "imagenet-maybe")


@dataclass(frozen=True)
class Goal:
    """A figure to reach.

    Args:
        case: Where.
        methods: Whose figures these are.
        claim: What is asked, in words.
        reached: The figure, in the unit of the claim.
        is_met: Whether it is as it should be; ``None`` where no figure is set, or none can tell.
    """

    case: str
    methods: tuple[Method, ...]
    claim: str
    reached: str
    is_met: bool | None


def goals(summary: Summary) -> Iterator[Goal]:
    """All that can be said of what was run."""
    for case in summary.cases:
        yield from _errors(summary, case)
        yield from _rankings(summary, case)
        yield from _line(summary, case)
        yield from _flips(summary, case)
        yield from _coverages(summary, case)
    yield from _mistakes(summary)


def _value(
    summary: Summary, case: str, method: Method, measure: str, share: float = HALF
) -> float | None:
    spread = summary.spread(case, method, share, measure)
    return None if spread is None else spread.mean


def _errors(summary: Summary, case: str) -> Iterator[Goal]:
    ours = _value(summary, case, GREEDY, "list_error")
    theirs = _value(summary, case, ORDINARY, "list_error")
    if ours is None or case not in CLOSE:
        return
    near = CLOSE[case]
    claim = f"learned + expected-change within {near:g} points per list at 50%"
    counted = _value(summary, case, COUNTED, "list_error")
    beside = "" if counted is None else f"; counted, {counted:.2f}"
    yield Goal(case, (GREEDY,), claim, f"{ours:.2f}{beside}", ours <= near)
    if theirs is not None:
        claim = "that is at most half of vetted-only + uniform"
        reached = f"{ours:.2f} against {theirs:.2f}"
        yield Goal(case, (GREEDY, ORDINARY), claim, reached, ours <= theirs / 2)


def _rankings(summary: Summary, case: str) -> Iterator[Goal]:
    if case not in RANKED:
        return
    for measure, noun, part, words in (
        ("misranked", "means", 3, "a third"),
        ("misranked_lists", "lists", 2, "half"),
    ):
        ours = _value(summary, case, GREEDY, measure)
        theirs = _value(summary, case, ORDINARY, measure)
        if ours is not None and theirs is not None:
            claim = f"misranked {noun} at 50%: at most {words} of vetted-only + uniform"
            reached = f"{100 * ours:.1f}% against {100 * theirs:.1f}%"
            # Where vetted-only makes no mistake either, there is nothing to be better at.
            is_met = ours <= theirs / part if theirs or ours else None
            yield Goal(case, (GREEDY, ORDINARY), claim, reached, is_met)


def _line(summary: Summary, case: str) -> Iterator[Goal]:
    """How much of the course of naive + uniform a straight line explains."""
    points = [(s, _value(summary, case, NAIVE, "list_error", s)) for s in summary.shares(case)]
    known = np.array([(share, error) for share, error in points if error is not None])
    if len(known) > 2 and case in LINES:
        share, error = known.T
        fit = float(np.corrcoef(share, error)[0, 1] ** 2)
        claim = f"naive + uniform is a line, R2 above {STRAIGHT:g}"
        yield Goal(case, (NAIVE,), claim, f"{fit:.4f}", fit > STRAIGHT)


def _flips(summary: Summary, case: str) -> Iterator[Goal]:
    for name, most, noun in (("seen", 0.03, "true"), ("false", 0.05, "false")):
        ours = _value(summary, case, GREEDY, f"{name}_error", AT)
        counted = _value(summary, case, GREEDY, f"{name}_counted", AT)
        if ours is not None and counted is not None:
            claim = f"rate at which {noun} items are tagged, at 25%: within {most:g} of the truth"
            reached = f"off by {ours:.3f}; counted, by {counted:.3f}"
            yield Goal(case, (GREEDY,), claim, reached, ours <= most)


def _coverages(summary: Summary, case: str) -> Iterator[Goal]:
    for measure, noun in (("coverage90", "per list"), ("coverage_mean90", "of the means")):
        found = [_value(summary, case, MIXED, measure, share) for share in COVERED_AT]
        known = [value for value in found if value is not None]
        if known:
            claim = f"90% intervals {noun} cover at least 80% with gain, at 10, 25, 50%"
            reached = ", ".join("-" if v is None else f"{100 * v:.0f}%" for v in found)
            yield Goal(case, (MIXED,), claim, reached, min(known) >= 0.8)


def _mistakes(summary: Summary) -> Iterator[Goal]:
    """Where the most confident mistake serves, and where it does not."""
    for case, claim, least, most in (
        (
            "imagenet-yes",
            f"{NAIVE_MISTAKES} is within {NEAR:g} of it at 50%",
            -np.inf,
            NEAR,
        ),
        ("imagenet-most", "the same where both see the majority alone", -np.inf, NEAR),
        ("imagenet-maybe", f"{NAIVE_MISTAKES} is a point worse at 50%", 1.0, np.inf),
    ):
        ours = _value(summary, case, GREEDY, "list_error")
        theirs = _value(summary, case, NAIVE_MISTAKES, "list_error")
        if ours is not None and theirs is not None:
            reached = f"{theirs:.2f} against {ours:.2f}"
            is_met = bool(least <= theirs - ours <= most)
            yield Goal(case, (GREEDY, NAIVE_MISTAKES), claim, reached, is_met)
        greedy, biased = (
            _value(summary, case, one, "mean_error", AT) for one in (GREEDY, LEARNED_MISTAKES)
        )
        if greedy is not None and biased is not None:
            claim = "learned + confident-mistake at 25%: error of the means (reported)"
            reached = f"{biased:.2f} against {greedy:.2f} with expected-change"
            yield Goal(case, (GREEDY, LEARNED_MISTAKES), claim, reached, None)
