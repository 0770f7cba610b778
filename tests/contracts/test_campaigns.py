"""What a campaign promises, on every pool, under every policy and every metric."""

import numpy as np
import pyarrow as pa
import pytest

import worlds
from spotheight import metrics
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.history.events import Corrected, Skipped, Told
from spotheight.models.beta import Beta
from spotheight.policies.change import ExpectedChange
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.thompson import Thompson
from spotheight.questions.compare import CompareServices
from spotheight.questions.confusion import Confusion
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.questions.precision import PrecisionAt

SOURCE = worlds.table(rows=60, seed=4)
LABELS = worlds.labels(SOURCE)
VERDICTS = worlds.labels(SOURCE, "verdict")
NUMBERS = worlds.labels(SOURCE, "number")
ITEMS = sorted(LABELS)

POLICIES = (Random(), Uniform(), Proportional(), Thompson(), Thompson(draws=1), Gain(), Mix())
METRICS = {
    metrics.Accuracy(): LABELS,
    metrics.Agreement(): LABELS,
    metrics.Recall("cat"): LABELS,
    metrics.Precision("cat"): LABELS,
    metrics.FalsePositiveRate("cat"): LABELS,
    metrics.Number(1.0, 5.0): NUMBERS,
    metrics.Closeness(2.0): NUMBERS,
    metrics.Verdict(): VERDICTS,
}


@pytest.fixture(scope="module")
def pools():
    return {name: worlds.pool(SOURCE, name) for name in worlds.KINDS}


@pytest.fixture
def pool(pools):
    return pools["column"]


@pytest.fixture
def campaign(pool):
    return worlds.campaign(pool, seed=7)


def assert_same_campaign(pools, labels, *, turns=3, n=4, **spec):
    """Both pools ask for the same items, believe the same and replay their own log."""
    first, second = (worlds.campaign(pool, **spec) for pool in pools.values())
    for campaign in (first, second):
        worlds.play(campaign, labels, turns=turns, n=n)
    assert first.log == second.log
    ours, theirs = first.surface(), second.surface()
    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-9)
    np.testing.assert_allclose(ours.interval(), theirs.interval(), atol=1e-9)
    assert ours.overall().mean == pytest.approx(theirs.overall().mean)
    for told, again in worlds.replayed(first):
        assert told == again


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_both_pools_give_the_same_campaign_under_every_policy(pools, policy):
    assert_same_campaign(pools, LABELS, policy=policy, seed=3)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_both_pools_give_the_same_campaign_under_every_metric(pools, metric):
    policy = Mix(second=Thompson(draws=8))
    assert_same_campaign(pools, METRICS[metric], metric=metric, policy=policy, turns=2)


def test_both_pools_give_the_same_campaign_with_an_informed_prior(pools):
    spec = {"estimator": Beta(prior="informed"), "policy": Thompson(), "task": Identify(worst=2)}
    assert_same_campaign(pools, LABELS, **spec)


def test_both_pools_give_the_same_campaign_where_attributes_are_guessed():
    shares = np.random.default_rng(5).dirichlet([1, 1], size=60).round(3)
    source = SOURCE.append_column("pf", pa.array(shares[:, 0]))
    source = source.append_column("pm", pa.array(shares[:, 1]))
    roles = {
        **worlds.ROLES,
        "attributes": ["accent", "sex"],
        "guesses": {"sex": (("f", "pf"), ("m", "pm"))},
    }
    pools = dict(zip(worlds.KINDS, worlds.both(source, **roles), strict=True))
    assert_same_campaign(pools, LABELS, policy=Thompson(draws=32), turns=2)


@pytest.mark.parametrize("policy", [*POLICIES], ids=repr)
def test_a_whole_pool_is_asked_once_and_then_nothing(pool, policy):
    campaign = worlds.campaign(pool, policy=policy, estimator=Beta())
    queries = worlds.play(campaign, LABELS, turns=2, n=29)
    assert len(campaign.ask(29)) == 2  # 60 items; these two stay out
    assert campaign.ask(5) == ()
    assert len({query.item for query in queries}) == 58


