"""The numbers that questions are about, and the formulas behind them, computed another way."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight.errors import InputError
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.dirichlet import Dirichlet
from spotheight.numerics.calibration import calibration_gap
from spotheight.numerics.distributions import beta, dirichlet
from spotheight.numerics.ranking import bandits
from spotheight.numerics.ranking.verdicts import expected_sureness, expected_variance, verdicts
from spotheight.questions.calibration import Calibration
from spotheight.questions.compare import Compare
from spotheight.questions.cost import Cost
from spotheight.questions.identify import Identify, untied
from spotheight.questions.quantities import CalibrationError, Costs, ExpectedCost, Groups, HitRate
from spotheight.questions.quantities.calibration import Diagram
from spotheight.questions.quantities.cost import read_costs
from spotheight.questions.quantities.groups import arms_of, slice_name
from spotheight.questions.rank import Rank
from spotheight.questions.values import Kept, draws_for, value_blocks

FALSE_ALARM = 1e-6
Z = stats.norm.isf(FALSE_ALARM / 2)
ALPHAS = [np.array([0.4, 2.0, 5.0]), np.array([1.0, 1.0]), np.array([30.0, 0.01, 3.0, 0.2])]


# Formulas


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_the_total_variance_and_its_drop_are_before_minus_after(alpha):
    rates = default_rng(1).dirichlet(np.ones(len(alpha)))
    assert dirichlet.total_variance(alpha) == pytest.approx(stats.dirichlet(alpha).var().sum())
    after = [stats.dirichlet(alpha + one).var().sum() for one in np.eye(len(alpha))]
    expected = stats.dirichlet(alpha).var().sum() - rates @ after
    assert dirichlet.total_variance_drop(alpha, rates) == pytest.approx(expected)


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_the_variance_along_costs_and_its_drop_are_before_minus_after(alpha):
    rng = default_rng(2)
    costs, rates = rng.normal(size=len(alpha)), rng.dirichlet(np.ones(len(alpha)))

    def variance(alpha):
        return costs @ stats.dirichlet(alpha).cov() @ costs

    assert dirichlet.variance_along(alpha, costs) == pytest.approx(variance(alpha))
    after = [variance(alpha + one) for one in np.eye(len(alpha))]
    drop = dirichlet.variance_drop_along(alpha, costs, rates)
    assert drop == pytest.approx(variance(alpha) - rates @ after)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.5, 7.0), (280.0, 203.0), (5e-7, 5e-7)])
@pytest.mark.parametrize("more", [0.0, 3.0])
def test_a_foreseen_drop_is_before_minus_after(a, b, more):
    """Of a Beta that is told by its mean and variance, after ``more`` labels as expected."""
    law, chance = stats.beta(a, b), 0.3
    hits, misses = a + more * law.mean(), b + more * (1 - law.mean())
    after = chance * stats.beta.var(hits + 1, misses) + (1 - chance) * stats.beta.var(
        hits, misses + 1
    )
    found = beta.foreseen_drop(np.array(law.mean()), np.array(law.var()), np.array(chance), more)
    # Mean and variance tell a sum a + b of 1e-6 to nine digits or so.
    assert found == pytest.approx(stats.beta.var(hits, misses) - after, rel=1e-5)


def test_formulas_take_any_axes_before_the_last():
    rng = default_rng(3)
    alpha, rates = rng.random((4, 3, 5)) + 0.1, rng.dirichlet(np.ones(5), size=(4, 3))
    costs = rng.random((3, 5))
    whole = dirichlet.variance_drop_along(alpha, costs, rates)
    for run, arm in product(range(4), range(3)):
        one = dirichlet.variance_drop_along(alpha[run, arm], costs[arm], rates[run, arm])
        assert whole[run, arm] == pytest.approx(one)


@pytest.mark.parametrize("total", [30.0, 1.0, 0.05, 1e-6])
def test_dirichlet_draws_have_their_moments_however_weak(total):
    """Null: each share has a Beta's mean and variance. A tiny sum of parameters means one outcome
    has all, not that all have alike. Power: 1 for that fault, whose variance is 0."""
    alpha, n = total * np.array([0.2, 0.45, 0.35]), 20_000
    draws = dirichlet.draw(np.broadcast_to(alpha, (n, 3)), default_rng(4))
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    mean = alpha / total
    variance = mean * (1 - mean) / (total + 1)
    assert (np.abs(draws.mean(axis=0) - mean) < Z * np.sqrt(variance / n)).all()
    squared = (draws - mean) ** 2
    error = squared.std(axis=0) / np.sqrt(n)
    assert (np.abs(squared.mean(axis=0) - variance) < Z * error + 1e-9).all()


def test_a_calibration_gap_is_the_weighted_distance():
    gap = calibration_gap(
        np.array([[0.5, 0.9], [0.6, 0.8]]), np.array([0.6, 0.8]), np.array([1, 3])
    )
    np.testing.assert_allclose(gap, [[0.1, 0.3], [0, 0]])


class TestVerdicts:
    """Weighting draws by what a label would say, against the definition."""

    def joint(self, seed, arms=4):
        rng = default_rng(seed)
        difference = rng.normal(0.02, 0.1, size=300)
        chance = rng.random((300, arms))
        return difference, np.stack([chance, 1 - chance], axis=2) / 300

    def test_every_draw_has_one_verdict(self):
        table = verdicts(np.array([-0.2, -0.05, 0.0, 0.05, 0.2]), 0.05)
        np.testing.assert_array_equal(table, np.eye(3)[[0, 1, 1, 1, 2]])

    @pytest.mark.parametrize("seed", range(20))
    def test_a_label_never_makes_a_verdict_less_sure_on_average(self, seed):
        difference, outcomes = self.joint(seed)
        verdict = verdicts(difference, 0.05)
        now = verdict.mean(axis=0).max()
        sure = expected_sureness(verdict, outcomes)
        assert (sure >= now - 1e-12).all() and (sure <= 1 + 1e-12).all()

    def test_it_is_the_mean_over_outcomes_of_the_surest_verdict_after_each(self):
        difference, outcomes = self.joint(1)
        verdict = verdicts(difference, 0.05)
        expected = np.zeros(4)
        for arm, outcome in product(range(4), range(2)):
            weight = outcomes[:, arm, outcome]
            expected[arm] += weight.sum() * np.average(verdict, axis=0, weights=weight).max()
        np.testing.assert_allclose(expected_sureness(verdict, outcomes), expected)

    def test_a_label_that_says_nothing_leaves_everything_as_it_is(self):
        difference, _ = self.joint(2)
        outcomes = np.broadcast_to([0.3 / 300, 0.7 / 300], (300, 1, 2))
        verdict = verdicts(difference, 0.05)
        assert expected_sureness(verdict, outcomes) == pytest.approx(verdict.mean(axis=0).max())
        assert expected_variance(difference, outcomes) == pytest.approx(difference.var())

    def test_the_expected_variance_is_what_the_law_of_total_variance_leaves(self):
        difference, outcomes = self.joint(3)
        chance = outcomes.sum(axis=0)
        means = np.einsum("d,dao->ao", difference, outcomes) / chance
        between = (chance * (means - difference.mean()) ** 2).sum(axis=1)
        found = expected_variance(difference, outcomes)
        np.testing.assert_allclose(found, difference.var() - between)


class TestBandits:
    def test_the_best_and_the_best_several_pass_over_what_is_exhausted(self):
        worth = np.array([[3.0, 2, 1, 0], [0, 1, 2, 3]])
        is_open = np.array([False, True, True, True])
        np.testing.assert_array_equal(bandits.best(worth, is_open), [1, 3])
        np.testing.assert_array_equal(bandits.several(worth, is_open, 2), [[1, 2], [3, 2]])
        np.testing.assert_array_equal(bandits.several(worth[0], is_open, 4), [1, 2, 3, -1])

    def test_top_two_chances_add_up_and_reach_from_the_votes_to_half_each(self):
        votes = np.array([0.9, 0.06, 0.04, 0.0])
        np.testing.assert_allclose(bandits.top_two_chances(votes, 1.0), votes)
        half = bandits.top_two_chances(votes, 0.5)
        assert half.sum() == pytest.approx(1) and half[0] < 0.5 + 0.05 and half[3] == 0
        alone = np.array([0.0, 1.0])
        np.testing.assert_array_equal(bandits.top_two_chances(alone, 0.5), alone)


# Groups


def test_groups_of_the_first_attributes_add_up_their_arms():
    pool = worlds.pool(worlds.table())
    arms = pool.cells(pool.layout.attributes, "service").partition
    values = default_rng(0).random((2, len(arms)))
    for attributes in range(4):
        groups = Groups.first(arms, attributes)
        expected = np.zeros((2, len(groups)))
        for arm, group in enumerate(groups.group):
            assert groups.partition.levels(group) == arms.levels(arm)[:attributes]
            expected[:, group] += values[:, arm]
        np.testing.assert_allclose(groups.total(values), expected)
        np.testing.assert_allclose(groups.total(values[0]), expected[0])
    assert Groups.first(arms, 0).name(0) == "all items"
    assert Groups.first(arms, 3).are_arms and not Groups.first(arms, 2).are_arms


def test_an_arm_in_no_group_counts_nowhere():
    groups = Groups(np.array([-1, 0, -1, 0]), labels=("some",))
    weight = np.array([1.0, 1, 1, 3])
    assert groups.mean(np.array([9.0, 2, 9, 6]), weight) == pytest.approx([5.0])
    assert Groups(np.array([-1, 0]), labels=("a", "b")).mean(np.ones(2), np.ones(2))[1] == 0


def test_slices_by_name_by_levels_and_as_a_union():
    arms = worlds.cells([1] * 4).partition
    one = arms_of("arm=arm1|arm2 or arm=arm3", arms)
    other = arms_of([{"arm": ["arm1", "arm2"]}, {"arm": "arm3"}], arms)
    np.testing.assert_array_equal(one, [False, True, True, True])
    np.testing.assert_array_equal(one, other)
    assert slice_name([{"arm": ["arm1", "arm2"]}, {"arm": "arm3"}]) == "arm=arm1|arm2 or arm=arm3"
    with pytest.raises(InputError, match="no level 'arm9'"):
        arms_of("arm=arm9", arms)
    with pytest.raises(InputError, match="should read like"):
        Compare("german", "arm=arm1")


# Quantities on a belief


def surface_of(estimator=None):
    return (estimator or Beta()).fit(worlds.evidence((2, 0, 0, 1), (2, 1, 0, 1), (5, 3, 1, 4)))


@pytest.mark.parametrize("estimator", [Beta(), Beta("jeffreys"), Frequencies()], ids=repr)
def test_a_hit_rate_has_exact_means_and_quantiles(estimator):
    """Frequencies have no mean where there is no label; what is expected there is the prior's."""
    of, surface, rng = HitRate(), surface_of(estimator).of("rate"), default_rng(0)
    groups, prior = of.groups(surface), 1.0 if estimator == Beta() else 0.5
    law = stats.beta(np.array([2, 0, 0, 1]) + prior, np.array([0, 1, 0, 0]) + prior)
    np.testing.assert_allclose(of.mean(surface, groups, rng), law.mean())
    for share in (0.025, 0.5, 0.975):
        np.testing.assert_allclose(
            of.quantile(surface, groups, share, rng), law.ppf(share), atol=2**-26
        )
    both = Groups(np.array([0, 0, 1, 1]), labels=("a", "b"))
    np.testing.assert_allclose(
        of.mean(surface, both, rng), [law.mean()[:2] @ [5, 3] / 8, law.mean()[2:] @ [1, 4] / 5]
    )


