"""Detectors in the one loop: what the field's tool says when all is known, and on the way there."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from numpy.random import default_rng

import coco_worlds
import worlds
from bench.cases import data_folder
from spotheight.errors import InputError
from spotheight.exchange.coco import coco_roles, read_coco
from spotheight.models.lists.kernel import KernelVectors
from spotheight.models.lists.noisy import Counted, Learned, Naive, VettedOnly
from spotheight.policies.change import ConfidentMistake, ExpectedChange, RandomImages
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.passive import Random, Uniform
from spotheight.pool import open_pool
from spotheight.questions.detection import Detection
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.systems import RankSystems
from spotheight.registry import TASKS, describe, parse
from spotheight.simulate import Simulation, simulate

POLICIES = (
    Random(), Uniform(), RandomImages(), ConfidentMistake(), ExpectedChange(), Gain(),
    Mix(second=ExpectedChange()),
)  # fmt: skip
TRUTH, RESULTS = coco_worlds.world()
OUTLINES = coco_worlds.outlines(TRUTH)
SERVICES = ("good", "poor")
TASK = Detection()


def pool_of(folder, truth, results=RESULTS):
    coco_worlds.write(folder, truth, results)
    files = {name: folder / f"{name}.json" for name in results}
    return open_pool(read_coco(folder / "truth.json", files), coco_roles(tuple(results)))


@pytest.fixture(scope="module")
def rough(tmp_path_factory):
    """A pool in which nothing is vetted."""
    return pool_of(tmp_path_factory.mktemp("rough"), coco_worlds.boxed(TRUTH))


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A pool that brings all outlines along."""
    return pool_of(tmp_path_factory.mktemp("known"), TRUTH)


def by_the_tool(truth, results=RESULTS):
    return np.array([coco_worlds.evaluated(truth, results[name]) for name in results])


def partly(pool, share=0.5, **spec):
    """A campaign some of whose objects are vetted."""
    campaign = worlds.campaign(pool, task=TASK, **spec)
    items = sorted(OUTLINES, key=int)
    some = default_rng(4).permutation(items)[: int(share * len(items))]
    campaign.tell({item: OUTLINES[item] for item in some})
    return campaign


# Where everything is known, or nothing is doubted, numbers are the tool's.


