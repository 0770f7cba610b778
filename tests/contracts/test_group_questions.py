"""What every question promises, on both pools, with every estimator, and at the edges."""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from spotheight.errors import InputError
from spotheight.metrics import FalsePositiveRate, Precision, Recall, Verdict
from spotheight.models.additive.estimator import Additive
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.dirichlet import Dirichlet
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.pooled import Pooled
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Random
from spotheight.policies.sureness import ExpectedLambda
from spotheight.policies.thompson import MultiplePlay, Thompson, TopTwo
from spotheight.questions.calibration import Calibration
from spotheight.questions.compare import Compare, CompareServices
from spotheight.questions.confusion import Confusion
from spotheight.questions.cost import Cost
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.quantities import CalibrationError, Costs, ExpectedCost, HitRate
from spotheight.questions.rank import Rank
from spotheight.report import build_report
from spotheight.testing import QuestionContract
from spotheight.testing.questions import LABELS, ROLES, TABLE

ESTIMATORS = (Beta(), Beta("informed", 5.0), EmpiricalBeta(), Pooled(), Frequencies(), Additive())

PLAIN = Costs.plain(worlds.CLASSES)
COSTS = Costs(
    PLAIN.true,
    (*PLAIN.answers, "(missing)"),
    tuple((*row, 3.0) for row in PLAIN.values),
)
"""Mistakes cost 1, silence 3."""

ECE = CalibrationError(by=("gender",), bins=3)
SLICES = {"first": "accent=welsh", "second": {"accent": ("irish", "scots")}}

ON_SURFACES = (
    Identify(),
    Identify(best=2),
    Identify(worst=7),
    Identify(of=ECE),
    Rank(),
    Rank(of=HitRate(by=("@prediction",))),
    Rank(of=ECE),
    Compare(**SLICES),
    Compare(first="gender=f", second="gender=m", of=ECE),
    Calibration(bins=4),
    Calibration(by=("accent",), bins=3, cut_by="weight"),
)
ON_CLASSES = (
    Identify(of=ExpectedCost(COSTS)),
    Rank(of=ExpectedCost(COSTS, by=("gender",))),
    Compare(first="gender=f", second="gender=m", of=ExpectedCost(COSTS, by=("gender",))),
    Confusion(),
    Cost(COSTS),
    Cost(COSTS, by=()),
    Cost(COSTS, by=("accent", "gender")),
)


@cache
def pool_of(kind):
    return worlds.pool(TABLE, kind, **ROLES)


def campaign_of(kind="column", labelled=25, **spec):
    campaign = worlds.campaign(pool_of(kind), **spec)
    said = {item: LABELS[item] for item in sorted(LABELS)[:labelled]}
    if said:
        campaign.tell(said)
    return campaign


def check(task, answer):
    """What an answer of each kind promises about itself."""
    if isinstance(task, Identify):
        looked_for = min(task.plays, len(answer.values))
        assert answer.probability.sum() == pytest.approx(looked_for)
        assert len(answer.names) == len(answer.arms) == looked_for
        assert answer.frame()["probability"][0].as_py() == answer.probability.max()
        check_values(answer.values)
    elif isinstance(task, Rank):
        n = len(answer.values)
        assert answer.mean.sum() == pytest.approx(n * (n + 1) / 2)
        assert answer.first.sum() == pytest.approx(1) == pytest.approx(answer.last.sum())
        assert (answer.low >= 1).all() and (answer.low <= answer.high).all()
        assert (answer.high <= n).all() and answer.frame().num_rows == n
        check_values(answer.values)
    elif isinstance(task, Compare):
        shares = [answer.first_better, answer.equivalent, answer.second_better]
        assert min(shares) >= 0 and sum(shares) == pytest.approx(1)
        assert answer.sureness == max(shares)
        assert answer.difference.low <= answer.difference.high
    elif isinstance(task, Calibration):
        check_values(answer.errors)
        check_values(answer.accuracy)
        assert (answer.errors.low >= 0).all() and (answer.errors.high <= 1).all()
        assert answer.diagram().num_rows == len(answer.bin_score)
        assert answer.frame().num_rows == len(answer.errors)
    elif isinstance(task, Confusion):
        np.testing.assert_allclose(answer.mean.sum(axis=1), 1)
        assert (answer.low <= answer.high).all() and answer.n_pool.sum() == 60
    else:
        check_values(answer.values)
        assert answer.overall.low <= answer.overall.mean <= answer.overall.high