def test_everything_labelled_is_everything_known(pool):
    campaign = worlds.campaign(pool)
    campaign.tell(LABELS)
    answers = dict(zip(SOURCE["id"].to_pylist(), SOURCE["prediction"].to_pylist(), strict=True))
    truth = np.mean([answers[item] == label for item, label in LABELS.items()])
    overall = campaign.surface().overall()
    assert (overall.low, overall.mean, overall.high) == pytest.approx((truth, truth, truth))
    assert set(campaign.surface().status()) == {"complete"}


class TestAsk:
    def test_what_is_out_is_not_handed_out_again(self, campaign):
        first, second = campaign.ask(20), campaign.ask(20)
        assert not {query.item for query in first} & {query.item for query in second}

    def test_what_is_out_comes_back_after_its_time(self, campaign):
        first = campaign.ask(60, until="2024-05-01")
        assert campaign.ask(1) == ()  # without a clock nothing has expired
        assert campaign.ask(1, now="2024-04-30") == ()
        again = campaign.ask(60, now="2024-05-01")
        assert {query.item for query in again} == {query.item for query in first}

    def test_a_query_says_where_it_lies(self, campaign, pool):
        for query in campaign.ask(10):
            levels = dict(pair.split("=", 1) for pair in query.arm.split(", "))
            row = pool.rows([query.item])
            assert levels["gender"] == row["attribute:gender"][0]

    def test_one_item_at_least(self, campaign):
        with pytest.raises(InputError, match="At least 1 item must be asked for, got 0"):
            campaign.ask(0)
        assert campaign.log == []

    def test_the_budget_ends_the_asking(self, pool):
        campaign = worlds.campaign(pool, budget=5)
        assert len(campaign.ask(3)) == 3
        assert len(campaign.ask(3)) == 2
        assert campaign.ask(3) == ()

    def test_a_label_from_someone_else_costs_the_budget_once(self, pool):
        campaign = worlds.campaign(pool, budget=3)
        (query,) = campaign.ask(1, annotator="ann")
        campaign.tell({query.item: "cat"}, annotator="bob")
        assert len(campaign.ask(5)) == 2

    def test_a_skipped_item_costs_nothing(self, pool):
        campaign = worlds.campaign(pool, budget=3)
        (query,) = campaign.ask(1, annotator="ann")
        campaign.skip([query.item])
        assert len(campaign.ask(5)) == 3

    def test_a_belief_of_before_does_not_hand_out_what_is_out(self, pool):
        """A refit may lag behind the log; what is out since then stays out."""
        source = pa.table({"id": list("abcd"), "score": [0.4, 0.3, 0.2, 0.1], "tag": ["t"] * 4})
        ranked = worlds.pool(source, id="id", score="score", category="tag")
        for made, spec in (
            (pool, {"policy": Thompson()}),
            (ranked, {"policy": ExpectedChange(), "task": PrecisionAt(4)}),
        ):
            campaign = worlds.campaign(made, **spec)
            first = campaign.ask(2)
            later = campaign.plan_ask(2, seen=0)
            assert later.seen == 0
            assert not {q.item for q in first} & {q.item for q in later.queries}

    def test_an_expired_item_of_a_ranked_list_is_asked_again(self):
        source = pa.table({"id": list("abc"), "score": [0.4, 0.3, 0.2], "tag": ["t"] * 3})
        ranked = worlds.pool(source, id="id", score="score", category="tag")
        campaign = worlds.campaign(ranked, policy=ExpectedChange(), task=PrecisionAt(3))
        first = campaign.ask(3, until="2024-05-01")
        assert campaign.ask(3, now="2024-05-02") == first


