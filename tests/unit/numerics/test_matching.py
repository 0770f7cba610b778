"""One-to-one matching and average precision, against brute force; the tool is in contracts."""

import numpy as np
import pytest
from numpy.random import default_rng

from spotheight.numerics.ranking.matching import (
    RECALLS,
    THRESHOLDS,
    Contest,
    PrecisionCurve,
    credits,
    levels,
    values,
)


def random_contest(seed, detections=14, objects=5, groups=3):
    """Detections in the order of their lists; pairs inside a group, each of them once."""
    rng = default_rng(seed)
    group = rng.integers(0, groups, detections)
    home = np.arange(objects) % groups
    pairs = [(d, o) for d in range(detections) for o in range(objects) if group[d] == home[o]]
    detection, slot = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Contest(detection, slot, objects, group), rng


def by_hand(contest, overlap, threshold):
    """Detections one after another, each takes the best free object that passes."""
    taken, won = set(), np.zeros(len(overlap), dtype=bool)
    for detection in range(len(contest.group)):
        mine = np.flatnonzero(contest.detection == detection)
        free = [p for p in mine if contest.slot[p] not in taken and overlap[p] >= threshold]
        if free:
            best = max(free, key=lambda p: (overlap[p], p))
            won[best] = True
            taken.add(contest.slot[best])
    return won


@pytest.mark.parametrize("seed", range(6))
def test_worlds_are_matched_as_one_by_one(seed):
    contest, rng = random_contest(seed)
    overlap = rng.choice([0.3, 0.5, 0.62, 0.75, 0.8, 0.97], (len(contest.slot), 7))
    found = list(contest.won(values(levels(overlap), overlap)))
    for threshold, won in zip(THRESHOLDS, found, strict=True):
        for draw in range(7):
            expected = by_hand(contest, overlap[:, draw], threshold)
            np.testing.assert_array_equal(won[:, draw], expected)


def interpolated(hit, left_out, misses, positives):
    """Precision at 101 recalls by the definition: the best at that recall or above."""
    found, counted, points = 0, 0, []
    for place, is_hit in enumerate(hit):
        counted += int(is_hit or not left_out[place])
        found += int(is_hit)
        points.append((found / positives, found / max(counted + misses[place], 1), is_hit))
    best = [max([p for r, p, h in points if h and r >= x], default=0.0) for x in RECALLS]
    return np.mean(best)


def random_curve(seed, rows=9):
    rng = default_rng(seed)
    misses = np.cumsum(rng.integers(0, 3, (10, rows)), axis=1)
    left_out = rng.random((10, rows)) < 0.2
    hit = rng.random((10, rows, 4)) < 0.6
    return PrecisionCurve(
        slice(0, rows), misses, left_out, positives=rows + int(rng.integers(0, 4))
    ), hit


@pytest.mark.parametrize("seed", range(4))
def test_precision_is_read_at_every_recall(seed):
    curve, hit = random_curve(seed)
    expected = [
        np.mean(
            [
                interpolated(
                    hit[t, :, draw], curve.is_left_out[t], curve.misses[t], curve.positives
                )
                for t in range(10)
            ]
        )
        for draw in range(4)
    ]
    np.testing.assert_allclose(curve.precision(hit), expected, atol=1e-12)


def test_slopes_are_differences_of_expected_average_precision():
    """Labels known but for one, nothing left out: the slope is exact."""
    rng = default_rng(8)
    misses = np.cumsum(rng.integers(0, 3, (10, 6)), axis=1)
    curve = PrecisionCurve(slice(0, 6), misses, np.zeros((10, 6), dtype=bool), positives=7)
    chance = (rng.random((10, 6)) < 0.5).astype(float)

    def plain(t, labels):
        rank = misses[t] + np.arange(1, 7)
        return float(np.sum(labels * np.cumsum(labels) / rank) / 7)

    slope = curve.slope(chance)
    for t, i in np.ndindex(10, 6):
        on, off = chance[t].copy(), chance[t].copy()
        on[i], off[i] = 1, 0
        assert slope[t, i] == pytest.approx(plain(t, on) - plain(t, off), abs=1e-12)


def test_an_object_gets_the_credit_of_whoever_found_it():
    contest, rng = random_contest(1)
    overlap = rng.random((len(contest.slot), 5)) / 2 + 0.45
    won = list(contest.won(values(levels(overlap), overlap)))
    slope = rng.random((10, len(contest.group)))
    credit = credits(contest, won, slope)
    for slot, draw in np.ndindex(contest.slots, 5):
        mine = [
            slope[t, contest.detection[p]]
            for t in range(10)
            for p in np.flatnonzero(contest.slot == slot)
            if won[t][p, draw]
        ]
        assert credit[slot, draw] == pytest.approx(sum(mine) / 10, abs=1e-12)