def check_values(values):
    assert (values.low <= values.high).all() and np.isfinite(values.mean).all()
    assert (values.n_labelled <= values.n_pool + 1e-9).all()
    assert values.frame().num_rows == len(values)


def basis(answer):
    """By what, and of what, an answer says that it was estimated."""
    return answer.basis.estimator, answer.basis.estimand


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_answers_keep_their_promises_with_every_estimator(estimator):
    """And say by which estimator and for which estimand they are."""
    campaign = campaign_of(estimator=estimator)
    for task in ON_SURFACES:
        for estimand in ("pool", "rate"):
            answer = campaign.answer(task, estimand)
            check(task, answer)
            assert basis(answer) == (repr(estimator), estimand), task


@pytest.mark.parametrize("hits", ["surface", "own"])
@pytest.mark.parametrize("prior", ["scores", "even"])
def test_answers_about_classes_keep_their_promises(prior, hits):
    estimator = Dirichlet(2.0, prior, hits)
    campaign = campaign_of(class_estimator=estimator, estimator=Beta())
    names = f"{estimator!r} on {Beta()!r}" if hits == "surface" else repr(estimator)
    for task in ON_CLASSES:
        for estimand in ("pool", "rate"):
            answer = campaign.answer(task, estimand)
            check(task, answer)
            assert basis(answer) == (names, estimand), task


class TestEveryQuestion(QuestionContract):
    @pytest.fixture(params=ON_SURFACES + ON_CLASSES, ids=repr, autouse=True)
    def made(self, request):
        self.tried = request.param

    def make(self):
        return self.tried

    def pool(self, *, in_memory=True):
        return pool_of("column" if in_memory else "table")


@pytest.mark.parametrize("task", ON_SURFACES + ON_CLASSES, ids=repr)
@pytest.mark.parametrize("labelled", [0, 60])
def test_without_a_label_and_with_all_of_them(task, labelled):
    """When everything is labelled, what is said of these items is certain."""
    campaign = campaign_of(labelled=labelled, estimator=Beta())
    answer = campaign.answer(task)
    check(task, answer)
    if labelled and isinstance(task, Calibration | Cost):
        values = answer.errors if isinstance(task, Calibration) else answer.values
        np.testing.assert_allclose(values.low, values.high, atol=1e-9)
        np.testing.assert_allclose(values.low, values.mean, atol=1e-9)
    if labelled and isinstance(task, Compare):
        assert answer.sureness == 1


def test_a_known_pool_is_answered_by_counting():
    campaign = campaign_of(labelled=60, estimator=Beta())
    rows = [row for row in TABLE.to_pylist() if row["gender"] == "f"]
    right = np.mean([row["prediction"] == row["label"] for row in rows])
    cost = np.mean(
        [3.0 if row["prediction"] is None else row["prediction"] != row["label"] for row in rows]
    )
    compared = campaign.answer(Compare("gender=f", "gender=m"))
    both = campaign.surface().slice(gender="f").mean, campaign.surface().slice(gender="m").mean
    assert both[0] == pytest.approx(right)
    assert compared.difference.mean == pytest.approx(both[0] - both[1])
    costs = campaign.answer(Cost(COSTS, by=("gender",))).values
    assert costs.mean[0] == pytest.approx(cost)
    matrix = campaign.answer(Confusion())
    for arm, said in enumerate(matrix.answers):
        inside = [
            row["label"] for row in TABLE.to_pylist() if (row["prediction"] or "(missing)") == said
        ]
        expected = [inside.count(cls) / len(inside) for cls in matrix.classes]
        np.testing.assert_allclose(matrix.mean[arm], expected)