class TestTell:
    def test_the_same_again_changes_nothing_and_says_so(self, campaign):
        campaign.tell({ITEMS[0]: "cat"})
        before = list(campaign.log)
        receipt = campaign.tell({ITEMS[0]: "cat"})
        assert (receipt.new, receipt.repeated) == (0, 1)
        assert str(receipt) == "0 new labels, 1 told before, nothing changed."
        assert campaign.log == before

    def test_another_label_is_refused_and_nothing_is_kept(self, campaign):
        campaign.tell({ITEMS[0]: "cat"})
        with pytest.raises(InputError, match=f"'{ITEMS[0]}' was labelled 'cat' before, now 'dog'"):
            campaign.tell({ITEMS[1]: "owl", ITEMS[0]: "dog"})
        assert len(campaign.log) == 1

    def test_two_people_may_differ(self, campaign):
        campaign.tell({ITEMS[0]: "cat"}, annotator="ann")
        campaign.tell({ITEMS[0]: "dog"}, annotator="bob")
        assert campaign.ledger.told[ITEMS[0]] == {"ann": "cat", "bob": "dog"}
        assert campaign.surface().labelled.sum() == 1

    def test_a_tie_is_half_a_hit(self, pool):
        answers = dict(zip(SOURCE["id"].to_pylist(), SOURCE["prediction"].to_pylist(), strict=True))
        item = next(name for name, answer in answers.items() if answer == "cat")
        campaign = worlds.campaign(pool)
        campaign.tell({item: "cat"}, annotator="ann")
        campaign.tell({item: "dog"}, annotator="bob")
        evidence = campaign.records().evidence()
        assert (evidence.counts.hits.sum(), evidence.counts.trials.sum()) == (0.5, 1)

    def test_a_label_without_an_ask_has_no_chance(self, campaign):
        (query,) = campaign.ask(1)
        other = next(item for item in ITEMS if item != query.item)
        campaign.tell({query.item: "cat", other: "dog"})
        chance = campaign.records().evidence().rows.chance
        assert sorted(chance, key=np.isnan) == [query.chance, pytest.approx(np.nan, nan_ok=True)]

    def test_an_unknown_item_is_refused_by_name(self, campaign):
        with pytest.raises(InputError, match=r"no item 'item-0999'; did you mean"):
            campaign.tell({ITEMS[0]: "cat", "item-0999": "dog"})
        assert campaign.log == []

    def test_a_label_outside_the_classes_is_refused(self):
        pool = worlds.pool(SOURCE, **worlds.ROLES, classes=worlds.CLASSES)
        campaign = worlds.campaign(pool)
        with pytest.raises(InputError, match=r"'Cat' is none of the classes; did you mean 'cat'\?"):
            campaign.tell({ITEMS[0]: "dog", ITEMS[1]: "Cat"})
        assert campaign.log == []

    @pytest.mark.parametrize("empty", ["", None, float("nan")])
    def test_an_empty_label_is_refused(self, campaign, empty):
        with pytest.raises(InputError, match=f"Item '{ITEMS[0]}': The label is empty"):
            campaign.tell({ITEMS[0]: empty})

    @pytest.mark.parametrize(
        ("told", "kept"),
        [(True, "true"), (np.True_, "true"), (3, "3"), (3.0, "3"), (2.5, "2.5"), ("007", "007")],
    )
    def test_labels_are_spelled_as_tables_are(self, campaign, told, kept):
        campaign.tell({ITEMS[0]: told})
        assert campaign.ledger.told[ITEMS[0]] == {"": kept}

    def test_a_number_must_be_one(self, pool):
        campaign = worlds.campaign(pool, metric=metrics.Number(1.0, 5.0))
        campaign.tell({ITEMS[0]: "4.5"})
        for wrong, complaint in (("much", "'much' is no number"), ("inf", "not finite")):
            with pytest.raises(InputError, match=complaint):
                campaign.tell({ITEMS[1]: wrong})
        assert campaign.ledger.told == {ITEMS[0]: {"": 4.5}}

    def test_a_number_out_of_range_is_refused_before_it_is_kept(self, pool):
        campaign = worlds.campaign(pool, metric=metrics.Number(1.0, 5.0))
        with pytest.raises(InputError, match="7 lies outside 1 to 5"):
            campaign.tell({ITEMS[0]: 7})
        assert campaign.log == []