COLUMNS = {
    "g": ["a"] * 6 + ["b"] * 4 + ["c"] * 2,
    "score": [0.1, 0.1, 0.3, 0.8, 0.9, None, 0.6, 0.6, 0.7, 0.2, None, None],
    "w": [1.0, 2, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1],
}
SAID = {"i000": "x", "i003": "x", "i004": "y", "i005": "x", "i006": "y", "i010": "x"}


def scored(**roles):
    pool = worlds.small("column", COLUMNS, "g", score="score", **roles)
    campaign = worlds.campaign(pool, estimator=Beta())
    campaign.tell(SAID)
    return campaign


@pytest.mark.parametrize("weight", [None, "w"])
def test_a_calibration_error_against_a_loop_over_items(weight):
    """Groups a and b; c has no score, so it has no error and is left out."""
    campaign = scored(**({"weight": weight} if weight else {}))
    of = CalibrationError(by=("g",), bins=2)
    surface = campaign.believe(Identify(of=of)).of("rate")
    groups = of.groups(surface)
    assert [groups.name(g) for g in range(len(groups))] == ["g=a", "g=b"]
    parts = surface.draw(3, default_rng(0))
    found = of.read(surface, parts, groups)
    weights = COLUMNS["w"] if weight else [1.0] * 12
    for place, name in enumerate("ab"):
        rows = [i for i, g in enumerate(COLUMNS["g"]) if g == name and COLUMNS["score"][i]]
        total, error = sum(weights[i] for i in rows), np.zeros(3)
        for bin in ("<0.5", ">=0.5"):
            inside = [i for i in rows if (COLUMNS["score"][i] >= 0.5) == (bin != "<0.5")]
            arm = surface.partition.names.index(f"g={name}, @score={bin}")
            share = sum(weights[i] for i in inside) / total
            error += share * abs(parts[:, arm] - np.mean([COLUMNS["score"][i] for i in inside]))
        np.testing.assert_allclose(found[:, place], error)