def test_a_comparison_has_the_difference_of_the_surface():
    campaign = campaign_of(estimator=Beta())
    compared = campaign.answer(Compare(**SLICES, level=0.8))
    first, second = {"accent": "welsh"}, {"accent": ["irish", "scots"]}
    expected = campaign.surface().difference(first, second, level=0.8)
    for name in ("mean", "low", "high", "level", "estimand"):
        assert getattr(compared.difference, name) == getattr(expected, name)


@pytest.mark.parametrize("of", [HitRate(), CalibrationError(by=("accent", "gender"), bins=2)])
def test_overlapping_and_identical_slices(of):
    campaign = campaign_of(estimator=Beta())
    same = campaign.answer(Compare("gender=f", {"gender": "f"}, of=of))
    assert (same.equivalent, same.first_better, same.second_better) == (1, 0, 0)
    assert (same.difference.low, same.difference.high) == (0, 0)
    whole = campaign.answer(Compare("gender=f", {}, of=of), "rate")
    check(Compare("gender=f", {}, of=of), whole)
    other = campaign.answer(Compare({}, "gender=f", of=of), "rate")
    assert whole.first_better == other.second_better
    for policy in (Thompson(), Thompson(draws=1), ExpectedLambda(), Gain()):
        asked = campaign_of(
            estimator=Beta(), policy=policy, task=Compare("gender=f", "gender=f", of=of)
        ).ask(3)
        assert len(asked) == 3


def test_a_high_error_or_cost_is_worse():
    """The slice with the higher number is not the better one, and comes last in the ranks."""
    campaign = campaign_of(labelled=60)
    for of in (ECE, ExpectedCost(COSTS, by=("gender",))):
        ranked = campaign.answer(Rank(of=of))
        worst = int(np.argmax(ranked.values.mean))
        assert ranked.last[worst] == 1 and ranked.mean[worst] == 2
        assert campaign.answer(Identify(of=of)).arms.tolist() == [worst]
        assert campaign.answer(Identify(best=1, of=of)).arms.tolist() == [1 - worst]
        names = [ranked.values.groups.name(group) for group in (worst, 1 - worst)]
        compared = campaign.answer(Compare(*names, rope=0.0, of=of))
        assert compared.difference.mean > 0 and compared.second_better == 1


