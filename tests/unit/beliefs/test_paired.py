"""Two services on the same labels, where labels are no random sample."""

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

import spotheight as sh
import worlds
from spotheight.campaign.fitting import fitted_pair
from spotheight.evidence import PairedEvidence, Rows


def test_services_are_compared_by_score_where_labels_were_chosen_by_it():
    """All doubtful items have labels, of the others every tenth: the gap is that of the pool."""
    rows = [
        (f"{n:03d}", "yes" if n % 5 else "no", "yes", round(0.05 + 0.9 * (n % 5) / 4, 3))
        for n in range(400)
    ]
    table = pd.DataFrame(rows, columns=["id", "one", "two", "score"])
    answers = {"one": "one", "two": "two"}
    pool = sh.read_pool(table, id="id", prediction=answers, score={"one": "score", "two": "score"})
    campaign = sh.Campaign(pool, sh.Spec(service="one"))
    campaign.tell({item: "yes" for n, (item, *_) in enumerate(rows) if n % 5 == 0 or n % 50 < 5})
    gap = campaign.answer(sh.CompareServices("one", "two")).difference
    assert gap.mean == pytest.approx(-0.2, abs=0.05)  # as if they were a random sample: -0.71
    assert gap.low <= -0.2 <= gap.high


def test_services_are_compared_arm_by_arm_where_labels_were_chosen_by_arm():
    """The first leads by .5 in half of the arms, and these have nine labels in ten."""
    rng = default_rng(0)
    lead = np.arange(2000) % 2 == 0
    one = rng.random(2000) < 0.8
    two = np.where(lead, rng.random(2000) < 0.3, one)
    table = pd.DataFrame(
        {
            "id": [f"{n:04d}" for n in range(2000)],
            "one": np.where(one, "right", "wrong"),
            "two": np.where(two, "right", "wrong"),
            "group": [f"g{n % 20}" for n in range(2000)],
        }
    )
    answers = {"one": "one", "two": "two"}
    pool = sh.read_pool(table, id="id", prediction=answers, attributes=["group"])
    campaign = sh.Campaign(pool, sh.Spec(service="one"))
    campaign.tell({f"{n:04d}": "right" for n in range(600) if n % 2 == 0 or n // 20 % 10 == 0})
    truth = np.mean(one) - np.mean(two)
    assert truth == pytest.approx(0.25, abs=0.02)  # among the labelled: .47
    gap = campaign.answer(sh.CompareServices("one", "two")).difference
    assert gap.mean == pytest.approx(truth, abs=0.06)
    assert gap.low <= truth <= gap.high


def test_three_questions_make_four_outcomes():
    """Chances of the questions multiply to those of the outcomes, and means are those of draws."""
    rng, arms = default_rng(1), 6
    shares = np.eye(4)[rng.integers(0, 4, 90)]
    at = rng.integers(0, arms, 90)
    rows = Rows(np.arange(90), at, at, np.ones(90), np.ones(90))
    evidence = PairedEvidence(worlds.cells([40] * arms), rows, shares, tuple("abcd"))
    counts = [question.counts for question in evidence.questions]
    both, first, second, neither = evidence.counts.T
    assert np.array_equal(counts[0].hits, first + second)
    assert np.array_equal(counts[1].hits, first)
    assert np.array_equal(counts[1].trials, first + second)
    assert np.array_equal(counts[2].trials, both + neither)
    belief = fitted_pair(evidence, sh.Beta())
    for estimand in ("rate", "pool"):
        read = belief.of(estimand)
        draws = read.draw(20_000, rng)
        np.testing.assert_allclose(draws.sum(axis=-1), 1)
        # A rate's deviation is at most .1 with 15 labels: four errors of 20,000 draws.
        np.testing.assert_allclose(draws.mean(axis=0), read.mean, atol=0.003)


def test_fractions_of_a_verdict_are_split_as_they_are():
    """One service is better by .5: half of a lead."""
    rows = Rows(np.arange(1), np.zeros(1, int), np.zeros(1, int), np.ones(1), np.ones(1))
    evidence = PairedEvidence(worlds.cells([5]), rows, np.array([[0.5, 0.5, 0, 0]]), tuple("abcd"))
    differs, first, both = (question.counts for question in evidence.questions)
    assert (differs.hits[0], differs.trials[0]) == (0.5, 1)
    assert (first.hits[0], first.trials[0]) == (0.5, 0.5)
    assert (both.hits[0], both.trials[0]) == (0.5, 0.5)
