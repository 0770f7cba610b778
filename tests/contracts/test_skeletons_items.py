"""The walking skeletons about items: ranked lists with noisy labels, and an item in two arms."""

from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from spotheight.models.beta import Beta
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.lists.noisy import Learned, Naive
from spotheight.models.pooled import Pooled
from spotheight.policies.change import ExpectedChange
from spotheight.policies.passive import Proportional
from spotheight.policies.thompson import Thompson
from spotheight.questions.precision import PrecisionAt


def both_campaigns(table, roles, **spec):
    """The same campaign in memory and in the engine."""
    return [worlds.campaign(pool, **spec) for pool in worlds.both(table, **roles)]


def same_log(one, two):
    """Whether two campaigns asked and heard the same, label by label."""
    assert one.log == two.log
    assert len(one.log) > 0


# Precision@5 over (item, tag) rows with a noisy label.

TAGS = ("car", "sky")


def tagged(rows=18):
    rng = default_rng(12)
    pairs = [(f"img{i:02d}", tag) for i in range(rows) for tag in TAGS]
    truth = rng.random(len(pairs)) < 0.6
    is_flipped = rng.random(len(pairs)) < 0.25
    return pa.table(
        {
            "image": [image for image, _ in pairs],
            "tag": [tag for _, tag in pairs],
            "score": rng.random(len(pairs)).round(3),
            "noisy": (truth ^ is_flipped).astype(float),
            "truth": truth.astype(int),
        }
    )


TAG_TABLE = tagged()
TAG_ROLES = {"id": "image", "category": "tag", "noisy_label": "noisy", "score": "score"}
TOP = PrecisionAt(5)


def tag_truth():
    rows = TAG_TABLE.to_pylist()
    return {f"{row['image']}|{row['tag']}": row["truth"] for row in rows}


def tag_lists():
    """The five surest items of each tag, best first."""
    rows = sorted(TAG_TABLE.to_pylist(), key=lambda row: (-row["score"], row["image"]))
    return {tag: [row for row in rows if row["tag"] == tag][:5] for tag in TAGS}


def test_precision_at_5_is_vetted_to_its_end():
    """Deterministic, so without chances; what is vetted is known; then nothing is left to ask."""
    known, lists = tag_truth(), tag_lists()
    campaigns = both_campaigns(TAG_TABLE, TAG_ROLES, task=TOP, policy=ExpectedChange())
    for campaign in campaigns:
        while queries := campaign.ask(3):
            assert all(query.chance is None for query in queries)
            campaign.tell({query.item: known[query.item] for query in queries})
            belief = campaign.believe(TOP)
            vetted = ~np.isnan(belief.evidence.truth)
            assert set(belief.chance[vetted]) <= {0, 1}
            assert ((belief.chance[~vetted] > 0) & (belief.chance[~vetted] < 1)).all()
        asked = set(campaign.ledger.asked)
        assert asked == {f"{row['image']}|{row['tag']}" for rows in lists.values() for row in rows}
        answer = campaign.answer(TOP)
        assert answer.categories == TAGS
        exact = [[sum(row["truth"] for row in lists[tag]) / 5 for tag in TAGS]]
        for numbers in (answer.mean, answer.low, answer.high):
            np.testing.assert_allclose(numbers, exact, atol=1e-12)
    same_log(*campaigns)


def test_precision_at_5_before_any_vetting_against_enumeration():
    campaign = worlds.campaign(worlds.pool(TAG_TABLE, **TAG_ROLES), task=TOP)
    belief, answer = campaign.believe(TOP), campaign.answer(TOP)
    for place in range(len(TAGS)):
        mean, low, high = answer.mean[0, place], answer.low[0, place], answer.high[0, place]
        chance = belief.chance[belief.evidence.category == place]
        worlds_of_five = np.array(list(product([0, 1], repeat=5)))
        mass = np.where(worlds_of_five, chance, 1 - chance).prod(axis=1)
        assert mean == pytest.approx(mass @ worlds_of_five.mean(axis=1))
        assert mean == pytest.approx(chance.mean())
        assert 0 <= low <= mean <= high <= 1
    assert answer.overall[0].mean == pytest.approx(belief.chance.mean())


def test_the_worth_of_vetting_is_the_expected_change():
    """Method 3: E|change| = (2/K) p (1-p); the list of a rare tag is shorter than K."""
    short = TAG_TABLE.filter(
        pa.array([row["tag"] == "car" or row["image"] < "img03" for row in TAG_TABLE.to_pylist()])
    )
    campaign = worlds.campaign(worlds.pool(short, **TAG_ROLES), task=TOP)
    belief = campaign.believe(TOP)
    for place, category in enumerate(belief.evidence.category):
        listed = belief.chance[belief.evidence.category == category]
        p, k = belief.chance[place], len(listed)
        before = listed.mean()
        up, down = before + (1 - p) / k, before - p / k
        change = p * abs(up - before) + (1 - p) * abs(down - before)
        assert TOP.item_reward(belief)[place] == pytest.approx(change)


