"""What every policy promises: nothing twice, nothing that is not there, and chances that are true.

The statistical tests raise a false alarm with probability ``FALSE_ALARM``; seeds are fixed.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng
from scipy.stats import chisquare

import worlds
from spotheight.errors import InputError
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.lists.noisy import Naive
from spotheight.policies.change import ExpectedChange, Highest
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.thompson import MultiplePlay, Thompson, TopTwo
from spotheight.policies.variance import Variance
from spotheight.questions.compare import CompareServices
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.questions.precision import PrecisionAt
from spotheight.testing import TurnPolicyContract
from spotheight.testing.policies import SIZES, cells_of, view_of

FALSE_ALARM = 1e-6

POLICIES = (
    Random(),
    Uniform(),
    Proportional(),
    Proportional(floor=0.0),
    Proportional(floor=1.0),
    Thompson(),
    Thompson(draws=1),
    TopTwo(),
    TopTwo(draws=1),
    MultiplePlay(),
    EpsilonGreedy(),
    BayesUCB(),
    Variance(),
    Gain(),
    Mix(),
    Mix(share=1.0),
    Mix(share=0.5, first=Uniform(), second=Mix(second=Thompson(draws=2))),
    Mix(share=0.9, first=Thompson(draws=1), second=Random()),
)
WITHOUT_CHANCES = (Thompson(draws=1), TopTwo(draws=1), MultiplePlay(), BayesUCB(), Variance())
WITH_CHANCES = tuple(policy for policy in POLICIES if policy not in WITHOUT_CHANCES)


@pytest.fixture
def view():
    """Four arms, one of them without a label, and what is believed about them."""
    return view_of()


class TestEveryPolicy(TurnPolicyContract):
    @pytest.fixture(params=POLICIES, ids=repr, autouse=True)
    def made(self, request):
        self.tried = request.param

    def make(self):
        return self.tried


def test_only_what_nobody_could_know_has_no_chance(view):
    for policy in POLICIES:
        chances = [choice.chance for choice in policy.choose(view, 4, default_rng(0))]
        has_chances = policy in WITH_CHANCES
        assert [chance is not None for chance in chances] == [has_chances] * 4, policy


def test_a_mix_adds_the_chances_of_its_parts(view):
    first, second = Uniform(), Proportional(floor=0.1)
    mixed = Mix(share=0.3, first=first, second=second).turns(view, default_rng(0))
    parts = [policy.turns(view, default_rng(0)).weights(view.left) for policy in (first, second)]
    np.testing.assert_allclose(mixed.weights(view.left), 0.3 * parts[0] + 0.7 * parts[1])


def test_a_mix_with_random_leaves_no_item_without_a_chance(view):
    weight = Mix(share=0.2).turns(view, default_rng(0)).weights(view.left)
    assert (weight / view.left >= 0.2 / view.left.sum() - 1e-12).all()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_mix_of_one_part_is_that_part(view, share):
    mixed = Mix(share=share, first=Random(), second=Uniform())
    alone = (Uniform(), Random())[int(share)]
    np.testing.assert_allclose(
        mixed.turns(view, default_rng(0)).weights(view.left),
        alone.turns(view, default_rng(0)).weights(view.left),
    )


def test_proportional_reaches_from_random_to_uniform(view):
    full = view_of(SIZES)
    for floor, same in ((0.0, Random()), (1.0, Uniform())):
        ours = Proportional(floor=floor).turns(full, default_rng(0)).weights(full.left)
        theirs = same.turns(full, default_rng(0)).weights(full.left)
        np.testing.assert_allclose(ours, theirs)


@pytest.mark.parametrize("task", [Estimate(), Identify(worst=2)], ids=repr)
@pytest.mark.parametrize("estimator", [Beta(), Frequencies()], ids=repr)
@pytest.mark.parametrize("left", [(3, 2, 1, 3), (0, 2, 1, 3), (3, 0, 0, 3)], ids=repr)
def test_thompson_votes_as_the_draws_do(task, estimator, left):
    """Its weights are shares of draws in which the arm, of those with items left, is worth most."""
    seen = view_of(left, estimator=estimator, task=task)
    weight = Thompson(draws=64).turns(seen, default_rng(0)).weights(seen.left)
    rates = seen.belief.of("rate")
    worth = task.worth(rates, rates.draw(64, default_rng(0)))
    best = []
    for row in worth:
        best += sorted(np.flatnonzero(left), key=lambda arm, row=row: -row[arm])[: task.plays]
    np.testing.assert_allclose(weight, np.bincount(best, minlength=4) / len(best))


def test_gain_draws_for_one_number_by_weight_and_doubt():
    view = view_of(left=(3, 2, 1, 3), task=Estimate(weigh="overall"))
    cells = replace(view.cells, price=np.array([1.0, 4.0, 1.0, 9.0]))
    view = replace(view, cells=cells)
    chance = view.belief.rate.mean
    weight = np.sqrt(chance * (1 - chance)) * view.left / np.array([1, 2, 1, 3])
    turns = Gain(share=0.0).turns(view, default_rng(0))
    assert turns.has_chances
    np.testing.assert_allclose(turns.weights(view.left), weight / weight.sum())


def test_gain_for_one_slice_draws_elsewhere_only_at_random():
    view = view_of(left=(3, 2, 1, 3), task=Estimate(weigh="overall", within="arm=arm1|arm3"))
    chances = Gain(share=0.2).turns(view, default_rng(0)).weights(view.left)
    np.testing.assert_allclose(chances[[0, 2]], 0.2 * view.left[[0, 2]] / view.left.sum())
    none_left = np.array([3, 0, 1, 0])
    np.testing.assert_allclose(
        Gain().turns(view, default_rng(0)).weights(none_left), none_left / none_left.sum()
    )


def test_variance_takes_one_item_of_each_arm_least_known_first():
    """Beta(1,1) updated by 2/2, 0/1, 0/0 and 1/1 hits: the third is widest, the first is least."""
    seen = view_of((3, 2, 1, 3))
    variance = seen.belief.rate.variance
    order = sorted(range(4), key=lambda arm: -round(variance[arm], 12))
    chosen = cells_of(Variance().choose(seen, 7, default_rng(0))).tolist()
    assert chosen[:4] == order == [2, 1, 3, 0]
    assert chosen[4:] == [1, 3, 0]


def test_variance_refuses_what_is_no_surface():
    unknown = worlds.view(worlds.cells(SIZES), belief=None, task=CompareServices("a", "b"))
    with pytest.raises(InputError, match="Variance cannot serve the task CompareServices"):
        Variance().choose(unknown, 1, default_rng(0))


class TestChances:
    """The recorded chance against how often items really come, items being told apart by ids."""

    @pytest.fixture
    def pool(self):
        """Seven items in three arms; scores cut the largest arm into cells."""
        columns = {
            "id": list("abcdefg"),
            "prediction": ["x"] * 7,
            "score": [0.1, 0.2, 0.2, 0.2, 0.5, 0.5, 0.7],
            "g": ["u", "u", "u", "u", "v", "v", "w"],
        }
        roles = {"id": "id", "prediction": "prediction", "score": "score", "attributes": ["g"]}
        return worlds.pool(pa.table(columns), **roles)

    def queries(self, pool, policy, *, turn, seeds):
        """The query at one turn of a fresh campaign's first ask, over many seeds."""
        spec = {"policy": policy, "estimator": Beta()}
        return [
            worlds.campaign(pool, **spec, seed=seed).ask(turn)[turn - 1] for seed in range(seeds)
        ]

    @pytest.mark.parametrize(
        "policy",
        [Random(), Uniform(), Proportional(), Mix(share=0.3, first=Random(), second=Uniform())],
        ids=repr,
    )
    def test_it_is_how_often_an_item_comes_first(self, pool, policy):
        """Null: items come with the chance recorded. Seven items, 2000 draws: a chance that is
        off by 5 points of a hundred is found 99 times in a hundred."""
        seeds = 2000
        queries = self.queries(pool, policy, turn=1, seeds=seeds)
        chance = {query.item: query.chance for query in queries}
        assert sorted(chance) == list("abcdefg")
        assert sum(chance.values()) == pytest.approx(1)
        times = [sum(query.item == item for query in queries) for item in chance]
        expected = [seeds * value for value in chance.values()]
        assert chisquare(times, expected).pvalue > FALSE_ALARM

    @pytest.mark.parametrize(
        "policy", [Uniform(), Mix(share=0.3), Mix(share=0.5, second=Thompson(draws=1))], ids=repr
    )
    @pytest.mark.parametrize("turn", [1, 3])
    def test_weighing_by_it_is_unbiased_at_every_turn(self, pool, policy, turn):
        """Null: 1 / chance of the item at a turn has the mean number of items left, whatever
        came before, since every item left has a chance. Five standard errors: 6e-7."""
        queries = self.queries(pool, policy, turn=turn, seeds=500)
        weights = [1 / query.chance for query in queries]
        left = 7 - (turn - 1)
        error = np.std(weights) / np.sqrt(len(weights))
        assert abs(np.mean(weights) - left) <= 5 * error + 1e-9