def test_bins_of_a_union_of_groups_are_merged_before_the_gap_is_taken():
    """Errors to both sides cancel inside a bin, as they do for all items together."""
    campaign = scored()
    everything = campaign.answer(Calibration(bins=2), "rate")
    of = CalibrationError(by=("g",), bins=2)
    surface = campaign.believe(Identify(of=of)).of("rate")
    whole = Groups.one(np.ones(surface.cells.arms, dtype=bool), "all items")
    assert len(Diagram.of(surface, whole).score) == len(everything.bin_score) == 2
    np.testing.assert_allclose(Diagram.of(surface, whole).score, everything.bin_score)


def test_labels_where_no_score_is_known_are_worth_nothing_to_an_error():
    task, surface = Calibration(by=("g",), bins=2), scored().believe(Calibration(by=("g",), bins=2))
    worth = task.worth(surface.of("rate"), surface.of("rate").draw(5, default_rng(0)))
    names = surface.partition.names
    missing = np.array(["missing" in name for name in names])
    assert missing.any() and (worth[:, missing] == 0).all() and (worth[:, ~missing] > 0).all()
    assert (task.targets(surface).diagonal()[missing] == 0).all()


def test_a_slice_without_scores_is_refused():
    task = Compare("g=a", "g=c", of=CalibrationError(by=("g",), bins=2))
    with pytest.raises(InputError, match="No item of 'g=c' has a score"):
        scored().answer(task)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: CalibrationError(bins=1), "at least 2 bins, got 1"),
        (lambda: Calibration(bins=0), "at least 2 bins, got 0"),
        (lambda: CalibrationError(cut_by="mass"), "equal width or equal weight, not equal 'mass'"),
        (lambda: Identify(worst=0), "At least 1 arm"),
        (lambda: Identify(level=1.5), "level of intervals lies between 0 and 1, got 1.5"),
        (lambda: Rank(level=-0.1), "got -0.1"),
        (lambda: Compare("g=a", "g=b", rope=-0.1), "from 0 on, got -0.1"),
        (lambda: Compare("g=a", "g=b", rope=float("nan")), "from 0 on, got nan"),
    ],
)
def test_questions_that_make_no_sense_are_refused(make, complaint):
    with pytest.raises(InputError, match=complaint):
        make()


