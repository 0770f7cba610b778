"""The published tables, with fewer runs: what python -m bench.assessment runs in full."""

from itertools import permutations

import numpy as np
import pytest
from numpy.random import default_rng

from bench.assessment.data import LOADERS, class_names
from bench.assessment.duels import PEOPLE, TREES, superclasses
from bench.assessment.measures import reciprocal_rank
from bench.assessment.passes import Study, run_pass
from bench.assessment.published import TABLES
from bench.cases import data_folder
from spotheight.simulate.many.duels import verdict_chances

needs_data = pytest.mark.skipif(data_folder() is None, reason="the data are not here")

RUNS = 150
ALARM = 4.5
"""Standard errors; with 12 numbers a right simulation is off in one test of 12,000."""


@needs_data
@pytest.mark.parametrize(
    ("case", "policy", "columns"),
    [
        ("cifar100", "random", {"U0": "UPrior", "I2": "IPrior"}),
        ("cifar100", "ts", {"I2": "IPrior+TS"}),
        ("svhn", "ts", {"I2": "IPrior+TS"}),
    ],
)
def test_errors_of_accuracy_are_the_published_ones(case, policy, columns, monkeypatch):
    """Null: ours and the published mean of 1000 runs have one expectation (Table 3)."""
    monkeypatch.setattr("bench.assessment.passes._ranks", lambda *_: {})  # until the last budget
    study = Study(case, "accuracy", "estimate", policy, "I2")
    readings = run_pass(study, LOADERS[case](data_folder()), RUNS, default_rng(20260101))
    for prior, column in columns.items():
        values = 100 * readings[f"estimate|{prior}"]
        spread = values.std(axis=1, ddof=1)
        published = np.array([row[column] for row in TABLES["3"][case]])
        error = spread * (1 / RUNS + 1 / 1000) ** 0.5
        gap = np.abs(values.mean(axis=1) - published)
        assert (gap < ALARM * error + 0.05).all(), (column, values.mean(axis=1), published)


@needs_data
def test_superclasses_have_the_published_posteriors():
    folder = data_folder()
    names = class_names(folder, "cifar100")
    groups = superclasses(LOADERS["cifar100"](folder).classes, names)
    pair = groups.items[[PEOPLE, TREES]] + 1
    np.testing.assert_array_equal(pair, [[280, 203], [351, 162]])
    assert verdict_chances(pair[None].astype(float), 0.05)[0, 0] == pytest.approx(0.96, abs=0.005)


def test_reciprocal_ranks_are_means_over_all_orders_of_ties():
    truth = np.array([0.9, 0.8, 0.5, 0.4, 0.3])
    guess = np.array([0.6, 0.2, 0.6, 0.6, 0.2])
    found = []
    for order in permutations(range(5)):
        ranked = sorted(order, key=lambda group: -guess[group])  # stable: ties stay as permuted
        wrong = [group for group in ranked if group > 1]
        ahead = [sum(ranked.index(w) < ranked.index(right) for w in wrong) for right in (0, 1)]
        found.append(np.mean([1 / (1 + count) for count in ahead]))
    measure = reciprocal_rank(lambda alpha: np.tile(guess, (3, 1)), truth, 2)
    np.testing.assert_allclose(measure(np.zeros((3, 5, 2))), np.mean(found))