class TestExpectedChange:
    """Deterministic, and about items that are cells of their own."""

    @pytest.fixture
    def campaign(self):
        columns = {
            "id": [f"i{row}" for row in range(8)],
            "score": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2],
            "tag": ["t"] * 8,
            "noisy": [0.5, 0.75, 0.25, 0.5, 1.0, 0.0, 0.5, 0.5],
        }
        roles = {"id": "id", "score": "score", "category": "tag", "noisy_label": "noisy"}
        pool = worlds.pool(pa.table(columns), **roles)
        spec = {"task": PrecisionAt(6), "item_estimator": Naive(), "policy": ExpectedChange()}
        return worlds.campaign(pool, **spec)

    def chosen(self, campaign, n):
        return [query.item for query in campaign.ask(n)]

    def test_the_least_certain_come_first_and_ties_by_id(self, campaign):
        assert self.chosen(campaign, 4) == ["i0|t", "i3|t", "i1|t", "i2|t"]

    def test_no_choice_has_a_chance(self, campaign):
        assert {query.chance for query in campaign.ask(3)} == {None}

    def test_no_more_than_the_lists_hold(self, campaign):
        assert len(self.chosen(campaign, 100)) == 6

    def test_taken_items_are_passed_over(self, campaign):
        campaign.skip(["i0|t"])
        campaign.tell({"i1|t": 1})
        assert self.chosen(campaign, 2) == ["i3|t", "i2|t"]

    def test_every_item_is_a_cell_of_its_own(self, campaign):
        places = campaign.spec.task.evidence(campaign.records())
        cells = places.cells()
        assert cells.count.tolist() == [1] * len(places) == [1] * 6
        assert list(cells.partition.names) == ["@category=t"]
        view = worlds.view(cells, campaign.believe(campaign.spec.task), campaign.spec.task)
        choices = ExpectedChange().choose(view, 3, default_rng(0))
        assert [str(places.ids[choice.cell]) for choice in choices] == ["i0|t", "i3|t", "i1|t"]

    def test_the_last_bits_of_a_sum_never_decide(self):
        worth = np.array([0.1, 0.3, 0.1 + 0.2, 0.0])
        assert worth[2] > worth[1]
        weight = Highest(worth, "why").weights(np.array([1, 1, 1, 1]))
        assert weight.tolist() == [0, 1, 0, 0]

    def test_a_mix_gives_every_item_a_chance(self, campaign):
        mixed = campaign.using(policy=Mix(share=0.3, second=ExpectedChange()))
        (first,) = mixed.plan_ask(1).queries
        assert first.chance == pytest.approx(0.3 / 6 + 0.7 * (first.item == "i0|t"))

    def test_another_task_is_refused(self):
        with pytest.raises(InputError, match="cannot serve the task Estimate"):
            ExpectedChange().choose(view_of(SIZES), 1, default_rng(0))


def test_thompson_refuses_a_task_without_a_reward():
    with pytest.raises(InputError, match="cannot serve the task CompareServices"):
        Thompson().choose(view_of(SIZES, task=CompareServices("a", "b")), 1, default_rng(0))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Proportional(floor=1.5), "floor is a share from 0 to 1, got 1.5"),
        (lambda: Proportional(floor=float("nan")), "got nan"),
        (lambda: Mix(share=-0.1), "share of a mix is from 0 to 1, got -0.1"),
        (lambda: Thompson(draws=0), "at least 1 draw, got 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, complaint):
    with pytest.raises(InputError, match=complaint):
        make()