# Costs


def test_plain_costs_are_errors():
    assert Costs.plain("ab").values == ((0.0, 1.0), (1.0, 0.0))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Costs(("a", "b"), ("a", "b"), ((0.0, 1.0),)), "1 rows for 2 true classes"),
        (lambda: Costs(("a",), ("a", "b"), ((0.0,),)), "1 costs for the true class 'a', and 2"),
        (lambda: Costs(("a",), ("a",), ((np.inf,),)), "class 'a' must be a finite"),
        (lambda: Costs(("a", "a"), ("a",), ((0.0,), (1.0,))), "the row 'a' twice"),
        (lambda: Costs(("a",), ("a", "a"), ((0.0, 0.0),)), "the column 'a' twice"),
        (lambda: read_costs(["true"], [["a"]], "c.csv"), "'c.csv' is no cost matrix"),
        (lambda: read_costs(["t", "a"], [["a", "much"]], "c.csv"), "the cost 'much' for the true"),
        (lambda: read_costs(["t", "a"], [["a", "nan"]], "c.csv"), "must be a finite"),
        (lambda: Costs.plain(("ab", "c")).table(("abb",), ("c",)), "no row for the class 'abb'"),
        (lambda: Costs.plain("ab").table("ab", ("a", "(missing)")), "Some items have no answer"),
    ],
)
def test_a_cost_matrix_that_does_not_fit_is_refused(make, complaint):
    with pytest.raises(InputError, match=complaint):
        make()


def test_costs_come_from_a_table_and_are_looked_up_by_name():
    costs = read_costs(["true", "b", "a"], [["a", "2", 0], ["b", 0, "1.5"]], "c.csv")
    np.testing.assert_array_equal(costs.table(("b", "a"), ("a", "b")), [[1.5, 0], [0, 2]])


