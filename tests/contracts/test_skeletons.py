"""The walking skeletons: small but real campaigns of every kind, the same on both pools."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.errors import InputError
from spotheight.history.events import Corrected, Told
from spotheight.metrics import Precision, Recall, Verdict
from spotheight.models.beta import Beta
from spotheight.models.dirichlet import Dirichlet
from spotheight.policies.passive import Proportional, Random
from spotheight.policies.thompson import Thompson
from spotheight.questions.compare import CompareServices
from spotheight.questions.confusion import Confusion

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)


def both_campaigns(table, roles, **spec):
    """The same campaign in memory and in the engine."""
    return [worlds.campaign(pool, **spec) for pool in worlds.both(table, **roles)]


def same_log(one, two):
    """Whether two campaigns asked and heard the same, label by label."""
    assert one.log == two.log
    assert len(one.log) > 0


# Two services on one label.


def two_services(rows=240):
    """What is hard is hard for both: they are right together far more often than by chance."""
    rng = default_rng(7)
    truth = rng.choice(["cat", "dog"], size=rows)
    wrong = np.where(truth == "cat", "dog", "cat")
    is_hard = rng.random(rows) < 0.35
    first = np.where(rng.random(rows) < np.where(is_hard, 0.2, 0.98), truth, wrong)
    second = np.where(rng.random(rows) < np.where(is_hard, 0.1, 0.97), truth, wrong)
    columns = {"truth": truth, "first": first, "second": second}
    site = rng.choice(["north", "south", "west"], size=rows, p=[0.6, 0.3, 0.1])
    return pa.table({"id": [f"i{i:03d}" for i in range(rows)], **columns, "site": site})


SERVICES = two_services()
SERVICE_ROLES = {
    "id": "id",
    "prediction": {"one": "first", "two": "second"},
    "attributes": ["site"],
}
PAIR = CompareServices("one", "two")


def paired_hits(items):
    """How often both, only one, or none of the services was right on these items."""
    rows = {row["id"]: row for row in SERVICES.to_pylist()}
    picked = [rows[item] for item in items]
    return Counter((r["first"] == r["truth"], r["second"] == r["truth"]) for r in picked)


def test_two_services_are_compared_on_the_same_labels():
    """The evidence is the exact table of pairs, and both pools give one answer."""
    answers = []
    for campaign in both_campaigns(SERVICES, SERVICE_ROLES, policy=Proportional(), seed=3):
        queries = worlds.play(campaign, worlds.labels(SERVICES, "truth"), turns=6, n=10)
        counts = campaign.records().paired_evidence("one", "two").counts.sum(axis=0)
        seen = paired_hits(query.item for query in queries)
        pairs = [(True, True), (True, False), (False, True), (False, False)]
        assert counts.tolist() == [seen[pair] for pair in pairs]
        answers.append((campaign, campaign.answer(PAIR)))
    (one, first), (two, second) = answers
    same_log(one, two)
    assert repr(first) == repr(second)


def test_when_all_is_labelled_the_difference_is_exact():
    everything = paired_hits(SERVICES["id"].to_pylist())
    gap = (everything[True, False] - everything[False, True]) / SERVICES.num_rows
    for campaign in both_campaigns(SERVICES, SERVICE_ROLES):
        campaign.tell(worlds.labels(SERVICES, "truth"))
        found = campaign.answer(PAIR)
        reading = found.difference
        assert (reading.mean, reading.low, reading.high) == pytest.approx((gap, gap, gap))
        assert found.first_better == 1


def test_the_mean_difference_is_the_labelled_part_plus_the_expected_rest():
    campaign = worlds.campaign(worlds.pool(SERVICES, **SERVICE_ROLES))
    worlds.play(campaign, worlds.labels(SERVICES, "truth"), turns=4, n=10)
    belief = campaign.believe(PAIR)
    share = (belief.seen + belief.rest[:, None] * belief.of("rate").mean) / belief.weight[:, None]
    expected = belief.weight @ (share[:, 1] - share[:, 2]) / belief.weight.sum()
    reading = campaign.answer(PAIR).difference
    error = (reading.high - reading.low) / 3.29 / np.sqrt(4000)
    assert abs(reading.mean - expected) < Z * error


def test_pairing_narrows_the_interval():
    """Against the same labels read as if each service had been labelled apart."""
    campaign = worlds.campaign(worlds.pool(SERVICES, **SERVICE_ROLES), policy=Random(), seed=1)
    worlds.play(campaign, worlds.labels(SERVICES, "truth"), turns=8, n=10)
    reading = campaign.answer(PAIR).difference
    apart = [campaign.surface(service=name) for name in ("one", "two")]
    draws = [s.draw(4000, default_rng(k)) @ s.weight / s.weight.sum() for k, s in enumerate(apart)]
    low, high = np.quantile(draws[0] - draws[1], [0.05, 0.95])
    # Var(a - b) is 2 Var(a) (1 - correlation), and hits correlate by some .6 here.
    assert reading.high - reading.low < 0.75 * (high - low)


def test_arms_without_labels_do_not_make_the_difference_look_surer():
    """Fifty labels over 200 arms: the interval is as wide as that of fifty labels over one."""
    rows = SERVICES.append_column("many", pa.array([f"m{i % 200}" for i in range(240)]))
    widths = []
    for attributes in (["many"], []):
        roles = {**SERVICE_ROLES, "attributes": attributes}
        campaign = worlds.campaign(worlds.pool(rows, **roles))
        said = worlds.labels(rows, "truth")
        campaign.tell({item: said[item] for item in sorted(said)[::4][:50]})
        reading = campaign.answer(PAIR, "rate").difference
        widths.append(reading.high - reading.low)
    assert widths[0] == pytest.approx(widths[1], rel=0.3)


def test_only_what_can_be_paired_is():
    judged = pa.table({"id": ["a", "b"], "x": ["?", "?"], "y": ["?", "?"]})
    roles = {"id": "id", "prediction": {"one": "x", "two": "y"}}
    campaign = worlds.campaign(worlds.pool(judged, **roles), metric=Verdict())
    campaign.tell({"a": {"one": 1}, "b": {"two": 0}})
    with pytest.raises(InputError, match="only one of 'one' and 'two'"):
        campaign.answer(PAIR)
    campaign.tell({"a": {"two": 0}, "b": {"one": 1}})
    assert campaign.answer(PAIR).difference.mean == 1
    for metric in (Recall("cat"), Precision("cat")):
        campaign = worlds.campaign(worlds.pool(SERVICES, **SERVICE_ROLES), metric=metric)
        with pytest.raises(InputError, match="cannot be paired by the"):
            campaign.answer(PAIR)


# Two annotators.


def test_two_annotators_who_disagree():
    """A tie is half a hit; a third voice settles it; a correction changes the vote, not the log."""
    known = worlds.labels(SERVICES, "truth")
    surfaces = []
    campaigns = both_campaigns(SERVICES, SERVICE_ROLES, estimator=Beta(), policy=Thompson(), seed=5)
    for campaign in campaigns:
        first = [query.item for query in campaign.ask(6, annotator="ann")]
        campaign.tell({item: known[item] for item in first}, annotator="ann")
        second = [query.item for query in campaign.ask(4, annotator="bob")]
        assert not {*first} & {*second}
        campaign.tell({item: known[item] for item in [*second, *first[1:]]}, annotator="bob")
        sound = campaign.records().evidence().counts
        odd = "cat" if known[first[0]] == "dog" else "dog"

        def hits(campaign=campaign):
            return campaign.records().evidence().counts.hits.sum()

        campaign.tell({first[0]: odd}, annotator="bob")
        assert abs(hits() - sound.hits.sum()) == 0.5
        assert campaign.records().evidence().counts.trials.sum() == 10
        tied = campaign.surface().mean
        campaign.tell({first[0]: odd}, annotator="cem")
        assert abs(hits() - sound.hits.sum()) == 1
        campaign.correct({first[0]: known[first[0]]}, annotator="cem")
        assert hits() == sound.hits.sum()
        assert [type(event) for event in campaign.log[-2:]] == [Told, Corrected]
        surfaces.append((tied, campaign.surface().frame()))
    same_log(*campaigns)
    np.testing.assert_array_equal(surfaces[0][0], surfaces[1][0])
    assert surfaces[0][1].equals(surfaces[1][1])


# A three-class confusion belief.


def test_a_confusion_matrix_of_three_classes():
    table = worlds.table(rows=90)
    spec = {"task": Confusion(), "policy": Random(), "class_estimator": Dirichlet(hits="own")}
    campaigns = both_campaigns(table, worlds.ROLES, **spec, seed=2)
    for campaign in campaigns:
        worlds.play(campaign, worlds.labels(table), turns=5, n=8)
    same_log(*campaigns)
    column, engine = (campaign.believe(Confusion()).of("rate") for campaign in campaigns)
    np.testing.assert_array_equal(column.alpha, engine.alpha)
    assert column.outcomes == worlds.CLASSES

    told = {
        item: label
        for event in campaigns[0].log
        if isinstance(event, Told)
        for item, label in event.labels.items()
    }
    said = dict(zip(table["id"].to_pylist(), table["prediction"].to_pylist(), strict=True))
    levels = [*worlds.CLASSES, None]
    counts = Counter((said[item], label) for item, label in told.items())
    alpha = np.array([[counts[answer, cls] + 1 / 3 for cls in worlds.CLASSES] for answer in levels])
    np.testing.assert_allclose(column.alpha, alpha)
    draws = column.draw(20_000, default_rng(4))
    for arm, row in enumerate(alpha):
        law = stats.dirichlet(row)
        np.testing.assert_allclose(column.mean[arm], law.mean())
        spread = np.sqrt(law.var() / len(draws))
        assert (np.abs(draws[:, arm].mean(axis=0) - law.mean()) < Z * spread).all()
        squared = (draws[:, arm] - law.mean()) ** 2
        error = squared.std(axis=0) / np.sqrt(len(draws))
        assert (np.abs(squared.mean(axis=0) - law.var()) < Z * error).all()
    one, two = (campaign.answer(Confusion(), "rate") for campaign in campaigns)
    np.testing.assert_array_equal(one.low, two.low)
    np.testing.assert_array_equal(one.mean, column.mean)
    assert (one.low <= one.high).all()


def test_a_pool_of_outcomes_against_enumeration():
    """Two items without a label in one arm: every mixture of outcomes has its exact chance."""
    table = pa.table({"id": list("abcde"), "p": ["x"] * 5})
    pool = worlds.pool(table, id="id", prediction="p", classes=("x", "y", "z"))
    campaign = worlds.campaign(pool, class_estimator=Dirichlet(hits="own"))
    campaign.tell({"a": "x", "b": "x", "c": "y"})
    belief = campaign.believe(Confusion())
    draws = belief.draw(20_000, default_rng(6))[:, 0]
    outcomes = [k for k in product(range(3), repeat=3) if sum(k) == 2]
    chance = [stats.dirichlet_multinomial.pmf(k, belief.alpha[0], 2) for k in outcomes]
    seen = [np.isclose(draws * 5, np.add(k, [2, 1, 0])).all(axis=1).sum() for k in outcomes]
    assert sum(seen) == 20_000
    assert stats.chisquare(seen, np.array(chance) * 20_000).pvalue > FALSE_ALARM
