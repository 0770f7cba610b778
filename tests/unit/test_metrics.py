"""Every metric beside a hand computation, alone and through a campaign's evidence."""

import numpy as np
import pyarrow as pa
import pytest

import worlds
from spotheight.errors import InputError
from spotheight.history.ledger import agreed
from spotheight.metrics import (
    Accuracy,
    Agreement,
    Closeness,
    FalsePositiveRate,
    Number,
    Precision,
    Recall,
    Verdict,
)
from spotheight.models.beta import Beta
from spotheight.models.pooled import Pooled

TABLE = pa.table(
    {
        "id": list("abcdefgh"),
        "prediction": ["cat", "cat", "dog", None, "dog", "cat", "dog", "owl"],
        "side": ["left", "left", "left", "left", "right", "right", "right", "right"],
    }
)
LABELS = dict(
    zip("abcdefgh", ["cat", "dog", "dog", "cat", "dog", "dog", "cat", "cat"], strict=True)
)
ROLES = {"id": "id", "prediction": "prediction", "attributes": ["side"]}


def words(*values):
    return np.array(values, dtype=object)


def counts(metric, labels, **more):
    """Hits and trials of the arms left and right."""
    campaign = worlds.campaign(worlds.pool(TABLE, **ROLES, **more), metric=metric)
    campaign.tell(labels)
    evidence = campaign.records().evidence()
    return evidence, evidence.counts.hits.tolist(), evidence.counts.trials.tolist()


def test_accuracy_takes_an_empty_answer_for_a_miss():
    found = Accuracy().hit(words("cat", None, "dog"), words("cat", "cat", "cat"))
    np.testing.assert_array_equal(found, [1, 0, 0])
    _, hits, trials = counts(Accuracy(), LABELS)
    assert (hits, trials) == ([2, 1], [4, 4])


def test_recall_counts_only_items_that_truly_are():
    """Cats: a found, d silent; g and h called something else."""
    _, hits, trials = counts(Recall("cat"), LABELS)
    assert (hits, trials) == ([1, 0], [2, 2])


def test_false_positive_rate_counts_only_items_that_truly_are_not():
    """Dogs b, c and e, f: b and f are called cat."""
    _, hits, trials = counts(FalsePositiveRate("cat"), LABELS)
    assert (hits, trials) == ([1, 1], [2, 2])


def test_precision_is_over_what_the_service_calls_so():
    """Called cat: a, b on the left, f on the right; only a truly is."""
    evidence, hits, trials = counts(Precision("cat"), LABELS)
    assert (hits, trials) == ([1, 0], [2, 1])
    assert evidence.cells.size == 3
    assert evidence.rest.tolist() == [0, 0]


def test_precision_leaves_labels_outside_its_population_out():
    _, hits, trials = counts(Precision("owl"), {"a": "owl", "h": "owl"})
    assert (hits, trials) == ([1], [1])


def test_agreement_is_the_f1_of_words():
    answer = words("the red car", "RED", None, "red red", "a b c d", "")
    label = words("a red car", "red", "red", "red", "d c b a", "red")
    # Shared words 2 of 3+3, 1 of 1+1, 0, 1 of 2+1, 4 of 4+4, 0.
    np.testing.assert_allclose(Agreement().hit(answer, label), [2 / 3, 1, 0, 2 / 3, 1, 0])


def test_closeness_falls_with_the_distance_and_stops_at_zero():
    answer = words("3", "2.5", "9", None, "many", "nan", "inf")
    found = Closeness(scale=2).hit(answer, np.full(7, 3.0))
    np.testing.assert_allclose(found, [1, 0.75, 0, 0, 0, 0, 0])
    with pytest.raises(InputError, match="positive, got 0"):
        Closeness(scale=0)


def test_number_is_scaled_from_its_range():
    np.testing.assert_allclose(Number(1, 5).hit(words(None, None), np.array([1.0, 4])), [0, 0.75])
    with pytest.raises(InputError, match="6 lies outside 1 to 5"):
        Number(1, 5).hit(words(None), np.array([6.0]))
    with pytest.raises(InputError, match="lies outside 1 to 5"):
        Number(1, 5).hit(words(None), np.array([0.5]))
    with pytest.raises(InputError, match="low < high, got 2 and 2"):
        Number(2, 2)