def cost_world():
    columns = {
        "prediction": ["a", "a", "b", "b", "a", "b", "b", "b"],
        "g": ["u", "u", "u", "v", "v", "v", "v", "v"],
    }
    pool = worlds.small("column", columns, "g", classes=("a", "b"))
    campaign = worlds.campaign(pool, class_estimator=Dirichlet())
    campaign.tell({"i000": "a", "i001": "b", "i003": "b", "i005": "a"})
    return campaign, Costs(("a", "b"), ("a", "b"), ((0.0, 1.0), (5.0, 0.0)))


def test_the_worth_of_a_label_is_the_drop_of_its_groups_variance():
    """A label in a group falls on its arms by their size; explicit variances before and after."""
    campaign, costs = cost_world()
    task = Cost(costs, by=("g",))
    belief = campaign.believe(task).of("rate")
    rates = belief.draw(1, default_rng(0))
    worth = task.worth(belief, rates, np.array([0.0, 2.0]))[0]
    by_arm, groups = task.of.by_arm(belief.partition, belief.outcomes), task.groups(belief)
    for group, more in ((0, 0.0), (1, 2.0)):
        arms = np.flatnonzero(groups.group == group)
        share = belief.weight[arms] / belief.weight[arms].sum()
        alpha = belief.alpha[arms] + more * share[:, None] * belief.mean[arms]

        def variance(alpha, arms=arms, share=share):
            return sum(
                part**2 * by_arm[arm] @ stats.dirichlet(each).cov() @ by_arm[arm]
                for arm, part, each in zip(arms, share, alpha, strict=True)
            )

        expected = 0.0
        for place, arm in enumerate(arms):
            for outcome in range(2):
                after = alpha.copy()
                after[place, outcome] += 1
                chance = share[place] * rates[0, arm, outcome]
                expected += chance * (variance(alpha) - variance(after))
        assert worth[group] == pytest.approx(expected * belief.weight[arms].sum() / 8)


def test_plain_costs_of_all_items_are_the_error_rate():
    campaign, _ = cost_world()
    overall = campaign.answer(Cost(Costs.plain("ab"), by=())).overall
    rate = campaign.using(estimator=Beta(strength=1.0)).surface()
    by_answer = campaign.using(estimator=Beta(strength=1.0)).answer(
        Identify(of=HitRate(("@prediction",)))
    )
    expected = 1 - by_answer.values.mean @ by_answer.values.n_pool / rate.cells.size
    # The other mean is of 2000 draws.
    assert overall.mean == pytest.approx(expected, abs=Z * 0.25 / np.sqrt(2000))
    assert overall.n_pool == 8 and overall.n_labelled == 4


def test_cost_arms_are_looked_up_by_the_answer_they_hold():
    campaign, costs = cost_world()
    belief = campaign.believe(Cost(costs, by=("g",)))
    by_arm = ExpectedCost(costs).by_arm(belief.partition, belief.outcomes)
    for arm, row in enumerate(by_arm):
        said = belief.partition.levels(arm)[1]
        np.testing.assert_array_equal(row, {"a": [0.0, 5.0], "b": [1.0, 0.0]}[said])


# Draws in blocks


def test_ties_are_broken_by_chance_in_any_unit():
    for unit in (1e-12, 1.0, 1e12):
        values = unit * np.array([[1.0, 1.0, 1.0 + 1e-6]] * 4000)
        order = np.argsort(untied(values, default_rng(0)), axis=1)
        assert (order[:, 2] == 2).all()
        first = int((order[:, 0] == 0).sum())
        # Null: a fair coin. Power: 1 for an order by number.
        assert stats.binomtest(first, 4000, 0.5).pvalue > FALSE_ALARM


def test_blocks_of_draws_are_one_stream(monkeypatch):
    surface = surface_of()
    groups = HitRate().groups(surface)
    monkeypatch.setattr("spotheight.questions.values.DRAWN_AT_ONCE", 40)
    blocks = list(value_blocks(HitRate(), surface, groups, default_rng(0), 33))
    sizes = [len(block) for block in blocks]
    assert sum(sizes) == draws_for(surface, 33) == 200 and set(sizes) == {10}
    assert all((a != b).any() for a, b in pairwise(blocks))
    kept = Kept(most=4)
    for block in blocks:
        kept.add(block)
    np.testing.assert_array_equal(kept.draws, np.concatenate(blocks)[:200])