def test_a_noisy_label_is_trusted_as_far_as_vetting_says():
    """Half of the lists vetted: noisy labels that were right, and then the same ones all wrong."""
    campaign = worlds.campaign(worlds.pool(TAG_TABLE, **TAG_ROLES), task=TOP)
    rows = [row for rows in tag_lists().values() for row in rows]
    unvetted = campaign.believe(TOP).evidence
    tagged = unvetted.noisy[:, 0] == 1
    trust = []
    for is_right in (True, False):
        told = {f"{r['image']}|{r['tag']}": int((r["noisy"] == 1) == is_right) for r in rows[::2]}
        truth = np.array([told.get(item, np.nan) for item in unvetted.ids])
        belief = Learned().fit(replace(unvetted, truth=truth))
        free = np.isnan(truth)
        np.testing.assert_array_equal(belief.chance[~free], truth[~free])
        trust.append(belief.chance[free & tagged].mean() - belief.chance[free & ~tagged].mean())
    assert trust[0] > 0.3
    assert trust[1] < -0.1


def test_naive_takes_the_noisy_label_until_the_item_is_vetted():
    campaign = worlds.campaign(worlds.pool(TAG_TABLE, **TAG_ROLES), task=TOP)
    campaign.tell({item: truth for item, truth in tag_truth().items() if item < "img09"})
    evidence = campaign.believe(TOP).evidence
    free, naive = np.isnan(evidence.truth), Naive().fit(evidence)
    assert 0 < free.sum() < len(free)
    np.testing.assert_array_equal(naive.chance[free], evidence.noisy[free, 0])
    np.testing.assert_array_equal(naive.chance[~free], evidence.truth[~free])


# One item in two arms.


def guessed(rows=40):
    rng = default_rng(9)
    yes = rng.uniform(0.05, 0.95, rows).round(2)
    yes[0], yes[1], yes[2] = 0.7, 0.9995, 0.0
    truth = rng.choice(["cat", "dog"], size=rows)
    return pa.table(
        {
            "id": [f"i{i:02d}" for i in range(rows)],
            "p": rng.choice(["cat", "dog"], size=rows),
            "p_yes": yes,
            "p_no": 1 - yes,
            "place": rng.choice(["in", "out"], size=rows),
            "label": truth,
        }
    )


GUESS_TABLE = guessed()
GUESS_ROLES = {
    "id": "id",
    "prediction": "p",
    "attributes": ["smiling", "place"],
    "guesses": {"smiling": (("yes", "p_yes"), ("no", "p_no"))},
}


@pytest.mark.parametrize("estimator", [Pooled(), Beta(), EmpiricalBeta()], ids=repr)
@pytest.mark.parametrize("policy", [Proportional(), Thompson()], ids=repr)
def test_an_item_that_belongs_to_two_arms(estimator, policy):
    campaigns = both_campaigns(GUESS_TABLE, GUESS_ROLES, estimator=estimator, policy=policy)
    for campaign in campaigns:
        worlds.play(campaign, worlds.labels(GUESS_TABLE), turns=3, n=5)
    same_log(*campaigns)
    surfaces = [campaign.surface() for campaign in campaigns]
    assert surfaces[0].frame().equals(surfaces[1].frame())
    frame = surfaces[0].frame()
    assert sum(frame["n_pool"].to_pylist()) == pytest.approx(40)
    assert sum(frame["n_labelled"].to_pylist()) == pytest.approx(15)
    assert any(n != round(n) for n in frame["n_pool"].to_pylist())
    assert surfaces[0].overall() == surfaces[1].overall()


def test_the_evidence_of_a_guess_is_split_by_its_chances():
    place = GUESS_TABLE["place"][0].as_py()
    for campaign in both_campaigns(GUESS_TABLE, GUESS_ROLES):
        campaign.tell({"i00": "cat", "i01": "cat", "i02": "dog"})
        evidence = campaign.records().evidence()
        rows, names = evidence.rows, evidence.cells.partition.names
        split = {
            names[a]: w for i, a, w in zip(rows.item, rows.arm, rows.weight, strict=True) if i == 0
        }
        assert split == pytest.approx(
            {f"smiling=yes, place={place}": 0.7, f"smiling=no, place={place}": 0.3}
        )
        # An arm a thousand times less likely is dropped, and the other has it all.
        assert rows.weight[rows.item == 1].tolist() == [1]
        assert rows.weight[rows.item == 2].tolist() == [1]
        assert rows.weight.sum() == pytest.approx(3)
        np.testing.assert_array_equal(evidence.cells.arm[rows.cell], rows.arm)
        yes = evidence.cells.partition.where({"smiling": "yes"})
        expected = sum(GUESS_TABLE["p_yes"].to_pylist()) + 0.0005
        assert evidence.cells.mass[yes].sum() == pytest.approx(expected)
        assert evidence.cells.count.sum() == pytest.approx(40)