@pytest.mark.parametrize(
    "estimator", [Learned(), Naive(), VettedOnly(), KernelVectors()], ids=describe
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_vetted_is_what_the_tool_says(tmp_path, estimator, seed):
    truth, results = coco_worlds.world(seed=seed)
    campaign = worlds.campaign(pool_of(tmp_path, truth, results), item_estimator=estimator)
    campaign.tell(coco_worlds.outlines(truth))
    answer = campaign.answer(TASK)
    np.testing.assert_allclose(answer.mean, by_the_tool(truth, results), atol=1e-9)
    assert answer.knows_positives
    assert (answer.n_vetted == answer.n_items).all()


def test_nothing_vetted_and_naive_is_what_the_tool_says_of_boxes(rough):
    answer = worlds.campaign(rough, item_estimator=Naive()).answer(TASK)
    np.testing.assert_allclose(answer.mean, by_the_tool(coco_worlds.boxed(TRUTH)), atol=1e-9)


def test_half_vetted_and_naive_is_what_the_tool_says_of_both(rough):
    campaign = partly(rough, item_estimator=Naive())
    mixed = coco_worlds.boxed(TRUTH)
    for row in mixed["annotations"]:
        if str(row["id"]) in campaign.ledger.told:
            row["segmentation"] = json.loads(OUTLINES[str(row["id"])])
    np.testing.assert_allclose(campaign.answer(TASK).mean, by_the_tool(mixed), atol=1e-9)


def test_vetted_only_is_what_the_tool_says_of_whole_images(rough):
    campaign = worlds.campaign(rough, item_estimator=VettedOnly(), policy=RandomImages(), task=TASK)
    for query in campaign.ask(14):
        campaign.tell({query.item: OUTLINES[query.item]})
    told = set(campaign.ledger.told)
    rows = [row for row in TRUTH["annotations"] if not row["iscrowd"]]
    is_open = {row["image_id"] for row in rows if str(row["id"]) not in told}
    kept = {
        **TRUTH,
        "images": [one for one in TRUTH["images"] if one["id"] not in is_open],
        "annotations": [a for a in TRUTH["annotations"] if a["image_id"] not in is_open],
    }
    seen = {n: [r for r in rows if r["image_id"] not in is_open] for n, rows in RESULTS.items()}
    answer = campaign.answer(TASK)
    np.testing.assert_allclose(answer.mean, by_the_tool(kept, seen), atol=1e-9)
    assert not answer.is_enough.all()
    assert np.isnan(answer.low).all()


def test_boxes_are_measured_as_boxes(tmp_path):
    """Detectors that give boxes alone; an outline is read as its box."""
    plain = {
        name: [{**row, "bbox": coco_worlds.box_of(row["segmentation"])} for row in rows]
        for name, rows in RESULTS.items()
    }
    plain = {
        n: [{k: v for k, v in r.items() if k != "segmentation"} for r in rows]
        for n, rows in plain.items()
    }
    campaign = worlds.campaign(pool_of(tmp_path, TRUTH, plain), item_estimator=Naive())
    tool = np.array([coco_worlds.evaluated(TRUTH, plain[name], "bbox") for name in plain])
    np.testing.assert_allclose(campaign.answer(TASK).mean, tool, atol=1e-9)
    campaign.tell({item: json.dumps(row_of(item)["bbox"]) for item in OUTLINES})
    np.testing.assert_allclose(campaign.answer(TASK).mean, tool, atol=1e-9)


def row_of(item):
    return next(row for row in TRUTH["annotations"] if str(row["id"]) == item)


@pytest.mark.skipif(data_folder() is None, reason="the folder of data is not here")
def test_the_example_of_the_field(tmp_path):
    """100 images of COCO and one demo system: .3195 on masks, .1262 with boxes for masks."""
    folder = data_folder() / "coco_mask_example"
    truth = json.loads((folder / "instances_val2014_100.json").read_text())
    demo = folder / "instances_val2014_fakesegm100_results.json"
    pool = open_pool(
        read_coco(folder / "instances_val2014_100.json", {"demo": demo}), coco_roles(("demo",))
    )
    campaign = worlds.campaign(pool, item_estimator=Naive())
    assert campaign.answer(TASK).overall[0].mean == pytest.approx(0.1262061106559199, abs=1e-9)
    labels = dict(zip(pool.columns["id"], pool.columns["label"], strict=True))
    learned = campaign.using(item_estimator=Learned())
    learned.tell(labels)
    tool = np.nanmean(coco_worlds.evaluated(truth, json.loads(demo.read_text())))
    assert tool == pytest.approx(0.3195, abs=5e-5)
    assert learned.answer(TASK).overall[0].mean == pytest.approx(tool, abs=1e-9)


# On the way there.


@pytest.mark.parametrize("policy", POLICIES, ids=describe)
@pytest.mark.parametrize("task", [TASK, RankSystems(by=Detection())], ids=describe)
def test_every_policy_vets_every_object_once(rough, policy, task):
    estimator = Learned() if policy == Gain() else Naive()
    campaign = worlds.campaign(rough, policy=policy, task=task, item_estimator=estimator)
    asked = Counter()
    while queries := campaign.ask(13):
        asked.update(query.item for query in queries)
        campaign.tell({query.item: OUTLINES[query.item] for query in queries})
    assert asked == Counter(list(OUTLINES))
    again = worlds.campaign(rough, policy=policy, task=task, item_estimator=estimator)
    assert again.ask(13) == campaign.log[0].queries


def test_random_images_are_vetted_whole(rough):
    campaign = worlds.campaign(rough, policy=RandomImages(), task=TASK)
    images = [row_of(query.item)["image_id"] for query in campaign.ask(12)]
    changes = sum(a != b for a, b in pairwise(images))
    assert changes == len(set(images)) - 1


@pytest.mark.parametrize("estimator", [Learned(), KernelVectors()], ids=describe)
def test_chances_fall_with_the_threshold_and_vetted_ones_are_known(rough, estimator):
    campaign = partly(rough, item_estimator=estimator)
    belief = campaign.believe(TASK)
    assert (np.diff(belief.passing, axis=1) <= 1e-12).all()
    assert ((belief.passing >= 0) & (belief.passing <= 1)).all()
    vetted = belief.evidence.is_vetted[belief.evidence.pairs.item]
    assert set(np.unique(belief.passing[vetted])) <= {0.0, 1.0}
    answer = campaign.answer(TASK)
    assert (answer.low <= answer.mean + 1e-12).all()
    assert (answer.mean <= answer.high + 1e-12).all()


def test_learned_outlines_are_nearer_than_boxes(rough):
    truth = by_the_tool(TRUTH)
    error = {
        type(one): np.abs(partly(rough, item_estimator=one).answer(TASK).mean - truth).mean()
        for one in (Learned(), Naive())
    }
    assert error[Learned] < error[Naive] / 2


def test_draws_of_levels_have_the_chances_they_are_drawn_from(rough):
    """Binomial counts over 4000 worlds; the largest of some hundred deviations stays below 5."""
    belief = partly(rough, item_estimator=KernelVectors()).believe(TASK)
    drawn = belief._levels(4000, default_rng(0))
    where = belief.board.pairs[belief.board.is_open]
    for step in (0, 5, 9):
        chance = belief.passing[where, step]
        spread = np.sqrt(np.maximum(chance * (1 - chance), 1e-9) / 4000)
        assert (np.abs((drawn > step).mean(axis=0) - chance) < 5 * spread + 1e-9).all()


def test_expected_change_is_that_of_the_estimate(rough):
    """One object in doubt, one detection at one threshold: the change is 2 p (1 - p) slope."""
    belief = partly(rough, share=0.97, item_estimator=Learned()).believe(TASK)
    reward, gain = TASK.item_reward(belief), TASK.item_gains(belief).drop()
    assert (reward[belief.evidence.is_vetted] < 1e-12).all()
    assert (gain[belief.evidence.is_vetted] < 1e-12).all()
    worlds_of = belief.worlds(2000, default_rng(1))
    spread = worlds_of.precision.mean(axis=2).var(axis=0).sum()
    # Interpolation moves little: the variance of the credits is about that of the numbers.
    assert gain.sum() == pytest.approx(spread, rel=0.5)


def test_simulations_are_scored_against_the_tool(known):
    simulation = Simulation(
        estimators=(Learned(), Naive()), policies=(ExpectedChange(),), budgets=(9, 34), seeds=(0,),
        task=TASK, batch=9,
    )  # fmt: skip
    rows = list(simulate(known, simulation, workers=1))
    assert [row["budget"] for row in rows] == [9, 34, 9, 34]
    assert all(row["list_error"] < 1e-9 for row in rows if row["budget"] == 34)
    boxes = partly(known, share=0, item_estimator=Naive()).answer(TASK).mean
    assert 0 < rows[2]["list_error"] < 100 * np.abs(boxes - by_the_tool(TRUTH)).mean()


# What does not fit is refused.


def test_outlines_are_checked_when_they_are_told(rough):
    campaign = worlds.campaign(rough, task=TASK)
    for said in ("maybe", '{"size": [60, 80], "counts": [3]}', "[1, 2, -3, 4]", "[5, 5, 0, 0]"):
        with pytest.raises(InputError, match="Item '7'"):
            campaign.tell({"8": OUTLINES["8"], "7": said})
    assert not campaign.log


def test_estimators_and_tasks_keep_to_their_kind(rough):
    with pytest.raises(InputError, match="use learned"):
        worlds.campaign(rough, item_estimator=Counted()).answer(TASK)
    with pytest.raises(InputError, match="task detection"):
        worlds.campaign(rough).answer(PrecisionAt(3))


@pytest.mark.parametrize("task", [TASK, Detection(("poor",)), RankSystems(by=Detection())])
def test_tasks_read_back_from_their_short_form(task):
    assert parse(describe(task), TASKS) == task


def test_a_campaign_may_be_about_one_service(rough):
    answer = partly(rough, share=1).answer(Detection(("poor",)))
    assert answer.services == ("poor",)
    np.testing.assert_allclose(answer.mean[0], by_the_tool(TRUTH)[1], atol=1e-9)


def test_most_of_those_who_look_decide_whether_an_object_is_there(rough):
    """Two of three saw nothing; of another object one of two did, which is not most."""
    campaign = worlds.campaign(rough, item_estimator=Naive())
    for who, said in (("a", "none"), ("b", "none"), ("c", OUTLINES["7"])):
        campaign.tell({"7": said, "8": OUTLINES["8"] if who == "a" else "none"}, annotator=who)
    campaign.correct({"8": OUTLINES["8"]}, annotator="c")
    evidence = TASK.evidence(campaign.records())
    assert evidence.ids[evidence.is_absent].tolist() == ["7"]
    outline = json.loads(OUTLINES["8"])
    mixed = coco_worlds.boxed(TRUTH)
    mixed["annotations"] = [row for row in mixed["annotations"] if row["id"] != 7]
    for row in mixed["annotations"]:
        if row["id"] == 8:
            row["segmentation"] = outline
    np.testing.assert_allclose(campaign.answer(TASK).mean, by_the_tool(mixed), atol=1e-9)


@pytest.mark.parametrize("estimator", [Learned(), KernelVectors()], ids=describe)
def test_what_is_not_there_teaches_nothing(rough, estimator):
    """Of objects that are left nothing else is believed than if it had not been looked at."""
    apart, told = (partly(rough, item_estimator=estimator) for _ in range(2))
    some = next(item for item in OUTLINES if item not in told.ledger.told)
    told.tell({some: "none"})
    first, second = (campaign.believe(TASK) for campaign in (apart, told))
    left = first.evidence.ids[first.evidence.pairs.item] != some
    np.testing.assert_allclose(first.passing[left], second.passing[left], atol=1e-9)
    assert (second.passing[~left] == 0).all()
