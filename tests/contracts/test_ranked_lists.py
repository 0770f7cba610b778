"""Ranked lists in the one loop: every task about them, on both pools, with every policy."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng
from scipy.stats import chisquare

import worlds
from spotheight.errors import InputError
from spotheight.models.lists.noisy import Counted, Learned, Naive, VettedOnly
from spotheight.policies.change import ConfidentMistake, ExpectedChange, RandomImages
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.passive import Random, Uniform
from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.systems import RankSystems
from spotheight.registry import TASKS, describe, parse
from spotheight.simulate import Simulation, simulate

FALSE_ALARM = 1e-6
SIZES = {"car": 12, "rare": 1, "sky": 9}
POSITIVES = {"car": 7.0, "rare": 1.0, "sky": 4.0}
ONE = {"score": "first"}
TWO = {"score": {"one": "first", "two": "second"}}
TASK_LIST = (
    PrecisionAt(4),
    AveragePrecision(),
    AveragePrecision(known_positives=POSITIVES),
    RankSystems(),
    RankSystems(by=PrecisionAt(4)),
)
WITH_CHANCES = (Random(), Uniform(), Mix(second=ExpectedChange()), Gain())
WITHOUT_CHANCES = (ExpectedChange(), ConfidentMistake(), RandomImages())


def gaps(values, share, rng):
    return [None if rng.random() < share else float(value) for value in values]


def tagged(**columns):
    """Tags with ties of scores, a service with gaps, two noisy sources with gaps, and prices."""
    rng = default_rng(5)
    pairs = [(f"img{i:02d}", tag) for tag, size in SIZES.items() for i in range(size)]
    truth = rng.random(len(pairs)) < 0.5
    made = {
        "image": [image for image, _ in pairs],
        "tag": [tag for _, tag in pairs],
        "first": (rng.random(len(pairs)) + truth).round(1) / 2,
        "second": [0.5, *gaps(rng.random(len(pairs) - 1) + 2, 0.3, rng)],
        "crowd": gaps(truth ^ (rng.random(len(pairs)) < 0.2), 0.2, rng),
        "model": gaps(np.clip(rng.normal(truth, 0.4), 0, 1), 0.3, rng),
        "cost": rng.choice([1.0, 3.0], len(pairs)),
        "truth": truth.astype(int).astype(str),
    }
    return pa.table({**made, **columns})


TABLE = tagged()
ROLES = {
    "id": "image",
    "category": "tag",
    "noisy_label": ["crowd", "model"],
    "price": "cost",
    "label": "truth",
}
TRUTH = {f"{row['image']}|{row['tag']}": row["truth"] for row in TABLE.to_pylist()}


@pytest.fixture(scope="module")
def pools():
    """In memory and in the engine, for one service and for two; pools do not change."""
    return {n: worlds.both(TABLE, **ROLES, **scores) for n, scores in ((1, ONE), (2, TWO))}


@pytest.fixture
def pool(pools):
    return pools[2][0]


def by_hand(task):
    """What the lists are worth by the truth, services one and two: (services, categories)."""
    task = getattr(task, "by", task)
    values = []
    for column in ("first", "second"):
        values.append([])
        for tag in SIZES:
            rows = [row for row in TABLE.to_pylist() if row["tag"] == tag]
            listed = [row for row in rows if row[column] is not None]
            listed.sort(key=lambda row, by=column: (-row[by], row["image"]))
            z = [int(row["truth"]) for row in listed]
            if isinstance(task, PrecisionAt):
                head = z[: task.k]
                values[-1].append(sum(head) / len(head) if head else 0.0)
                continue
            positives = sum(int(row["truth"]) for row in rows)
            known = task.known_positives.get(tag, positives)
            found = sum(sum(z[: k + 1]) / (k + 1) for k in range(len(z)) if z[k])
            values[-1].append(found / known if known else 0.0)
    return np.array(values)


def all_numbers(answer):
    """Everything that an answer says, as arrays; NaN equals NaN in these."""
    gaps = [(gap.difference.mean, gap.first_above, gap.tie) for gap in answer.gaps]
    overall = [(one.mean, one.low, one.high) for one in answer.overall]
    return [answer.mean, answer.low, answer.high, answer.n_vetted, overall, gaps]


class TestBothPools:
    @pytest.mark.parametrize("services", [1, 2])
    @pytest.mark.parametrize("task", TASK_LIST, ids=describe)
    def test_the_same_log_and_the_same_answers(self, pools, task, services):
        campaigns = [worlds.campaign(pool, task=task) for pool in pools[services]]
        for campaign in campaigns:
            worlds.play(campaign, TRUTH, turns=2, n=4)
        assert campaigns[0].log == campaigns[1].log
        answers = [all_numbers(campaign.answer(task)) for campaign in campaigns]
        for ours, theirs in zip(*answers, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    @pytest.mark.parametrize("task", TASK_LIST, ids=describe)
    @pytest.mark.parametrize("estimator", [Learned(), Counted(), Naive(), VettedOnly()], ids=repr)
    def test_all_vetted_is_exact(self, pool, task, estimator):
        campaign = worlds.campaign(pool, task=task, item_estimator=estimator)
        campaign.tell(TRUTH)
        answer = campaign.answer(task)
        for numbers in (answer.mean, answer.low, answer.high):
            np.testing.assert_allclose(numbers, by_hand(task), atol=1e-9)
        assert answer.is_enough.all()
        (gap,) = answer.gaps
        means = by_hand(task).mean(axis=1)
        assert gap.difference.mean == pytest.approx(means[0] - means[1], abs=1e-9)
        assert gap.first_above == float(means[0] > means[1])

    @pytest.mark.parametrize("task", TASK_LIST, ids=describe)
    @pytest.mark.parametrize("estimator", [Learned(), Counted(), Naive()], ids=repr)
    def test_none_vetted_has_an_answer(self, pool, task, estimator):
        answer = worlds.campaign(pool, item_estimator=estimator).answer(task)
        assert answer.services == ("one", "two")
        assert answer.categories == tuple(SIZES)
        assert np.isfinite(answer.mean).all()
        assert (answer.low <= answer.high).all()
        assert not answer.n_vetted.any()
        if not getattr(task, "known_positives", None):
            assert ((answer.mean >= 0) & (answer.mean <= 1)).all()

    def test_vetted_only_says_where_evidence_is_short(self, pool):
        campaign = worlds.campaign(pool, item_estimator=VettedOnly())
        campaign.tell({item: label for item, label in TRUTH.items() if item.endswith("rare")})
        answer = campaign.answer(PrecisionAt(4))
        assert answer.is_enough.tolist() == [[False, True, False]] * 2
        assert np.isnan(answer.low).all()
        assert answer.mean[:, 1].tolist() == [float(TRUTH["img00|rare"])] * 2
        (gap,) = answer.gaps
        assert np.isnan([gap.first_above, gap.tie]).all()
        assert "how surely cannot be said" in str(gap)

    @pytest.mark.parametrize("task", TASK_LIST, ids=describe)
    def test_vetted_only_says_nothing_where_nothing_is_vetted(self, pool, task):
        campaign = worlds.campaign(pool, item_estimator=VettedOnly())
        answer = campaign.answer(task)
        assert np.isnan(answer.mean).all()
        assert np.isnan([one.mean for one in answer.overall]).all()
        assert not answer.is_enough.any()
        assert "nothing is vetted" in str(answer.gaps[0])
        campaign.tell({"img00|car": 1, "img03|car": 0})
        some = campaign.answer(task)
        assert np.isnan(some.mean[:, 1:]).all()
        assert some.overall[0].mean == pytest.approx(some.mean[0, 0], nan_ok=True)

    def test_how_many_positives_is_known_or_estimated(self, pool):
        campaign = worlds.campaign(pool)
        campaign.tell(TRUTH)
        said, given = (campaign.answer(AveragePrecision(k)) for k in ({}, POSITIVES))
        true = Counter(item.split("|")[1] for item, label in TRUTH.items() if label == "1")
        assert said.positives.tolist() == [true[tag] for tag in SIZES]
        assert not said.knows_positives
        assert given.positives.tolist() == list(POSITIVES.values())
        assert given.knows_positives

    def test_a_frame_has_a_row_a_list(self, pool):
        frame = worlds.campaign(pool).answer(PrecisionAt(4)).frame()
        assert frame["service"].to_pylist() == ["one"] * 3 + ["two"] * 3
        assert frame["category"].to_pylist() == [*SIZES] * 2
        assert frame["n_items"].to_pylist() == [4, 1, 4, 4, 1, 4]


class TestRefusals:
    def test_k_larger_than_every_list(self, pool):
        with pytest.raises(InputError, match="K is 13, and the longest list has 12 items"):
            worlds.campaign(pool).answer(PrecisionAt(13))

    def test_k_as_large_as_the_longest_list_is_fine(self, pool):
        answer = worlds.campaign(pool).answer(PrecisionAt(12))
        assert answer.n_items[0].tolist() == [*SIZES.values()]

    @pytest.mark.parametrize("kind", worlds.KINDS)
    def test_a_pair_twice(self, kind):
        with pytest.raises(InputError, match=r"'img00\|car' stands in 2 rows"):
            worlds.pool(pa.concat_tables([TABLE, TABLE.slice(0, 1)]), kind, **ROLES, **ONE)

    @pytest.mark.parametrize("kind", worlds.KINDS)
    @pytest.mark.parametrize("task", [PrecisionAt(4), AveragePrecision()], ids=describe)
    def test_a_category_without_any_score(self, kind, task):
        tags = TABLE["tag"].to_pylist()
        first = [None if tag == "sky" else 0.5 for tag in tags]
        pool = worlds.pool(tagged(first=first), kind, **ROLES, **ONE)
        with pytest.raises(InputError, match="category 'sky' has no item with a score"):
            worlds.campaign(pool).answer(task)

    def test_one_silent_service_is_no_error(self, pool):
        first = [None if tag == "sky" else 0.5 for tag in TABLE["tag"].to_pylist()]
        second = [0.1 * (row % 7) for row in range(TABLE.num_rows)]
        pool = worlds.pool(tagged(first=first, second=second), **ROLES, **TWO)
        for estimator in (Learned(), VettedOnly()):
            campaign = worlds.campaign(pool, item_estimator=estimator)
            campaign.tell({"img00|sky": 1})
            answer = campaign.answer(PrecisionAt(4))
            assert answer.mean[0, 2] == 0
            assert answer.mean[1, 2] > 0

    def test_no_service_with_scores(self):
        table = tagged(says=["x"] * TABLE.num_rows)
        pool = worlds.pool(table, **ROLES, prediction="says")
        with pytest.raises(InputError, match="name them with --score"):
            worlds.campaign(pool).answer(PrecisionAt(4))

    @pytest.mark.parametrize("task", TASK_LIST, ids=describe)
    @pytest.mark.parametrize("label", ["maybe", "2", "-1", "nan", "cat"])
    def test_a_label_that_is_neither_yes_nor_no_does_not_get_into_the_log(self, pool, task, label):
        campaign = worlds.campaign(pool, task=task)
        with pytest.raises(InputError, match="does not say whether the tag is true; use 1 or 0"):
            campaign.tell({"img00|car": label})
        assert not campaign.log

    @pytest.mark.parametrize(
        ("positives", "complaint"),
        [
            ({"cat": 3}, "no category 'cat'; did you mean 'car'"),
            ({"car": 0}, "positives of 'car' must be more than 0, got 0"),
            ({"car": 3}, "number of positives of 'rare' is not said"),
        ],
    )
    def test_positives_that_make_no_sense(self, pool, positives, complaint):
        with pytest.raises(InputError, match=complaint):
            worlds.campaign(pool).answer(AveragePrecision(positives))

    def test_k_of_nothing(self):
        with pytest.raises(InputError, match="K of at least 1, got 0"):
            PrecisionAt(0)


class TestLabels:
    @pytest.mark.parametrize("label", [1, 1.0, True, "1", "yes", "Yes", "true", "y", " 1 "])
    def test_yes_as_people_write_it(self, pool, label):
        assert self.truth(pool, [label]) == 1

    @pytest.mark.parametrize("label", [0, 0.0, False, "0", "no", "NO", "false", "n"])
    def test_no_as_people_write_it(self, pool, label):
        assert self.truth(pool, [label]) == 0

    def test_annotators_vote_by_what_they_mean(self, pool):
        assert self.truth(pool, ["1", "yes", "0"]) == 1
        assert self.truth(pool, ["1", "no"]) == 0.5

    def truth(self, pool, labels):
        campaign = worlds.campaign(pool, task=PrecisionAt(4))
        for place, label in enumerate(labels):
            campaign.tell({"img00|car": label}, annotator=str(place))
        evidence = campaign.records().item_evidence()
        return evidence.truth[list(evidence.ids).index("img00|car")]


class TestPolicies:
    @pytest.mark.parametrize("task", [PrecisionAt(4), RankSystems()], ids=describe)
    @pytest.mark.parametrize("policy", [*WITH_CHANCES, *WITHOUT_CHANCES], ids=describe)
    def test_no_item_twice_to_the_end_and_everything_replays(self, pool, task, policy):
        campaign = worlds.campaign(pool, task=task, policy=policy, seed=3)
        queries = worlds.play(campaign, TRUTH, turns=5, n=6)
        items = [query.item for query in queries]
        assert len(items) == len(set(items))
        assert set(items) == set(campaign.believe(task).evidence.ids)
        assert all(told == again for told, again in worlds.replayed(campaign))
        for query in queries:
            assert query.why
            assert (query.chance is None) == (policy in WITHOUT_CHANCES)

    @pytest.mark.parametrize("policy", WITH_CHANCES, ids=describe)
    def test_items_come_as_often_as_recorded(self, pool, policy):
        """Null: items come with the chance recorded, 600 draws; 5 points off are found."""
        spec, seeds = {"task": PrecisionAt(4), "item_estimator": Naive()}, 600
        start = worlds.campaign(pool, **spec, policy=policy)
        queries = [start.using(seed=seed).plan_ask(1).queries[0] for seed in range(seeds)]
        chance = {query.item: query.chance for query in queries}
        listed = start.believe(start.spec.task).evidence
        assert set(chance) == set(listed.ids)
        assert sum(chance.values()) == pytest.approx(1)
        times = Counter(query.item for query in queries)
        expected = [seeds * value for value in chance.values()]
        assert chisquare([times[item] for item in chance], expected).pvalue > FALSE_ALARM

    def test_uniform_draws_a_category_and_then_one_of_its_items(self, pool):
        campaign = worlds.campaign(pool, task=AveragePrecision(), policy=Uniform())
        for seed in range(20):
            (query,) = campaign.using(seed=seed).plan_ask(1).queries
            assert query.chance == pytest.approx(1 / 3 / SIZES[query.item.split("|")[1]])

    def test_random_images_are_vetted_whole(self, pool):
        campaign = worlds.campaign(pool, task=AveragePrecision(), policy=RandomImages(), seed=1)
        images = [query.item.split("|")[0] for query in campaign.ask(22)]
        changes = sum(a != b for a, b in pairwise(images))
        assert changes == len(set(images)) - 1 == 11

    def test_an_image_that_was_begun_is_finished_by_the_next_ask(self, pool):
        campaign = worlds.campaign(pool, task=AveragePrecision(), policy=RandomImages(), seed=1)
        images = [campaign.ask(1)[0].item.split("|")[0] for _ in range(22)]
        assert sum(a != b for a, b in pairwise(images)) == 11

    def test_a_dear_item_must_promise_more(self, pool):
        """Equal chances, two prices: the cheaper ones come first."""
        campaign = worlds.campaign(
            worlds.pool(tagged(crowd=[0.5] * 22), **{**ROLES, "noisy_label": "crowd"}, **ONE),
            task=PrecisionAt(4),
            policy=ExpectedChange(),
            item_estimator=Naive(),
        )
        price = {f"{r['image']}|{r['tag']}": r["cost"] for r in TABLE.to_pylist()}
        asked = [query.item for query in campaign.ask(9) if not query.item.endswith("rare")]
        assert len({price[item] for item in asked}) == 2
        assert [price[item] for item in asked] == sorted(price[item] for item in asked)


class TestSimulate:
    NAMES = (
        "list_error",
        "mean_error",
        "gap_error",
        "misranked",
        "misranked_lists",
        "coverage90",
        "coverage_mean90",
        "width90",
    )

    def plan(self, **changes):
        policies = (Mix(second=ExpectedChange()),)
        base = {"estimators": (Learned(),), "policies": policies, "budgets": (6,), "seeds": (0,)}
        return Simulation(**(base | changes))

    @pytest.mark.parametrize("task", TASK_LIST, ids=describe)
    def test_every_reading_has_all_scores_and_the_end_has_no_error(self, pool, task):
        plan = self.plan(task=task, estimators=(Learned(), VettedOnly()), budgets=(6, 100))
        rows = list(simulate(pool, plan, workers=1))
        assert [row["budget"] for row in rows] == [6, 100] * 2
        assert all(name in row for row in rows for name in self.NAMES)
        early, late = rows[0], rows[1]
        assert early["list_error"] > 0
        assert early["width90"] > 0
        assert 0 <= early["coverage90"] <= 1
        for row in (late, rows[3]):
            zeros = [row[name] for name in ("list_error", "mean_error", "gap_error", "width90")]
            np.testing.assert_allclose(zeros, 0, atol=1e-9)
            assert row["misranked"] == 0
            assert row["misranked_lists"] == 0
            assert row["coverage90"] is None
        assert rows[2]["coverage90"] is None
        assert rows[2]["width90"] is None

    def test_a_holdout_is_refused(self):
        with pytest.raises(InputError, match=r"leave the holdout of 0\.5 away"):
            self.plan(task=PrecisionAt(4), holdout=0.5)

    def test_scores_are_named_by_the_level_of_the_intervals(self, pool):
        (row,) = simulate(pool, self.plan(task=PrecisionAt(4, level=0.5)), workers=1)
        assert "coverage50" in row
        assert "coverage90" not in row


@pytest.mark.parametrize(
    ("short", "task"),
    [
        ("precision:k=48", PrecisionAt(48)),
        ("average-precision", AveragePrecision()),
        ("rank-systems", RankSystems()),
        ("rank-systems:by=(precision:k=48)", RankSystems(by=PrecisionAt(48))),
        (
            "average-precision:known_positives=car=7.0+a=b=1.5",
            AveragePrecision(known_positives={"car": 7.0, "a=b": 1.5}),
        ),
    ],
)
def test_short_forms(short, task):
    assert parse(short, TASKS) == task
    assert describe(task) == short