def test_number_through_a_campaign():
    _, hits, trials = counts(Number(0, 10), {"a": 5, "b": "7.5", "h": 10})
    assert (hits, trials) == ([1.25, 1], [2, 1])


def test_verdict_is_what_people_said():
    _, hits, trials = counts(Verdict(), {"a": 0.25, "d": "yes", "h": "wrong"})
    assert (hits, trials) == ([1.25, 0], [2, 1])


@pytest.mark.parametrize(
    ("metric", "hits", "trials"),
    [
        (Accuracy(), 0.5, 1),  # called cat: right for one annotator of two
        (Recall("cat"), 0.5, 0.5),  # counts as far as it is a cat, and then it is found
        (Recall("dog"), 0, 0.5),
        (FalsePositiveRate("cat"), 0.5, 0.5),  # counts as far as it is no cat
        (Precision("cat"), 0.5, 1),
    ],
)
def test_a_tie_of_annotators_counts_by_halves(metric, hits, trials):
    campaign = worlds.campaign(worlds.pool(TABLE, **ROLES), metric=metric)
    campaign.tell({"b": "cat"}, annotator="ann")
    campaign.tell({"b": "dog"}, annotator="bob")
    found = campaign.records().evidence()
    assert found.counts.hits[0] == hits
    assert found.counts.trials[0] == trials
    assert found.labelled[0] == 1


def test_votes_go_by_the_majority_and_numbers_by_the_median():
    assert agreed(["cat", "dog", "dog"], "") == {"dog": 1}
    assert agreed(["cat", "dog", "owl"], "") == pytest.approx(
        dict.fromkeys(["cat", "dog", "owl"], 1 / 3)
    )
    assert agreed([1.0, 4.0, 5.0], "") == {4.0: 1}
    assert agreed([{"x": 1.0}, {"x": 0.0}, {"y": 0.0}], "x") == {0.5: 1}
    assert agreed([{"y": 0.0}], "x") == {}


def test_recall_reckons_with_unlabelled_items_that_may_count():
    """Left: 1 of 2 labelled is a cat, right: 0 of 1; so 1.5 of 4 with one half for the unknown.

    Left has 2 items without a label, of which 2 (1 + .375) / 3 will count, right 3 (0 + .375) / 2.
    """
    evidence, _, _ = counts(Recall("cat"), {"a": "cat", "b": "dog", "e": "dog"})
    np.testing.assert_allclose(evidence.counting, [1 + 2 * 1.375 / 3, 3 * 0.375 / 2])
    np.testing.assert_array_equal(evidence.rest, [1, 1])


def test_recall_never_takes_an_arm_with_items_left_for_known():
    evidence, _, _ = counts(Recall("cat"), {"a": "cat", "b": "dog", "c": "dog", "e": "dog"})
    low, high = Beta().fit(evidence).interval(0.9)
    assert (evidence.rest > 0).all()
    assert (low < high).all()


def test_recall_of_a_slice_weighs_arms_by_the_items_that_count():
    """All labelled: 3 of the 4 cats are on the left, where all of them are found."""
    table = pa.table(
        {
            "id": list("abcdefgh"),
            "prediction": ["cat"] * 3 + ["dog"] * 5,
            "side": ["left"] * 3 + ["right"] * 5,
        }
    )
    campaign = worlds.campaign(worlds.pool(table, **ROLES), metric=Recall("cat"), estimator=Beta())
    campaign.tell(dict(zip("abcdefgh", ["cat"] * 4 + ["dog"] * 4, strict=True)))
    overall = campaign.surface("pool").overall()
    assert (overall.mean, overall.low, overall.high) == (0.75, 0.75, 0.75)


def test_a_slice_in_which_nothing_counts_has_no_recall():
    campaign = worlds.campaign(
        worlds.pool(TABLE, **ROLES), metric=Recall("owl"), estimator=Pooled()
    )
    campaign.tell(LABELS)
    with pytest.raises(InputError, match="counts for the metric"):
        campaign.surface("pool").slice(side="left")