class TestVerdicts:
    @pytest.fixture
    def campaign(self):
        services = {"x": "prediction", "y": "other"}
        pool = worlds.pool(SOURCE, id="id", prediction=services, judge=True)
        return worlds.campaign(pool, metric=metrics.Verdict())

    @pytest.mark.parametrize(
        ("word", "value"), [("yes", 1.0), ("Wrong", 0.0), (0.25, 0.25), (True, 1.0), ("0.5", 0.5)]
    )
    def test_words_and_numbers_are_read(self, campaign, word, value):
        campaign.tell({ITEMS[0]: {"x": word}})
        assert campaign.ledger.told[ITEMS[0]][""] == {"x": value}

    def test_a_second_service_may_come_later(self, campaign):
        campaign.tell({ITEMS[0]: {"x": 1}})
        assert campaign.tell({ITEMS[0]: {"x": 1, "y": 0}}).new == 1
        assert campaign.tell({ITEMS[0]: {"y": 0}}).repeated == 1
        assert campaign.ledger.told[ITEMS[0]][""] == {"x": 1.0, "y": 0.0}
        with pytest.raises(InputError, match="was labelled"):
            campaign.tell({ITEMS[0]: {"y": 1}})

    @pytest.mark.parametrize(
        ("label", "complaint"),
        [
            (1, "Say on which service's answer 1"),
            ({"z": 1}, "no service 'z'"),
            ({"x": 1.5}, "between 0 and 1, got 1.5"),
            ({"x": "maybe"}, "'maybe' is no number"),
            ({}, "The label is empty"),
        ],
    )
    def test_what_is_no_verdict_is_refused(self, campaign, label, complaint):
        with pytest.raises(InputError, match=complaint):
            campaign.tell({ITEMS[0]: label})
        assert campaign.log == []

    def test_each_service_has_its_own_surface(self, campaign):
        campaign.tell({item: {"x": 1, "y": 0} for item in ITEMS})
        assert campaign.surface(service="x").overall().mean == pytest.approx(1)
        assert campaign.surface(service="y").overall().mean == pytest.approx(0)
        assert campaign.answer(CompareServices("x", "y")).difference.mean == pytest.approx(1)


class TestCorrect:
    def test_it_replaces_the_label_and_keeps_the_old_one_in_the_log(self, campaign):
        campaign.tell({ITEMS[0]: "cat", ITEMS[1]: "dog"})
        receipt = campaign.correct({ITEMS[0]: "owl", ITEMS[1]: "dog"})
        assert (receipt.corrected, receipt.repeated) == (1, 1)
        assert campaign.ledger.told[ITEMS[0]] == {"": "owl"}
        assert [type(event) for event in campaign.log] == [Told, Corrected]
        assert campaign.log[0].labels[ITEMS[0]] == "cat"

    def test_the_same_label_is_no_correction(self, campaign):
        campaign.tell({ITEMS[0]: "cat"})
        campaign.correct({ITEMS[0]: "cat"})
        assert len(campaign.log) == 1

    def test_it_is_per_annotator(self, campaign):
        campaign.tell({ITEMS[0]: "cat"}, annotator="ann")
        with pytest.raises(InputError, match=f"'{ITEMS[0]}' has no label to be corrected"):
            campaign.correct({ITEMS[0]: "dog"}, annotator="bob")

    def test_it_is_seen_by_the_surface(self, campaign):
        campaign.tell(LABELS)
        before = campaign.surface().overall().mean
        campaign.correct(dict.fromkeys(ITEMS, "no such class"))
        assert campaign.surface().overall().mean == pytest.approx(0)
        assert before > 0.3