@pytest.mark.parametrize("estimator", [Beta(), Additive()], ids=repr)
def test_the_truly_worst_arm_ranks_high_once_there_are_labels(estimator):
    """Four arms of 80 items at 20 and 90 of a hundred hits, half of them labelled: the reciprocal
    rank of the worst is 1, and nearly all of the belief says so."""
    rows = 320
    group = [f"g{row % 4}" for row in range(rows)]
    hit = default_rng(1).random(rows) < np.where(np.arange(rows) % 4 == 2, 0.2, 0.9)
    pool = worlds.small("column", {"g": group}, "g")
    campaign = worlds.campaign(pool, estimator=estimator)
    campaign.tell({f"i{row:03d}": "x" if hit[row] else "y" for row in range(rows // 2)})
    found = campaign.answer(Identify())
    assert found.names == ("g=g2",) and found.probability[2] > 0.999
    assert campaign.answer(Rank()).order[-1] == 2
    compared = campaign.answer(Compare("g=g2", {"g": ["g0", "g1", "g3"]}), "rate")
    assert compared.decision == "the second is better" and compared.sureness > 0.999


# Policies serve every question


@pytest.mark.parametrize(
    "policy",
    [
        Thompson(draws=16),
        Thompson(draws=1),
        TopTwo(draws=16),
        TopTwo(draws=1),
        MultiplePlay(),
        EpsilonGreedy(),
        BayesUCB(),
        Gain(),
        Mix(share=0.5, first=Random(), second=MultiplePlay()),
    ],
    ids=repr,
)
def test_every_bandit_serves_every_question_about_groups(policy):
    tasks = [task for task in ON_SURFACES + ON_CLASSES if hasattr(task, "worth")]
    for task in (Estimate(), *tasks):
        campaign = campaign_of(estimator=Beta(), policy=policy, task=task)
        asked = campaign.ask(4)
        assert len({query.item for query in asked}) == 4, task
        known = {query.chance is not None for query in asked}
        assert len(known) == 1, task


@pytest.mark.parametrize("policy", [Thompson(draws=8), TopTwo(draws=1), EpsilonGreedy()], ids=repr)
def test_bandits_draw_from_the_default_surface_too(policy):
    for task in (Estimate(), Identify(worst=2), Compare(**SLICES)):
        campaign = campaign_of(policy=policy, task=task)
        assert campaign.spec.estimator == Additive()
        assert len(campaign.ask(3)) == 3


@pytest.mark.parametrize(
    "task", [Compare(**SLICES), ON_SURFACES[8], ON_CLASSES[2]], ids=["rate", "error", "cost"]
)
def test_expected_lambda_stays_inside_its_slices_on_both_pools(task):
    """Until they are exhausted, and both pools ask for the same items."""
    campaigns = [
        campaign_of(kind, 50, estimator=Beta(), policy=ExpectedLambda(), task=task)
        for kind in worlds.KINDS
    ]
    ours, theirs = (campaign.ask(4) for campaign in campaigns)
    assert [query.item for query in ours] == [query.item for query in theirs]
    assert {query.chance for query in ours} == {None}
    rows = {row["id"]: row for row in TABLE.to_pylist()}
    if task is not ON_SURFACES[8] and isinstance(task.of, HitRate):
        left = [i for i in sorted(LABELS)[50:] if rows[i]["accent"] is not None]
        inside = [rows[query.item]["accent"] is not None for query in ours]
        assert sum(inside) == min(4, len(left))
    assert len(campaigns[0].ask(99)) == 6


def test_tasks_that_cannot_be_served_are_refused_in_a_sentence():
    for policy, task, complaint in (
        (ExpectedLambda(), Identify(), "Expected lambda cannot serve the task Identify"),
        (BayesUCB(), CompareServices("a", "b"), "Bayes-UCB cannot serve the task CompareServices"),
        (TopTwo(), CompareServices("a", "b"), "Top-two .* cannot serve the task CompareServices"),
        (MultiplePlay(), PrecisionAt(3), "cannot serve the task PrecisionAt"),
    ):
        evidence = worlds.evidence((1, 0), (1, 1), (3, 3))
        view = worlds.view(evidence.cells, Beta().fit(evidence), task)
        with pytest.raises(InputError, match=complaint):
            policy.choose(view, 1, default_rng(0))


# Edges


def test_one_item_one_group():
    """A pool of one item is answered before and after its label."""
    pool = worlds.small(
        "column", {"g": ["a"], "score": [0.7], "prediction": ["x"]}, "g", score="score"
    )
    costs = Costs.plain(("x",))
    tasks = (Identify(), Rank(), Calibration(by=("g",)), Confusion(), Cost(costs), Estimate())
    for estimator in (Beta(), Additive(), Pooled()):
        campaign = worlds.campaign(pool, estimator=estimator, policy=Thompson(), task=Identify())
        for task in tasks:
            campaign.answer(task), campaign.answer(task, "rate")
        assert len(campaign.ask(3)) == 1
        campaign.tell({"i000": "x"})
        assert campaign.answer(Identify()).probability.tolist() == [1]
        errors = campaign.answer(Calibration()).errors
        assert errors.mean[0] == pytest.approx(0.3)
        assert campaign.answer(Confusion()).mean.tolist() == [[1]]
        assert campaign.ask(3) == ()


def test_a_class_that_is_never_predicted_and_one_that_is_never_true():
    pool = worlds.small("column", {"prediction": ["a", "a", "b", "b"]})
    campaign = worlds.campaign(pool)
    campaign.tell({"i000": "c", "i002": "b"})
    matrix = campaign.answer(Confusion())
    assert (matrix.answers, matrix.classes) == (("a", "b"), ("a", "b", "c"))
    assert matrix.n_labelled.tolist() == [1, 1]
    with pytest.raises(InputError, match="no row for the class 'c'"):
        campaign.answer(Cost(Costs.plain("ab")))
    wide = campaign.answer(Cost(Costs.plain("abcd")))
    assert wide.values.groups.partition.names == ("@prediction=a", "@prediction=b")


def test_silence_needs_a_cost():
    with pytest.raises(InputError, match=r"no answer, and the cost matrix has no column"):
        campaign_of().answer(Cost(PLAIN))
    answers = ("cat", "dog", "owls", "(missing)")
    misspelt = Costs(worlds.CLASSES, answers, tuple((0.0,) * 4 for _ in worlds.CLASSES))
    with pytest.raises(InputError, match="no column for the class 'owl'; did you mean 'owls'"):
        campaign_of().answer(Cost(misspelt))


def test_questions_about_classes_need_labels_that_are_classes():
    pool = worlds.small("column", {"g": ["a", "b"] * 3}, "g", judge=True)
    campaign = worlds.campaign(pool, metric=Verdict(), estimator=Beta())
    campaign.tell({"i000": 1.0, "i001": 0.25})
    assert campaign.answer(Identify()).probability.sum() == pytest.approx(1)
    check(Rank(), campaign.answer(Rank()))
    for task in (Confusion(), Cost(Costs.plain("x"))):
        with pytest.raises(InputError, match="need labels that are classes"):
            campaign.answer(task)


@pytest.mark.parametrize("metric", [Recall("cat"), Precision("cat")], ids=repr)
def test_metrics_for_which_only_some_items_count(metric):
    campaign = campaign_of(estimator=Beta(), metric=metric)
    for task in (Identify(), Rank(), Compare("gender=f", "gender=m"), Calibration(bins=3)):
        for estimand in ("pool", "rate"):
            check(task, campaign.answer(task, estimand))
    check(Confusion(), campaign.answer(Confusion()))  # of all answers
    for policy in (Thompson(), ExpectedLambda(), Gain()):
        task = Compare("gender=f", "gender=m")
        asking = campaign_of(estimator=Beta(), metric=metric, policy=policy, task=task)
        assert len(asking.ask(3)) == 3


def test_a_slice_in_which_nothing_counts_is_refused():
    pool = worlds.small("column", {"g": ["a"] * 3 + ["b"] * 3}, "g")
    campaign = worlds.campaign(pool, metric=Recall("x"), estimator=Beta())
    campaign.tell({f"i{row:03d}": "y" for row in range(3)})
    with pytest.raises(InputError, match="No item of this slice counts"):
        campaign.answer(Compare("g=a", "g=b"))


GUESSED = {
    "g": ["?"] * 8,
    "f": [0.9, 0.8, 0.2, 0.1, 0.6, 0.5, 1.0, 0.0],
    "m": [0.1, 0.2, 0.8, 0.9, 0.4, 0.5, 0.0, 1.0],
    "score": [0.2, 0.4, 0.6, 0.8, 0.9, 0.7, 0.3, 0.5],
    "prediction": ["x", "y"] * 4,
    "px": [0.7, 0.4] * 4,
    "py": [0.3, 0.6] * 4,
}
GUESS_ROLES = {
    "score": "score",
    "guesses": {"g": (("f", "f"), ("m", "m"))},
    "probabilities": {"x": "px", "y": "py"},
}


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_guessed_attributes(kind):
    pool = worlds.small(kind, GUESSED, "g", **GUESS_ROLES)
    campaign = worlds.campaign(pool, estimator=Beta())
    campaign.tell({"i000": "x", "i001": "x", "i004": "y"})
    for task in (
        Identify(),
        Rank(),
        Compare("g=f", "g=m"),
        Calibration(by=("g",), bins=2),
        Cost(Costs.plain("xy"), by=("g",)),
    ):
        for estimand in ("pool", "rate"):
            check(task, campaign.answer(task, estimand))
    assert campaign.answer(Identify()).values.n_labelled.sum() == pytest.approx(3)
    for policy in (Thompson(), MultiplePlay(), ExpectedLambda()):
        task = Compare("g=f", "g=m") if policy == ExpectedLambda() else Identify()
        assert len(worlds.campaign(pool, policy=policy, task=task, estimator=Beta()).ask(9)) == 8


def test_items_weigh_what_they_should():
    """Doubled weights count like doubled items, in errors and costs of a known pool."""
    source = {
        "prediction": ["a", "a", "b", "b"],
        "score": [0.9, 0.6, 0.8, 0.3],
        "weight": [2.0, 1.0, 1.0, 1.0],
    }
    doubled = {name: [values[0], *values] for name, values in source.items() if name != "weight"}
    truth = ["b", "a", "b", "b"]
    answers = []
    for columns, labels, roles in (
        (source, truth, {"weight": "weight"}),
        (doubled, ["b", *truth], {}),
    ):
        pool = worlds.small("column", columns, score="score", **roles)
        campaign = worlds.campaign(pool, estimator=Beta())
        campaign.tell({f"i{row:03d}": label for row, label in enumerate(labels)})
        # One bin an item, for inside a bin items are alike.
        error = campaign.answer(Calibration(bins=10)).errors.mean[0]
        answers.append((error, campaign.answer(Cost(Costs.plain("ab"), by=())).overall.mean))
    assert answers[0][0] == pytest.approx(answers[1][0])
    # By predicted class the weights inside an arm are its mean: (1.5 / 2.5) of half the cost.
    assert answers[0][1] == pytest.approx(0.6 * 0.5)


# Class probabilities


def scored_table():
    rng = default_rng(5)
    chances = rng.dirichlet(np.ones(3), size=30)
    columns = {f"p_{cls}": chances[:, place] for place, cls in enumerate(worlds.CLASSES)}
    columns["p_cat"] = pa.array(columns["p_cat"].tolist(), mask=np.arange(30) < 2)
    answers = np.array(worlds.CLASSES)[chances.argmax(axis=1)].tolist()
    source = {"prediction": [*answers[:-1], None], "g": ["u", "v", None] * 10, **columns}
    return source, {"probabilities": {cls: f"p_{cls}" for cls in worlds.CLASSES}}


def test_class_scores_are_means_over_known_values_on_both_pools():
    source, roles = scored_table()
    pools = [worlds.small(kind, source, "g", **roles) for kind in worlds.KINDS]
    found = []
    for pool in pools:
        campaign = worlds.campaign(pool)
        cells = campaign.believe(Cost(COSTS, by=("g",))).cells
        found.append((cells, pool.class_scores(cells)))
    np.testing.assert_array_equal(found[0][1], found[1][1])
    cells, scores = found[0]
    for arm in range(cells.arms):
        group, said = cells.partition.levels(arm)
        rows = [
            row
            for row in range(30)
            if (source["g"][row] or "(missing)") == group
            and (source["prediction"][row] or "(missing)") == said
        ]
        for place, cls in enumerate(worlds.CLASSES):
            values = [source[f"p_{cls}"][row] for row in rows]
            known = [float(str(v)) for v in values if v is not None and str(v) != "None"]
            assert scores[arm, place] == pytest.approx(np.mean(known), abs=1e-11)


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_a_prior_from_scores_is_worth_its_strength(kind):
    source, roles = scored_table()
    pool = worlds.small(kind, source, **roles)
    for strength in (1.0, 8.0):
        campaign = worlds.campaign(pool, class_estimator=Dirichlet(strength, hits="own"))
        belief = campaign.believe(Confusion())
        np.testing.assert_allclose(belief.alpha.sum(axis=1), strength)
        expected = pool.class_scores(belief.cells)
        expected /= expected.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(belief.of("rate").mean, expected, atol=1e-6)
        even = campaign.using(class_estimator=Dirichlet(strength, "even", "own")).believe(
            Confusion()
        )
        np.testing.assert_allclose(even.alpha, strength / 3)


def test_an_outcome_without_a_probability_can_still_be_told():
    source, roles = scored_table()
    own = Dirichlet(hits="own")
    campaign = worlds.campaign(worlds.small("column", source, **roles), class_estimator=own)
    campaign.tell({"i000": "fox"})
    matrix = campaign.answer(Confusion(), "rate")
    assert matrix.classes == ("cat", "dog", "fox", "owl")
    said = matrix.answers.index(source["prediction"][0])
    assert matrix.mean[said, 2] == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_probabilities_that_are_none_are_refused(kind):
    columns = {"a": [0.5, 0.6], "b": [0.5, 0.5]}
    with pytest.raises(InputError, match=r"item 'i001' add up to 1\.1, not to 1"):
        worlds.small(kind, columns, probabilities={"x": "a", "y": "b"})
    columns = {"a": [0.5, 1.6], "b": [0.5, -0.6]}
    with pytest.raises(InputError, match="from 0 to 1"):
        worlds.small(kind, columns, probabilities={"x": "a", "y": "b"})
    rounded = {"a": [0.333, None], "b": [0.333, 0.1], "c": [0.333, 0.1]}
    worlds.small(kind, rounded, probabilities={"x": "a", "y": "b", "z": "c"})


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_an_error_needs_scores_that_are_probabilities(kind):
    far = worlds.small(kind, {"score": [0.5, 1.5, 0.1]}, score="score")
    none = worlds.small(kind, {"g": ["a", "b"]}, "g")
    for task in (Calibration(), Identify(of=CalibrationError())):
        with pytest.raises(InputError, match=r"these reach from 0\.1 to 1\.5"):
            worlds.campaign(far).answer(task)
        with pytest.raises(InputError, match="needs the service's score"):
            worlds.campaign(none).answer(task)


# Size


@pytest.mark.parametrize("task", [Identify(worst=3), Rank()], ids=repr)
def test_thousands_of_arms_are_drawn_in_blocks(task, monkeypatch):
    """Blocks change neither the promises nor, beyond noise, the numbers."""
    monkeypatch.setattr("spotheight.questions.values.DRAWN_AT_ONCE", 300_000)
    sizes = np.full(2000, 3)
    evidence = worlds.evidence([0] * 20 + [1] * 1980, [1] * 2000, sizes)
    answer = task.answer(Beta().fit(evidence), default_rng(0))
    check(task, answer)
    chance = answer.probability if isinstance(task, Identify) else answer.last
    assert chance[:20].sum() / chance.sum() > 0.5  # only these may have no hit at all


def test_a_confusion_matrix_of_many_classes_stays_small():
    """A draw of 400 answers by 400 classes has 160 000 numbers; intervals need none of them."""
    names = [f"c{place:03d}" for place in range(400)]
    pool = worlds.small("column", {"prediction": names}, classes=tuple(names))
    campaign = worlds.campaign(pool, class_estimator=Dirichlet(hits="own"))
    campaign.tell({f"i{row:03d}": names[row] for row in range(0, 400, 3)})
    for estimand in ("pool", "rate"):
        matrix = campaign.answer(Confusion(), estimand)
        assert matrix.mean.shape == (400, 400) and (matrix.low <= matrix.high).all()


# Which end is bad


def test_a_rate_of_mistakes_is_worst_where_it_is_highest():
    """One group always cries yes, the other never; nothing truly is."""
    columns = {"g": ["a"] * 8 + ["b"] * 8, "prediction": ["yes"] * 8 + ["no"] * 8}
    campaign = worlds.campaign(
        worlds.small("column", columns, "g"), metric=FalsePositiveRate("yes"), estimator=Beta()
    )
    campaign.tell({f"i{row:03d}": "no" for row in range(16)})
    assert campaign.answer(Identify()).names == ("g=a",)
    assert campaign.answer(Identify(best=1)).names == ("g=b",)
    ranked = campaign.answer(Rank())
    assert ranked.order.tolist() == [1, 0]
    assert ranked.last.tolist() == [1, 0]
    assert campaign.answer(Compare("g=a", "g=b")).second_better == 1


# Labels that were chosen


def test_a_surface_makes_good_for_labels_that_were_chosen():
    """Only doubtful items are labelled: the surface knows by their score, counts do not.

    Items with a score above one half are always right, the others half of the time; of 400 items
    the 100 least sure are labelled, and 20 others.
    """
    score = np.linspace(0.01, 0.99, 400)
    is_right = (score > 0.5) | (np.arange(400) % 2 == 0)
    columns = {"prediction": ["cat"] * 400, "score": score}
    pool = worlds.small("column", columns, score="score", classes=("cat", "dog", "owl"))
    truth = np.where(is_right, "cat", np.where(np.arange(400) % 3 == 0, "dog", "owl"))
    told = [*range(100), *range(210, 400, 10)]
    campaign = worlds.campaign(pool)
    campaign.tell({f"i{row:03d}": str(truth[row]) for row in told})
    matrix = campaign.answer(Confusion())
    counted = campaign.using(class_estimator=Dirichlet(hits="own")).answer(Confusion())
    right = is_right.mean()
    assert matrix.low[0, 0] <= right <= matrix.high[0, 0]
    assert counted.high[0, 0] < right - 0.1
    np.testing.assert_allclose(matrix.mean.sum(axis=1), 1)
    for estimand in ("pool", "rate"):
        belief = campaign.believe(Confusion()).of(estimand)
        draws = belief.draw(500, default_rng(0))
        np.testing.assert_allclose(draws.sum(axis=2), 1)
        spread = draws.std(axis=0) / np.sqrt(500)
        assert (np.abs(draws.mean(axis=0) - belief.mean) < 5 * spread + 1e-3).all()


def test_a_surface_over_finer_arms_is_read_by_answer():
    """The campaign's attributes cut the surface, and what it says is added up again."""
    campaign = campaign_of(labelled=60, estimator=Beta())
    matrix = campaign.answer(Confusion())
    rows = {row["id"]: row for row in TABLE.to_pylist()}
    for place, answer in enumerate(matrix.answers[:3]):
        inside = [LABELS[item] for item in LABELS if rows[item]["prediction"] == answer]
        shares = [inside.count(cls) / len(inside) for cls in matrix.classes]
        np.testing.assert_allclose(matrix.mean[place], shares, atol=1e-9)


def test_labels_chosen_by_other_groups_leave_the_surface_honest():
    """Half of the items are answered yes, and those are always wrong; a question asked for them.

    40 of 44 labels are theirs. The campaign's arms know nothing of answers: read for themselves,
    about one item in ten would seem to be right, in truth it is every second.
    """
    answers = ["yes", "no"] * 200
    source = pa.table(
        {
            "id": [f"i{row:03d}" for row in range(400)],
            "answer": answers,
            "room": ["hall", "hall", "yard", "yard"] * 100,
        }
    )
    pool = worlds.pool(source, "column", id="id", prediction="answer", attributes=["room"])
    task = Identify(of=HitRate(by=("@prediction",)))
    campaign = worlds.campaign(pool, estimator=Additive(), task=task)
    chosen = [row for row in range(400) if answers[row] == "yes"][:40]
    chosen += [row for row in range(400) if answers[row] == "no"][:4]
    campaign.tell({f"i{row:03d}": "no" for row in chosen})
    surface = campaign.surface()
    report = build_report(campaign, title="one", provenance={})
    for read in (surface.overall(), surface.slice(room="hall"), report.overall):
        assert read.low <= 0.5 <= read.high and abs(read.mean - 0.5) < 0.15
    np.testing.assert_array_equal(surface.labelled, campaign.records().evidence().labelled)


def test_labels_chosen_by_the_score_leave_the_surface_as_it_is():
    """Score cells are inside all arms, so a question about calibration cuts them no finer."""
    pool = worlds.pool(TABLE, "column", **ROLES)
    means = []
    for task in (Calibration(bins=3), Identify(of=ECE), Estimate()):
        campaign = worlds.campaign(pool, estimator=Additive(), task=task)
        campaign.tell(LABELS)
        means.append(campaign.surface("rate").mean)
    np.testing.assert_array_equal(means[0], means[2])
    np.testing.assert_array_equal(means[1], means[2])