class TestSkip:
    def test_a_skipped_item_stays_in_the_pool_and_is_asked_no_more(self, campaign):
        queries = campaign.ask(20)
        campaign.skip([query.item for query in queries])
        rest = campaign.ask(60)
        assert len(rest) == 40
        assert campaign.surface().cells.size == 60
        assert isinstance(campaign.log[1], Skipped)

    def test_an_unknown_item_is_refused(self, campaign):
        with pytest.raises(InputError, match="no item 'nope'"):
            campaign.skip(["nope"])
        assert campaign.log == []

    def test_a_label_may_still_come(self, campaign):
        campaign.skip([ITEMS[0]])
        assert campaign.tell({ITEMS[0]: "cat"}).new == 1


class TestReload:
    @pytest.mark.parametrize("policy", POLICIES, ids=repr)
    def test_the_next_ask_is_the_same(self, pool, policy):
        old = worlds.campaign(pool, policy=policy, seed=5)
        worlds.play(old, LABELS, turns=2)
        old.skip([ITEMS[0]])
        new = Campaign(pool, old.spec, log=list(old.log))
        assert new.ask(6) == old.ask(6)

    @pytest.mark.parametrize("kind", worlds.KINDS)
    def test_every_ask_follows_from_the_log_before_it(self, pools, kind):
        campaign = worlds.campaign(pools[kind], policy=Mix(), budget=40, seed=9)
        worlds.play(campaign, LABELS, turns=2)
        campaign.ask(3, annotator="ann", until="2024-05-02", now="2024-05-01")
        campaign.correct({next(iter(campaign.ledger.told)): "corrected"})
        campaign.skip([query.item for query in campaign.ask(2)])
        campaign.ask(4, annotator="bob", now="2024-05-03")
        campaign.record(campaign.plan_ask(3, seen=2))
        pairs = worlds.replayed(campaign)
        assert len(pairs) == 6
        for told, again in pairs:
            assert told == again

    def test_another_seed_asks_for_other_items(self, pool):
        logs = [worlds.campaign(pool, seed=seed).ask(10) for seed in (1, 2)]
        assert logs[0] != logs[1]


class TestQuestions:
    def test_a_partition_of_its_own_is_cut_from_the_same_labels(self, pools):
        surfaces = []
        for pool in pools.values():
            campaign = worlds.campaign(pool)
            campaign.tell({item: LABELS[item] for item in ITEMS[:30]})
            task = Estimate(partition=("@score:bins=3", "gender"))
            surfaces.append(campaign.answer(task))
        assert surfaces[0].partition.names == surfaces[1].partition.names
        np.testing.assert_allclose(surfaces[0].mean, surfaces[1].mean)
        assert surfaces[0].labelled.sum() == 30

    def test_the_confusion_does_not_hang_on_the_metric(self, pool):
        beliefs = []
        for metric in (metrics.Accuracy(), metrics.Precision("cat"), metrics.Recall("cat")):
            campaign = worlds.campaign(pool, metric=metric)
            campaign.tell(LABELS)
            beliefs.append(campaign.believe(Confusion()).seen)
        for seen in beliefs:
            np.testing.assert_array_equal(seen, beliefs[0])
        assert beliefs[0].sum() == 60

    def test_an_unknown_service_is_refused(self, pool):
        with pytest.raises(InputError, match="no service 'servce'; did you mean 'service'"):
            Campaign(pool, Spec(service="servce"))


@pytest.mark.parametrize("setting", [{"estimator": "beta"}, {"policy": "gain"}, {"task": "rank"}])
def test_a_spec_takes_objects_not_their_names(setting):
    (name,) = setting
    with pytest.raises(InputError, match=rf"an object for {name}, such as \w+\(\), not the text"):
        Spec(**setting)


def test_a_task_with_arms_of_its_own_steers_the_policy():
    """Thompson votes over the task's arms, and both pools hand out the same items."""
    asked = []
    for pool in worlds.both(SOURCE, **worlds.ROLES):
        campaign = worlds.campaign(
            pool, task=Estimate(partition=("gender",)), policy=Thompson(draws=16)
        )
        worlds.play(campaign, worlds.labels(SOURCE), turns=3, n=4)
        assert all(query.arm.startswith("gender=") for query in campaign.ask(2))
        asked.append(campaign.log)
    assert asked[0] == asked[1]
